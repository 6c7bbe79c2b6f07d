package onetime_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/otstest"
)

const (
	aToken   = "0123456789abcdef0123456789abcdef01234567"
	aCanary  = "canary-3f9c in the coal mine"
	aPhrase  = "correct horse battery"
	anOrigin = "https://secrets.example.com"
)

// foreign is a double, and a client that speaks a protocol to it.
type foreign struct {
	*otstest.Server
	*client.Client

	release  otstest.Release
	protocol client.Protocol
}

// withAccount returns options with an account of every double.
func withAccount(options client.Options) client.Options {
	options.Username, options.Token = clienttest.Address, client.Hide(aToken)
	return options
}

func newForeign(t *testing.T, protocol client.Protocol, setup otstest.Options, options client.Options) *foreign {
	t.Helper()
	setup.Accounts = map[string]string{clienttest.Address: aToken}
	s := otstest.Start(t, setup)
	options.Protocol = protocol
	return &foreign{Server: s, Client: clientOf(t, s.URL, options), release: setup.Release, protocol: protocol}
}

// onAll runs a test with each release and each protocol that it has.
func onAll(t *testing.T, test func(t *testing.T, release otstest.Release, protocol client.Protocol)) {
	t.Helper()
	for _, release := range otstest.Releases() {
		for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
			if protocol == client.ProtocolV2 && !release.HasV2() {
				continue
			}
			t.Run(fmt.Sprint(release, " ", protocol), func(t *testing.T) {
				t.Parallel()
				test(t, release, protocol)
			})
		}
	}
}

// heard are the waits before calls that a client repeats.
type heard struct {
	mu    sync.Mutex
	waits []time.Duration
	text  string
}

func (h *heard) note(err error, wait time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waits, h.text = append(h.waits, wait), h.text+err.Error()+"\n"
}

func (h *heard) list() []time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.waits)
}

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestShareAndOpen(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		f := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		text := " Straße & <b> %41;+=\r\n\tend " + aCanary + "\n"
		request := clienttest.Text(text)
		request.TTL = time.Hour
		shared := clienttest.MustShare(t, f.Client, request)
		key := shared.Link.Key.Expose()
		if got, want := shared.Link.Expose(), f.URL+"/secret/"+key; got != want {
			t.Errorf("Link: got %s, want %s", got, want)
		}
		if got, want := shared.ReceiptLink.Expose(), f.URL+"/private/"+shared.Receipt.Key.Expose(); got != want {
			t.Errorf("ReceiptLink: got %s, want %s", got, want)
		}
		if held, _, waits := f.Held(key); !waits || held != text {
			t.Errorf("the server has %q, want %q", held, text)
		}
		wantNewReceipt(t, "Share", shared.Receipt, client.StateWaiting, time.Hour)
		if !shared.Value.IsEmpty() {
			t.Error("Share(text): got a value, want none")
		}
		link := clienttest.Parsed(t, shared.Link)
		opened, err := f.Open(t.Context(), link, client.Text{}, client.NewClaim())
		clienttest.WantText(t, opened, err, text)
		if opened.Claimed || opened.Incomplete || opened.Content.IsFile {
			t.Errorf("Open: got %+v, want neither a claim nor a file", opened)
		}
		if err := f.Acknowledge(t.Context(), link, client.NewClaim()); err != nil {
			t.Errorf("Acknowledge: got %v, want no error", err)
		}
		_, err = f.Open(t.Context(), link, client.Text{}, client.Claim{})
		clienttest.WantError(t, "Open again", err, client.ErrGone)
		receipt, err := f.Receipt(t.Context(), shared.Receipt.Key)
		if err != nil {
			t.Fatalf("Receipt: got %v, want no error", err)
		}
		wantEnded(t, receipt, client.StateOpened)
		if receipt.Domain != "" {
			t.Errorf("Receipt: got the domain %q, want none", receipt.Domain)
		}
	})
}

// wantNewReceipt checks what every release says of a secret that was just shared.
func wantNewReceipt(t *testing.T, what string, r client.Receipt, state client.State, ttl time.Duration) {
	t.Helper()
	if r.State != state || r.TTL != ttl || r.Encryption != client.EncryptionServer || len(r.ShortID) != 8 ||
		r.ShortID != r.Key.Expose()[:8] || r.Created.IsZero() || !r.Expires.Equal(r.Created.Add(ttl)) || !r.Ended.IsZero() {
		t.Errorf("%s: got %+v, want a secret that is %v for %v", what, r, state, ttl)
	}
}

func wantEnded(t *testing.T, r client.Receipt, state client.State) {
	t.Helper()
	if r.State != state || time.Since(r.Ended).Abs() > time.Minute || r.HasPassphrase || !r.IsFinal() {
		t.Errorf("Receipt: got %v at %v, want it %v now", r.State, r.Ended, state)
	}
}

func TestPassphrase(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		f := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		request := clienttest.Text(aCanary)
		request.Passphrase = client.Hide(aPhrase)
		shared := clienttest.MustShare(t, f.Client, request)
		if !shared.Receipt.HasPassphrase {
			t.Error("Share: got a receipt without a passphrase")
		}
		secret, err := f.Look(t.Context(), shared.Link)
		if known := protocol == client.ProtocolV2; err != nil || secret.Known != known || secret.HasPassphrase != known {
			t.Errorf("Look: got %+v, %v, want Known %v", secret, err, known)
		}
		for _, phrase := range []string{"", "wrong"} {
			_, err := f.Open(t.Context(), shared.Link, client.Hide(phrase), client.Claim{})
			if protocol == client.ProtocolV1 {
				may := map[string]string{"": "it needs a passphrase", "wrong": "the passphrase is wrong"}[phrase]
				if got := clienttest.WantError(t, "Open", err, client.ErrGone); !strings.Contains(got.Message, may) {
					t.Errorf("Open(%q): got %q, want %q", phrase, got.Message, may)
				}
				continue
			}
			got := clienttest.WantError(t, "Open", err, client.ErrPassphrase)
			if got.Missing != (phrase == "") || got.TriesLeft != -1 {
				t.Errorf("Open(%q): got %+v", phrase, got)
			}
		}
		_, err = f.Burn(t.Context(), shared.Receipt.Key, client.Hide("wrong"))
		clienttest.WantError(t, "Burn with a wrong passphrase", err, client.ErrPassphrase)
		_, err = f.Burn(t.Context(), shared.Receipt.Key, client.Text{})
		if got := clienttest.WantError(t, "Burn without a passphrase", err, client.ErrPassphrase); !got.Missing {
			t.Errorf("Burn without a passphrase: got %+v, want Missing", got)
		}
		opened, err := f.Open(t.Context(), shared.Link, client.Hide(aPhrase), client.Claim{})
		clienttest.WantText(t, opened, err, aCanary)
	})
}

func TestBurn(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		f := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		request := clienttest.Text(aCanary)
		request.Passphrase = client.Hide(aPhrase)
		shared := clienttest.MustShare(t, f.Client, request)
		receipt, err := f.Burn(t.Context(), shared.Receipt.Key, client.Hide(aPhrase))
		if err != nil {
			t.Fatalf("Burn: got %v, want no error", err)
		}
		wantEnded(t, receipt, client.StateBurned)
		again, err := f.Receipt(t.Context(), shared.Receipt.Key)
		if err != nil {
			t.Fatalf("Receipt: got %v, want no error", err)
		}
		wantEnded(t, again, client.StateBurned)
		_, err = f.Burn(t.Context(), shared.Receipt.Key, client.Hide(aPhrase))
		clienttest.WantError(t, "Burn again", err, client.ErrGone)
		if protocol == client.ProtocolV2 {
			_, err = f.Look(t.Context(), shared.Link)
			clienttest.WantError(t, "Look", err, client.ErrGone)
		}
		_, err = f.Receipt(t.Context(), client.Hide(strings.Repeat("x", 31)))
		clienttest.WantError(t, "Receipt of an unknown key", err, client.ErrGone)
		_, err = f.Burn(t.Context(), client.Hide(strings.Repeat("x", 31)), client.Text{})
		clienttest.WantError(t, "Burn of an unknown key", err, client.ErrGone)
	})
}

// The oldest releases leave an expired secret in the state that it had.
func TestExpired(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		c := &clock{time.Now().Add(-time.Hour)}
		f := newForeign(t, protocol, otstest.Options{Release: release, Now: c.now}, withAccount(client.Options{}))
		request := clienttest.Text(aCanary)
		request.TTL = 50 * time.Minute
		shared := clienttest.MustShare(t, f.Client, request)
		c.at = time.Now()
		receipt, err := f.Receipt(t.Context(), shared.Receipt.Key)
		if err != nil || receipt.State != client.StateExpired || !receipt.IsFinal() {
			t.Errorf("Receipt: got %v, %v, want it expired", receipt.State, err)
		}
		for listed, err := range f.Receipts(t.Context()) {
			if err != nil || listed.State != client.StateExpired || !listed.Ended.Equal(listed.Expires) {
				t.Errorf("Receipts: got %v at %v, %v, want it expired", listed.State, listed.Ended, err)
			}
		}
		_, err = f.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
		clienttest.WantError(t, "Open", err, client.ErrGone)
	})
}

// The clock of the server is not that of this device.
func TestOtherClock(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		for _, away := range []time.Duration{-1000 * time.Hour, 1000 * time.Hour} {
			c := &clock{time.Now().Add(away)}
			f := newForeign(t, protocol, otstest.Options{Release: release, Now: c.now}, withAccount(client.Options{}))
			shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
			receipt, err := f.Receipt(t.Context(), shared.Receipt.Key)
			if err != nil || receipt.State != client.StateWaiting {
				t.Errorf("Receipt: got %v, %v, want it waiting", receipt.State, err)
			}
			for receipt, err := range f.Receipts(t.Context()) {
				if err != nil || receipt.State != client.StateWaiting {
					t.Errorf("Receipts: got %v, %v, want it waiting", receipt.State, err)
				}
			}
			burned, err := f.Burn(t.Context(), shared.Receipt.Key, client.Text{})
			if err != nil || c.at.Sub(burned.Ended).Abs() > time.Minute {
				t.Errorf("Burn: got %v, %v, want %v", burned.Ended, err, c.at)
			}
		}
	})
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		c := &clock{time.Now().Add(-time.Minute)}
		f := newForeign(t, protocol, otstest.Options{Release: release, Now: c.now}, withAccount(client.Options{}))
		var want []string
		for i := range 3 {
			shared := clienttest.MustShare(t, f.Client, clienttest.Text(fmt.Sprint(aCanary, i)))
			want = append(want, shared.Receipt.Key.Expose())
			c.at = c.at.Add(time.Second)
		}
		slices.Reverse(want)
		var got []string
		for receipt, err := range f.Receipts(t.Context()) {
			if err != nil {
				t.Fatalf("Receipts: got %v, want no error", err)
			}
			if receipt.State != client.StateWaiting {
				t.Errorf("Receipts: got %v, want it waiting", receipt.State)
			}
			got = append(got, receipt.Key.Expose())
		}
		if !slices.Equal(got, want) {
			t.Errorf("Receipts: got %v, want %v, newest first", got, want)
		}
	})
}

func TestAccount(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		guest := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		_, err := guest.Account(t.Context())
		clienttest.WantError(t, "Account without a token", err, client.ErrUnauthorized)
		for _, err := range guest.Receipts(t.Context()) {
			clienttest.WantError(t, "Receipts without a token", err, client.ErrUnauthorized)
		}
		if len(guest.Calls()) != 0 {
			t.Errorf("without a token: got the calls %v, want none", guest.Calls())
		}
		// The server compares addresses as they are written.
		owner := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{
			Username: " Ada@Example.com", Token: client.Hide(aToken),
		})
		account, err := owner.Account(t.Context())
		if err != nil || account.Address != clienttest.Address {
			t.Errorf("Account: got %+v, %v, want %s", account, err, clienttest.Address)
		}
		for what, options := range map[string]client.Options{
			"wrong token":   {Username: clienttest.Address, Token: client.Hide("0000")},
			"wrong address": {Username: "eve@example.com", Token: client.Hide(aToken)},
		} {
			f := newForeign(t, protocol, otstest.Options{Release: release}, options)
			_, err := f.Account(t.Context())
			clienttest.WantError(t, "Account with a "+what, err, client.ErrUnauthorized)
			_, err = f.Share(t.Context(), clienttest.Text(aCanary))
			clienttest.WantError(t, "Share with a "+what, err, client.ErrUnauthorized)
		}
		// Half of the credentials is none: it is not sent.
		for _, options := range []client.Options{{Username: clienttest.Address}, {Token: client.Hide(aToken)}} {
			f := newForeign(t, protocol, otstest.Options{Release: release}, options)
			clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
			for _, call := range f.Calls() {
				if call.User != "" {
					t.Errorf("Share with half of the credentials: got the user %q, want none", call.User)
				}
			}
		}
	})
}

func TestTTL(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, test := range []struct {
		release   otstest.Release
		ask, want time.Duration
	}{
		{otstest.ReleaseREF, 0, 7 * day},
		{otstest.ReleaseREF, time.Second, 5 * time.Minute},
		{otstest.ReleaseREF, time.Millisecond, 5 * time.Minute}, // none would be the longest
		{otstest.ReleaseREF, 30 * day, 7 * day},
		{otstest.Release0205, time.Minute, 5 * time.Minute},
		{otstest.Release0205, 0, 7 * day},
		{otstest.Release0266, time.Second, time.Minute},
		{otstest.Release0266, time.Nanosecond, time.Minute},
		{otstest.Release0266, 30 * day, 7 * day},
	} {
		for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
			f := newForeign(t, protocol, otstest.Options{Release: test.release}, client.Options{})
			request := clienttest.Text(aCanary)
			request.TTL = test.ask
			shared := clienttest.MustShare(t, f.Client, request)
			if shared.Receipt.TTL != test.want {
				t.Errorf("%v %v: Share(TTL %v): got %v, want %v", test.release, protocol, test.ask, shared.Receipt.TTL, test.want)
			}
		}
	}
}

// The generator of some releases can be guessed.
func TestGeneratesOnTheDevice(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		f := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		shared := clienttest.MustShare(t, f.Client, client.ShareRequest{Generate: &client.Generate{Length: 40, Digits: true}})
		value := shared.Value.Expose()
		if len(value) != 40 || strings.Trim(value, "0123456789") != "" {
			t.Errorf("Share(Generate): got %q, want 40 digits", value)
		}
		opened, err := f.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
		clienttest.WantText(t, opened, err, value)
		for _, call := range f.Calls() {
			if strings.Contains(call.Path, "generate") {
				t.Errorf("Share(Generate): got the call %s", call.Path)
			}
		}
	})
}

func TestRecipientAndDomain(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		setup := otstest.Options{Release: release, Domains: []string{"secrets.example.com"}}
		f := newForeign(t, protocol, setup, withAccount(client.Options{}))
		request := clienttest.Text(aCanary)
		request.Recipients, request.Domain = []string{"friend@example.com"}, "Secrets.Example.com"
		shared := clienttest.MustShare(t, f.Client, request)
		if got := shared.Receipt.Recipients; !slices.Equal(got, []string{"fr*****@e*****.com"}) {
			t.Errorf("Recipients: got %q", got)
		}
		if shared.Link.Server != anOrigin || shared.ReceiptLink.Server != f.URL || shared.Receipt.Domain != "secrets.example.com" {
			t.Errorf("Share: got the servers %s and %s, want that of the domain for the link", shared.Link.Server, shared.ReceiptLink.Server)
		}
		if receipt, err := f.Receipt(t.Context(), shared.Receipt.Key); err != nil || receipt.Domain != "secrets.example.com" {
			t.Errorf("Receipt: got the domain %q, %v, want that of the link", receipt.Domain, err)
		}
		// An address that the server leaves out without a word gets no mail.
		request.Recipients = []string{"friend@foo.technology"}
		_, err := f.Share(t.Context(), request)
		clienttest.WantError(t, "Share to an address that is left out", err, client.ErrRefused)
		request.Recipients, request.Domain = nil, "elsewhere.example.com"
		_, err = f.Share(t.Context(), request)
		clienttest.WantError(t, "Share on the domain of others", err, client.ErrRefused)
		if f.Waiting() != 1 {
			t.Errorf("got %d waiting secrets, want only the first", f.Waiting())
		}
	})
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		guest, err := clientOf(t, "https://ots.example", client.Options{Protocol: protocol}).Policy(t.Context())
		if err != nil || guest.EndToEnd || !guest.Server || !guest.AnonymousShare || guest.Mail ||
			guest.MaxTTL != 7*24*time.Hour || guest.MaxContent != 100_000 || guest.BaseURL != "https://ots.example" {
			t.Errorf("Policy: got %+v, %v", guest, err)
		}
		owner, err := clientOf(t, "https://ots.example", withAccount(client.Options{Protocol: protocol})).Policy(t.Context())
		if err != nil || !owner.Mail || owner.MaxTTL != 0 || owner.MaxContent != 1_000_000 {
			t.Errorf("Policy with an account: got %+v, %v", owner, err)
		}
	}
}
