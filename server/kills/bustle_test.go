package kills_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	adminv1 "hush/gen/hush/admin/v1"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// bustle is load of every kind: it writes to every bucket. What its calls return
// does not matter, so the service may end at any moment.
type bustle struct {
	env   *servertest.Env
	dns   *resolvertest.Server
	relay *mailtest.Server
	image []byte // a logo

	number  atomic.Int64
	done    atomic.Int64 // calls that succeeded
	mu      sync.Mutex
	kept    []bustleSecret
	members []*apitest.Account
	domains []string // of ada, as they were added
}

type bustleSecret struct{ key, receipt string }

func newBustle(t *testing.T, env *servertest.Env) *bustle {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	return &bustle{
		env: env, dns: resolvertest.New(t), relay: mailtest.NewWith(t, mailtest.Options{NoTLS: true}),
		image: picture.Bytes(),
	}
}

// flags are those of a service under this load.
func (b *bustle) flags() []string {
	return []string{
		"--rate-limits=off", "--sign-up=open", "--log-level=error", "--resolver", b.dns.Addr,
		"--smtp-host", b.relay.Addr, "--smtp-tls=none", "--mail-from=Hush <no-reply@hush.example>",
	}
}

// run does things with a service until ctx ends, with some clients at a time.
func (b *bustle) run(ctx context.Context, s *accountServer, clients int) {
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for ctx.Err() == nil {
				b.step(ctx, s)
			}
		})
	}
	all.Wait()
}

// bustleKind is something that a client does.
type bustleKind struct {
	name string
	do   func(context.Context, *accountServer) error
}

func (b *bustle) kinds() []bustleKind {
	return []bustleKind{
		{"conceal", b.conceal}, {"reveal", b.reveal}, {"burn", b.burn}, {"receipt", b.receipt}, {"feedback", b.feedback},
		{"exception", b.exception}, {"token", b.token}, {"domain", b.domain}, {"remove domain", b.removeDomain}, {"account", b.account},
		{"reset", b.reset}, {"destroy", b.destroy}, {"place", b.place}, {"burn all", b.burnAll},
	}
}

// slowKinds hash a password or passphrase, which takes as long as a hundred others.
func (b *bustle) slowKinds() []bustleKind {
	return []bustleKind{
		{"guarded", b.guarded}, {"try", b.try}, {"session", b.session}, {"wrong password", b.wrongPassword}, {"operator's reset", b.operatorReset},
	}
}

// step does one thing: a third of them share or open a secret.
func (b *bustle) step(ctx context.Context, s *accountServer) {
	kinds := b.kinds()
	switch draw := rand.IntN(60); {
	case draw < 20:
		kinds = kinds[:2]
	case draw == 59:
		kinds = b.slowKinds()
	}
	if kinds[rand.IntN(len(kinds))].do(ctx, s) == nil {
		b.done.Add(1)
	}
}

func (b *bustle) next() int64 { return b.number.Add(1) }

// member returns an account that may be destroyed; ada while there is none.
func (b *bustle) member() *apitest.Account {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.members) == 0 {
		return &b.env.Ada
	}
	return b.members[rand.IntN(len(b.members))]
}

// take removes a random one of a list and returns it, or the zero value.
func take[T any](b *bustle, list *[]T) (one T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(*list); n > 0 {
		i := rand.IntN(n)
		one, (*list)[i] = (*list)[i], (*list)[n-1]
		*list = (*list)[:n-1]
	}
	return one
}

func (b *bustle) conceal(ctx context.Context, s *accountServer) error {
	w := &hushv1.ConcealSecretRequest{Secret: fmt.Sprint("secret ", b.next())}
	client := s.client
	if rand.IntN(3) == 0 {
		w.Ttl = durationpb.New(time.Minute)
	}
	switch rand.IntN(4) {
	case 1:
		client = s.with(apitest.Bearer(b.member().Token))
	case 2:
		client, w.Recipients = s.with(apitest.Bearer(b.env.Ada.Token)), []string{"friend@elsewhere.example"}
	}
	return b.keep(hushv1connect.NewSecretServiceClient(client, s.URL).ConcealSecret(ctx, w))
}

func (b *bustle) guarded(ctx context.Context, s *accountServer) error {
	return b.keep(hushv1connect.NewSecretServiceClient(s.client, s.URL).ConcealSecret(ctx, &hushv1.ConcealSecretRequest{
		Secret: fmt.Sprint("secret ", b.next()), Passphrase: apitest.Passphrase,
	}))
}

func (b *bustle) keep(made *hushv1.ConcealSecretResponse, err error) error {
	if err == nil {
		b.mu.Lock()
		b.kept = append(b.kept, bustleSecret{made.GetSecret().GetSecretKey(), made.GetMetadata().GetMetadataKey()})
		b.mu.Unlock()
	}
	return err
}

func (b *bustle) reveal(ctx context.Context, s *accountServer) error {
	_, err := hushv1connect.NewSecretServiceClient(s.client, s.URL).RevealSecret(ctx, &hushv1.RevealSecretRequest{
		SecretKey: take(b, &b.kept).key, Passphrase: apitest.Passphrase,
	})
	return err
}

func (b *bustle) burn(ctx context.Context, s *accountServer) error {
	_, err := hushv1connect.NewSecretServiceClient(s.client, s.URL).BurnSecret(ctx, &hushv1.BurnSecretRequest{
		MetadataKey: take(b, &b.kept).receipt, Passphrase: apitest.Passphrase,
	})
	return err
}

// one returns a secret that stays in the list.
func (b *bustle) one() bustleSecret {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.kept) == 0 {
		return bustleSecret{}
	}
	return b.kept[rand.IntN(len(b.kept))]
}

func (b *bustle) receipt(ctx context.Context, s *accountServer) error {
	_, err := hushv1connect.NewMetadataServiceClient(s.client, s.URL).GetMetadata(ctx, &hushv1.GetMetadataRequest{MetadataKey: b.one().receipt})
	return err
}

// try is a wrong passphrase.
func (b *bustle) try(ctx context.Context, s *accountServer) error {
	_, _ = hushv1connect.NewSecretServiceClient(s.client, s.URL).RevealSecret(ctx, &hushv1.RevealSecretRequest{
		SecretKey: b.env.Ada.Guarded.Secret.Key.Expose(), Passphrase: "wrong",
	})
	return ctx.Err()
}

func (b *bustle) feedback(ctx context.Context, s *accountServer) error {
	_, err := hushv1connect.NewIntakeServiceClient(s.with(apitest.Bearer(b.env.Ada.Token)), s.URL).ReceiveFeedback(ctx, &hushv1.ReceiveFeedbackRequest{
		Message: fmt.Sprint("feedback ", b.next()),
	})
	return err
}

func (b *bustle) exception(ctx context.Context, s *accountServer) error {
	_, err := hushv1connect.NewIntakeServiceClient(s.client, s.URL).ReceiveException(ctx, &hushv1.ReceiveExceptionRequest{
		Message: fmt.Sprint("exception ", b.next()), Type: "Error", Url: s.URL + "/",
	})
	return err
}

func (b *bustle) token(ctx context.Context, s *accountServer) error {
	account := b.member()
	accounts := s.accounts(apitest.Bearer(account.Token))
	made, err := accounts.GenerateApiToken(ctx, &hushv1.GenerateApiTokenRequest{Name: fmt.Sprint("token ", b.next())})
	if err == nil && rand.IntN(4) > 0 {
		_, err = accounts.RevokeApiToken(ctx, &hushv1.RevokeApiTokenRequest{TokenId: made.GetApiToken().GetTokenId()})
	}
	return err
}

func (b *bustle) domain(ctx context.Context, s *accountServer) error {
	domains := hushv1connect.NewDomainServiceClient(s.with(apitest.Bearer(b.env.Ada.Token)), s.URL)
	name := fmt.Sprintf("secrets%d.example.com", b.next())
	added, err := domains.AddDomain(ctx, &hushv1.AddDomainRequest{Domain: name})
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.domains = append(b.domains, name)
	b.mu.Unlock()
	d := added.GetDomain()
	b.dns.SetTXT(d.GetTxtValidationHost()+"."+d.GetBaseDomain(), d.GetTxtValidationValue())
	if _, err := domains.VerifyDomain(ctx, &hushv1.VerifyDomainRequest{Domain: name}); err != nil {
		return err
	}
	_, err = domains.UpdateDomainLogo(ctx, &hushv1.UpdateDomainLogoRequest{Domain: name, Kind: hushv1.ImageKind_IMAGE_KIND_LOGO, Content: b.image})
	return err
}

func (b *bustle) removeDomain(ctx context.Context, s *accountServer) error {
	domains := hushv1connect.NewDomainServiceClient(s.with(apitest.Bearer(b.env.Ada.Token)), s.URL)
	_, err := domains.RemoveDomain(ctx, &hushv1.RemoveDomainRequest{Domain: take(b, &b.domains)})
	return err
}

func (b *bustle) account(ctx context.Context, s *accountServer) error {
	a := &apitest.Account{Address: fmt.Sprintf("number%d@elsewhere.example", b.next())}
	if rand.IntN(4) == 0 { // stays pending
		_, err := s.accounts(apitest.Bearer(b.env.Ada.Token)).CreateAccount(ctx, &hushv1.CreateAccountRequest{Address: a.Address, Password: apitest.Password})
		return err
	}
	_, err := s.admin.CreateAccount(ctx, &adminv1.CreateAccountRequest{Address: a.Address, Role: hushv1.Role_ROLE_CUSTOMER})
	if err != nil {
		return err
	}
	made, err := s.admin.CreateToken(ctx, &adminv1.CreateTokenRequest{Account: a.Address, Name: "all"})
	if err != nil {
		return err
	}
	a.Token = made.GetToken()
	b.mu.Lock()
	b.members = append(b.members, a)
	b.mu.Unlock()
	return nil
}

func (b *bustle) session(ctx context.Context, s *accountServer) error {
	_, err := hushv1connect.NewSessionServiceClient(s.client, s.URL).CreateSession(ctx, &hushv1.CreateSessionRequest{
		Address: b.env.Ada.Address, Password: apitest.Password, Remember: rand.IntN(2) == 0,
	})
	if err == nil && rand.IntN(2) == 0 {
		mine := hushv1connect.NewSessionServiceClient(s.with(apitest.Bearer(b.env.Ada.Token)), s.URL)
		_, err = mine.RevokeSessions(ctx, &hushv1.RevokeSessionsRequest{})
	}
	return err
}

func (b *bustle) wrongPassword(ctx context.Context, s *accountServer) error {
	_, _ = hushv1connect.NewSessionServiceClient(s.client, s.URL).CreateSession(ctx, &hushv1.CreateSessionRequest{
		Address: b.member().Address, Password: "a wrong password",
	})
	return ctx.Err()
}

func (b *bustle) reset(ctx context.Context, s *accountServer) error {
	_, err := s.accounts(http.Header{}).RequestPasswordReset(ctx, &hushv1.RequestPasswordResetRequest{Address: b.member().Address})
	return err
}

func (b *bustle) operatorReset(ctx context.Context, s *accountServer) error {
	a := take(b, &b.members) // whose token it ends
	if a == nil {
		return b.account(ctx, s)
	}
	_, err := s.admin.ResetPassword(ctx, &adminv1.ResetPasswordRequest{Account: a.Address, Password: apitest.Password})
	return err
}

func (b *bustle) destroy(ctx context.Context, s *accountServer) error {
	a := take(b, &b.members)
	if a == nil {
		return b.account(ctx, s)
	}
	_, err := s.admin.DestroyAccount(ctx, &adminv1.DestroyAccountRequest{Account: a.Address})
	return err
}

func (b *bustle) place(ctx context.Context, s *accountServer) error {
	name := fmt.Sprint("place ", b.next())
	_, err := s.admin.ImportPlaces(ctx, &adminv1.ImportPlacesRequest{Places: []*adminv1.Place{{Name: name, Latitude: 1, Altitude: 2}}})
	return err
}

func (b *bustle) burnAll(ctx context.Context, s *accountServer) error {
	_, err := s.accounts(apitest.Bearer(b.member().Token)).BurnAllSecrets(ctx, &hushv1.BurnAllSecretsRequest{})
	return err
}

// everything does each thing once, which must succeed.
func (b *bustle) everything(t *testing.T, s *accountServer) {
	t.Helper()
	b.kept = nil // some may have ended
	for _, kind := range slices.Concat([]bustleKind{{"account", b.account}}, b.kinds(), b.slowKinds()) {
		if err := b.guarded(t.Context(), s); err != nil { // what others end
			t.Errorf("guarded secret: got %v, want nil", err)
		}
		if err := kind.do(t.Context(), s); err != nil {
			t.Errorf("load %q: got %v, want nil", kind.name, err)
		}
	}
}

// startBustle starts a service of which clients do everything.
func startBustle(t *testing.T, path, folder string, b *bustle, more ...string) (*servertest.Process, *accountServer) {
	t.Helper()
	return startAccountServer(t, path, folder, append(b.flags(), more...)...)
}
