package hush_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

func TestPolicy(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{Policy: caller.Policy{PassphraseMin: 8, NoAnonymousCreate: true, Kinds: caller.KindsEndToEnd}}, func(o *handlers.Options) {
		o.Instance.Name = "Hush of Ada"
	})
	limits := s.Kit.Vault.Limits()
	want := client.Policy{
		Name: "Hush of Ada", BaseURL: s.URL, DefaultTTL: limits.DefaultTTL, MaxTTL: limits.AnonymousTTL, MaxContent: limits.AnonymousSecret,
		MaxSealed: caller.SealedSize(limits.AnonymousSecret), MaxFile: limits.AnonymousFile, PassphraseMin: 8, EndToEnd: true,
	}
	got, err := clientOf(t, s.URL, client.Options{}).Policy(t.Context())
	if err != nil || got != want {
		t.Errorf("Policy: got %+v, %v, want %+v", got, err, want)
	}
	want.MaxTTL, want.MaxContent = limits.AccountTTL, limits.AccountSecret
	want.MaxSealed, want.MaxFile = caller.SealedSize(limits.AccountSecret), limits.AccountFile
	got, err = clientOf(t, s.URL, client.Options{Token: s.Token(t, caller.ScopesAll)}).Policy(t.Context())
	if err != nil || got != want {
		t.Errorf("Policy for an account: got %+v, %v, want %+v", got, err, want)
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	got, err := clientOf(t, s.URL, client.Options{Token: s.Token(t, caller.ScopeConceal)}).Account(t.Context())
	if err != nil || got.Address != clienttest.Address {
		t.Errorf("Account: got %q, %v, want %q", got.Address, err, clienttest.Address)
	}
	_, err = clientOf(t, d.url, client.Options{}).Account(t.Context())
	if clienttest.WantError(t, "Account without a token", err, client.ErrUnauthorized); d.count("Authcheck") != 0 {
		t.Error("Account without a token: got a call, want none")
	}
	wrong := clientOf(t, d.url, client.Options{Token: client.Hide("0123456789abcdef0123456789abcdef01234567")})
	_, err = wrong.Account(t.Context())
	clienttest.WantError(t, "Account of a wrong token", err, client.ErrUnauthorized)
	_, err = wrong.Share(t.Context(), clienttest.Text("hunter2"))
	clienttest.WantError(t, "Share with a wrong token", err, client.ErrUnauthorized)
	_, err = clientOf(t, s.URL, client.Options{Token: s.Token(t, caller.ScopeMetadata)}).Share(t.Context(), clienttest.Text("hunter2"))
	clienttest.WantError(t, "Share with a narrow token", err, client.ErrUnauthorized)
}

// There are more receipts than a page has.
func TestReceiptsOfAnAccount(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	token := s.Token(t, caller.ScopesAll)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{Token: token})
	for range c.Receipts(t.Context()) {
		t.Error("Receipts of a new account: got one, want none")
	}
	const all = 103
	for i := range all {
		request := clienttest.Text("hunter2")
		request.Label, request.Encryption = strconv.Itoa(i), client.EncryptionServer
		clienttest.MustShare(t, c, request)
		s.Kit.Clock.Advance(time.Second)
	}
	next := all
	for receipt, err := range c.Receipts(t.Context()) {
		if next--; err != nil || receipt.Label != strconv.Itoa(next) || receipt.State != client.StateWaiting || receipt.ShortID == "" {
			t.Fatalf("Receipts: got %+v, %v, want the label %d", receipt, err, next)
		}
	}
	if next != 0 {
		t.Errorf("Receipts: got %d of %d", all-next, all)
	}
	before := d.count("ListMetadata")
	for range c.Receipts(t.Context()) {
		break
	}
	if got := d.count("ListMetadata") - before; got != 1 {
		t.Errorf("Receipts, one of them: got %d pages, want one", got)
	}
	d.lie("ListMetadata", altered(func(a *hushv1.ListMetadataResponse) { a.SealedCount, a.NextPageToken = 2, "" }))
	var last client.Receipt
	for receipt, err := range c.Receipts(t.Context()) {
		if last = receipt; err != nil {
			t.Errorf("Receipts: got %v, want no error", err)
		}
	}
	if last.Sealed != 2 || last.State != client.StateUnknown {
		t.Errorf("Receipts: got %+v at the end, want 2 that cannot be read", last)
	}
	d.lie("ListMetadata", refuses(5, "x"))
	for _, c := range []*hush.Client{c, clientOf(t, s.URL, client.Options{})} {
		count := 0
		for _, err := range c.Receipts(t.Context()) {
			if count++; err == nil || count > 1 {
				t.Errorf("Receipts: got %v as item %d, want one error", err, count)
			}
		}
	}
}

// The answer to a burn is lost. Burning again says that the secret is gone, and the
// receipt says why.
func TestLostBurn(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	shared := clienttest.MustShare(t, c, aGuardedText(client.EncryptionServer))
	d.lie("BurnSecret", first(1, cut(true)))
	receipt, err := c.Burn(t.Context(), shared.Receipt.Key, client.Text{})
	if err != nil || receipt.State != client.StateBurned {
		t.Errorf("Burn: got %v, %v, want it burned", receipt.State, err)
	}
	// Another one is opened before the second call.
	shared = clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	d.lie("BurnSecret", first(1, func(d *double, w http.ResponseWriter, r *http.Request) {
		if _, err := c.Open(r.Context(), shared.Link, client.Text{}, client.Claim{}); err != nil {
			t.Error(err)
		}
		cut(false)(d, w, r)
	}))
	_, err = c.Burn(t.Context(), shared.Receipt.Key, client.Text{})
	clienttest.WantError(t, "Burn of an opened secret", err, client.ErrGone)
}

func TestEndsOfSecrets(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{})
	shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	request := clienttest.Text("hunter2")
	request.TTL = time.Minute
	short := clienttest.MustShare(t, c, request)
	s.Kit.Clock.Advance(90 * time.Second)
	s.Kit.MustSweep(t)
	receipt, err := c.Receipt(t.Context(), short.Receipt.Key)
	if err != nil || receipt.State != client.StateExpired || !receipt.Ended.Equal(receipt.Expires) || !receipt.IsFinal() {
		t.Errorf("Receipt: got %+v, %v, want it expired", receipt, err)
	}
	if _, err = c.Open(t.Context(), shared.Link, client.Text{}, client.Claim{}); err != nil {
		t.Fatal(err)
	}
	s.Kit.Clock.Advance(client.ClaimTime + time.Minute)
	receipt, err = c.Receipt(t.Context(), shared.Receipt.Key)
	if err != nil || receipt.State != client.StateOpened || receipt.Delivery != client.DeliveryUnknown || !receipt.IsFinal() {
		t.Errorf("Receipt: got %+v, %v, want it opened without a claim", receipt, err)
	}
	_, err = c.Burn(t.Context(), shared.Receipt.Key, client.Text{})
	clienttest.WantError(t, "Burn of an opened secret", err, client.ErrGone)
}

// A server writes what a terminal would obey into a receipt.
func TestReceiptsAreSafeToPrint(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	shared := clienttest.MustShare(t, clientOf(t, s.URL, client.Options{}), clienttest.Text("hunter2"))
	const bad = "\x1b]0;x\a"
	d := startDouble(t, s, map[string]lie{
		"GetMetadata": altered(func(a *hushv1.GetMetadataResponse) {
			m := a.GetMetadata()
			m.MetadataKey, m.ShareDomain, m.Recipients = bad+m.GetMetadataKey(), bad, []string{bad}
			m.Deliveries = []*hushv1.Delivery{{Recipient: bad, State: 99}}
			m.Events = append(m.GetEvents(), &hushv1.Event{Kind: 99}, &hushv1.Event{Kind: hushv1.Event_KIND_LOOKED, Network: bad})
		}),
		"Authcheck": altered(func(a *hushv1.AuthcheckResponse) { a.Custid = bad }),
	})
	c := clientOf(t, d.url, client.Options{Token: s.Token(t, caller.ScopesAll)})
	receipt, err := c.Receipt(t.Context(), shared.Receipt.Key)
	if err != nil {
		t.Fatal(err)
	}
	d.lie("GetMetadata", altered(func(a *hushv1.GetMetadataResponse) { a.Metadata = nil }))
	_, err = c.Receipt(t.Context(), shared.Receipt.Key)
	clienttest.WantError(t, "Receipt without one", err, client.ErrProtocol)
	account, err := c.Account(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v %+v", receipt, account); strings.ContainsAny(text, "\x1b\a") || len(receipt.Events) != 2 {
		t.Errorf("Receipt: got %q", text)
	}
}
