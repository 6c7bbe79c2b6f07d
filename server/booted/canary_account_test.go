package booted_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// A thief of logs, or of the data folder without its root key, learns of
// accounts neither who has one nor anything that opens one. Every field gets a
// value of its own, what the service issues is one too, and then everything
// that it wrote is searched for all of them.
func TestCanaryOfAccounts(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			mails, dns := mailtest.New(t), resolvertest.New(t)
			colonel := apitest.RandomWord(31) + "@colonels.com"
			s := servertest.Start(t, append(servertest.Services(t, mails, dns), "--sign-up=invite", "--colonel="+colonel,
				"--rate-limits=off", "--log-level=debug", "--log-format="+format)...)
			sent := &apitest.Canaries{}
			sent.Add("colonel", colonel)
			b := &birdkeeper{t: t, s: s, sent: sent, mails: mails, dns: dns, answers: &listener{}, colonel: colonel, read: map[string]bool{}}
			b.client = servertest.HTTPClient(t, false, http.Header{"User-Agent": {sent.Word("user agent")}})
			b.client.Transport = b.answers.listenTo(b.client.Transport)
			b.live()
			b.searchAll()
		})
	}
}

// birdkeeper sends canaries through every field of an account's life.
type birdkeeper struct {
	t       *testing.T
	s       *servertest.Server
	sent    *apitest.Canaries
	mails   *mailtest.Server
	dns     *resolvertest.Server
	client  *http.Client
	answers *listener
	colonel string
	address string
	session apitest.Session
	read    map[string]bool // tokens of links
}

// public is what a data folder may show: it is on public pages.
const public = "public: "

// toldBack are the fields that a refusal may repeat: names that the caller has
// to find the mistake in, and the token that every answer to a page carries.
func toldBack() []string {
	return []string{public, "unknown domain", "broken recipient", "issued shrimp"}
}

func (b *birdkeeper) rpc(procedure string, header http.Header, format string, values ...any) apitest.Reply {
	b.t.Helper()
	return apitest.Call(b.t, b.client, b.s.URL, "/hush.v1."+procedure, header, fmt.Sprintf(format, values...))
}

func (b *birdkeeper) page(procedure, format string, values ...any) apitest.Reply {
	b.t.Helper()
	return b.rpc(procedure, b.session.Page(b.s.URL), format, values...)
}

// issued makes what the service gave out a canary, too.
func (b *birdkeeper) issued(field, value string) string { return b.sent.Add("issued "+field, value) }

// ticket waits for a mail with a link to a page and returns its token.
func (b *birdkeeper) ticket(page string) (token string) {
	b.t.Helper()
	link := regexp.MustCompile(`/` + page + `/(\w+)`)
	servertest.WaitUntil(b.t, "a mail with a link to /"+page, func() bool {
		for _, m := range b.mails.Messages() {
			found := link.FindStringSubmatch(m.Text())
			if found == nil || b.read[found[1]] {
				continue
			}
			b.read[found[1]] = true
			token = b.issued(page+" token", found[1])
			return true
		}
		return false
	})
	return token
}

func (b *birdkeeper) live() {
	b.address = b.sent.Word("address") + "@team.com"
	b.signUp()
	b.addresses()
	b.tokens()
	b.domains()
	b.mailed()
	b.intake()
	b.refused()
	b.passwords()
}

func (b *birdkeeper) signIn(address, password string) {
	b.t.Helper()
	got := b.rpc("SessionService/CreateSession", nil, `{"address":%q,"password":%q}`, address, password).OK(b.t, "sign-in")
	cookie := (&http.Response{Header: got.Header}).Cookies()[0].Value
	b.session = apitest.Session{Cookie: b.issued("cookie", cookie), Shrimp: b.issued("shrimp", got.At(b.t, "shrimp"))}
}

// signUp uses an invite, which the colonel makes.
func (b *birdkeeper) signUp() {
	o := servertest.Operator{T: b.t, Data: b.s.Data}
	o.Ok("", "account", "create", "--role=colonel", b.colonel)
	by := apitest.Bearer(b.issued("colonel's token", strings.TrimSpace(o.Ok("", "token", "create", b.colonel).Stdout)))
	invite := b.issued("invite", b.rpc("AccountService/CreateInvite", by, `{"address":%q}`, b.address).OK(b.t, "invite").At(b.t, "invite"))
	password := b.sent.Text("password")
	early := b.sent.Text("password of the sign-up")
	body := `{"address":%q,"password":%q,"invite":%q,"authenticityPayload":%q}`
	b.rpc("AccountService/CreateAccount", nil, body, b.address, early, b.sent.Word("wrong invite"), b.sent.Word("wrong solution"))
	solution := b.issued("solution", servertest.SolvedFor(b.t, b.client, b.s.URL, "signup"))
	b.rpc("AccountService/CreateAccount", nil, body, b.address, early, invite, solution).OK(b.t, "sign-up")
	link := b.s.URL + "/verify/"
	apitest.Send(b.t, b.client, http.MethodPost, link+b.sent.Word("wrong verify token"), nil, "x=y")
	apitest.Send(b.t, b.client, http.MethodPost, link+b.ticket("verify"), nil, url.Values{"newp": {password}, "newp2": {password}}.Encode()).OK(b.t, "verify")
	b.signIn(b.address, password)
	b.next(password)
}

// next changes the password.
func (b *birdkeeper) next(password string) {
	changed := b.sent.Text("changed password")
	b.page("AccountService/ChangeAccountPassword", `{"currentPassword":%q,"newPassword":%q}`, password, changed).OK(b.t, "change")
	moved := b.sent.Word("next address") + "@team.com"
	b.page("AccountService/RequestAddressChange", `{"newAddress":%q,"password":%q}`, moved, changed).OK(b.t, "address change")
	apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/confirm/"+b.ticket("confirm"), b.session.Page(b.s.URL), "x=y").OK(b.t, "confirm")
	b.address = moved
}

// addresses are those of others, and one without an account.
func (b *birdkeeper) addresses() {
	for _, procedure := range []string{"AccountService/RequestPasswordReset", "AccountService/ResendVerification"} {
		b.rpc(procedure, nil, `{"address":%q}`, b.sent.Word("unknown address")+"@team.com")
		b.rpc(procedure, nil, `{"address":%q}`, b.sent.Text("broken address"))
	}
	b.rpc("SessionService/CreateSession", nil, `{"address":%q,"password":%q}`, b.sent.Word("unknown address")+"@team.com", b.sent.Text("some password"))
	b.rpc("SessionService/CreateSession", nil, `{"address":%q,"password":%q}`, b.address, b.sent.Text("wrong password"))
}

func (b *birdkeeper) tokens() {
	token := b.issued("token", b.page("AccountService/GenerateApiToken", `{"name":"ci"}`).OK(b.t, "token").At(b.t, "token"))
	old := b.issued("old token", apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/api/v2/account/apitoken", b.session.Page(b.s.URL), "").At(b.t, "record", "apitoken"))
	for _, header := range []http.Header{apitest.Basic(b.address, token), apitest.Bearer(old), apitest.Bearer(b.sent.Word("wrong token")), apitest.Basic(b.sent.Word("wrong user"), token)} {
		apitest.Send(b.t, b.client, http.MethodGet, b.s.URL+"/api/v1/authcheck", header, "")
		kept := apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/api/v1/share", header, url.Values{"secret": {b.sent.Text("secret of an account")}}.Encode())
		if kept.Status == http.StatusOK {
			b.issued("secret key", kept.At(b.t, "secret_key"))
			b.issued("metadata key", kept.At(b.t, "metadata_key"))
		}
		apitest.Send(b.t, b.client, http.MethodGet, b.s.URL+"/api/v1/private/recent", header, "")
	}
}

func (b *birdkeeper) domains() {
	name := b.sent.Add(public+"domain", apitest.RandomWord(31)) + ".team.com"
	got := b.page("DomainService/AddDomain", `{"domain":%q}`, name).OK(b.t, "domain")
	b.dns.SetTXT(got.At(b.t, "domain", "txtValidationHost")+"."+got.At(b.t, "domain", "baseDomain"), got.At(b.t, "domain", "txtValidationValue"))
	b.page("DomainService/VerifyDomain", `{"domain":%q}`, name).OK(b.t, "verify")
	brand := url.Values{}
	for _, field := range []string{"instructions_pre_reveal", "instructions_reveal", "instructions_post_reveal", "description"} {
		brand.Set(field, b.sent.Word(public+field))
	}
	b.page("DomainService/UpdateDomainBrand", `{"domain":%q,"brand":{"description":%q,"instructionsReveal":%q,"instructionsPreReveal":%q,"instructionsPostReveal":%q}}`,
		name, brand.Get("description"), brand.Get("instructions_reveal"), brand.Get("instructions_pre_reveal"), brand.Get("instructions_post_reveal")).OK(b.t, "brand")
	b.page("DomainService/UpdateDomainBrand", `{"domain":%q,"brand":{"primaryColor":%q}}`, name, b.sent.Word("broken colour"))
	b.page("DomainService/UpdateDomainLogo", `{"domain":%q,"content":%q}`, name, b.sent.Word("broken picture"))
	b.page("DomainService/GetDomain", `{"domain":%q}`, b.sent.Word("unknown domain")+".team.com")
}

// mailed shares by mail: with a recipient that the mail server does not know,
// and says so with the address, and with a friend.
func (b *birdkeeper) mailed() {
	b.page("AccountService/UpdateNotifications", `{"notifications":{"secretOpened":true}}`).OK(b.t, "notifications")
	b.mails.Wait(b.t, 4) // the invite, two links to confirm, and the word to the old address
	b.mails.RefuseRecipients(550, 1)
	b.shareByMail("STATE_FAILED")
	key := b.shareByMail("STATE_SENT")
	b.rpc("SecretService/RevealSecret", nil, `{"secretKey":%q}`, key).OK(b.t, "reveal")
	b.page("SecretService/ConcealSecret", `{"secret":"x","recipients":[%q]}`, b.sent.Word("broken recipient"))
}

// shareByMail waits until the mail stands as it should, and returns the
// secret's key.
func (b *birdkeeper) shareByMail(want string) (key string) {
	b.t.Helper()
	got := b.page("SecretService/ConcealSecret", `{"secret":%q,"recipients":[%q]}`, b.sent.Text("mailed secret"), b.sent.Word("recipient")+"@friends.com").OK(b.t, "share")
	receipt := b.issued("mailed metadata key", got.At(b.t, "metadata", "metadataKey"))
	servertest.WaitUntil(b.t, "the mail to be "+want, func() bool {
		shown := b.page("MetadataService/GetMetadata", `{"metadataKey":%q}`, receipt)
		return shown.At(b.t, "metadata", "deliveries", 0, "state") == want
	})
	return b.issued("mailed secret key", got.At(b.t, "secret", "secretKey"))
}

func (b *birdkeeper) intake() {
	header := b.session.Page(b.s.URL)
	apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/api/v2/feedback", header, url.Values{"msg": {b.sent.Text("feedback")}, "tz": {"UTC"}}.Encode()).OK(b.t, "feedback")
	apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/api/v2/feedback", nil, url.Values{"msg": {b.sent.Text("feedback without a solution")}}.Encode())
	apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/api/v2/exception", header, url.Values{
		"message": {b.sent.Text("exception")}, "stack": {b.sent.Text("stack")}, "user_agent": {b.sent.Text("user agent of an exception")},
		"url": {b.s.URL + "/secret/" + b.sent.Word("path of an exception") + "?" + b.sent.Word("query of an exception")},
	}.Encode()).OK(b.t, "exception")
}

// refused sends cookies and shrimps that are not good.
func (b *birdkeeper) refused() {
	for _, bad := range []apitest.Session{
		{Cookie: b.sent.Word("wrong cookie"), Shrimp: b.sent.Word("wrong shrimp")},
		{Cookie: b.session.Cookie, Shrimp: b.sent.Word("wrong shrimp of a session")},
	} {
		b.rpc("AccountService/GenerateApiToken", bad.Page(b.s.URL), `{"name":"x"}`)
		apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/api/v2/account/destroy", bad.Page(b.s.URL), url.Values{"confirmation": {b.sent.Text("confirmation")}}.Encode())
	}
	b.page("ColonelService/BurnReportedSecret", `{"link":%q}`, b.s.URL+"/secret/"+b.sent.Word("reported link"))
	b.page("ColonelService/ResetAccountPassword", `{"account":%q,"password":%q,"newPassword":%q}`, b.address,
		b.sent.Text("administrator's password"), b.sent.Text("password that an administrator sets"))
}

// passwords resets one by mail, with good and bad links.
func (b *birdkeeper) passwords() {
	b.rpc("AccountService/RequestPasswordReset", nil, `{"address":%q}`, b.address).OK(b.t, "asking for a reset")
	next := b.sent.Text("reset password")
	form := url.Values{"newp": {next}, "newp2": {next}}.Encode()
	apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/reset/"+b.sent.Word("wrong reset token"), nil, form)
	apitest.Send(b.t, b.client, http.MethodPost, b.s.URL+"/reset/"+b.ticket("reset"), nil, form).OK(b.t, "reset")
	b.signIn(b.address, next)
}

// searchAll looks at what the program wrote, before and after it ended.
func (b *birdkeeper) searchAll() {
	t, s := b.t, b.s
	b.sent.Search(t, "the data folder of a running server", servertest.ReadFolder(t, s.Data), public)
	key, err := os.ReadFile(filepath.Join(s.Data, "root.key"))
	if err != nil {
		t.Fatal(err)
	}
	s.Stop(t)
	folder := servertest.ReadFolder(t, s.Data)
	b.sent.Search(t, "the data folder", folder, public)
	b.wantPublic(folder)
	b.sent.Add("root key", strings.TrimSpace(string(key)))
	log := []byte(s.Log.String())
	b.sent.Search(t, "the log", log)
	for _, words := range []string{"/hush.v1.AccountService/CreateAccount", "/verify/{key}", "mail"} {
		if !bytes.Contains(log, []byte(words)) {
			t.Errorf("the log: got no %s, want the lines of the requests:\n%s", words, log)
		}
	}
	index, refusals := b.sent.Index(), 0
	for _, h := range b.answers.all {
		if h.status < http.StatusBadRequest {
			continue
		}
		refusals++
		apitest.SearchFor(t, index, fmt.Sprintf("answer %d to %s", h.status, h.request), []byte(h.content), toldBack()...)
	}
	if refusals < 15 {
		t.Errorf("answers: got %d refusals, want all that were provoked", refusals)
	}
}

// wantPublic looks for what is no secret, so that the search is known to find
// what is there.
func (b *birdkeeper) wantPublic(folder []byte) {
	b.t.Helper()
	for _, c := range b.sent.List {
		if strings.HasPrefix(c.Field, public) && !bytes.Contains(folder, []byte(c.Text)) {
			b.t.Errorf("the data folder: got no %s, want it to be found", c.Field)
		}
	}
}
