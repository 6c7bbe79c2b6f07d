package hush_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"connectrpc.com/connect"

	"hush/client"
	"hush/client/clienttest"
	hushv1 "hush/gen/hush/v1"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

func TestShareRefusesBeforeItSends(t *testing.T) {
	t.Parallel()
	text := func(change func(*client.ShareRequest)) client.ShareRequest {
		request := clienttest.Text("hunter2")
		change(&request)
		return request
	}
	byServer := client.EncryptionServer
	policies := map[string]struct {
		policy  caller.Policy
		request client.ShareRequest
		want    *client.Error
		says    string
	}{
		"maintenance":          {caller.Policy{Maintenance: "back at \x1b[2Jnoon."}, clienttest.Text("hunter2"), client.ErrRefused, "back at \ufffd[2Jnoon"},
		"no anonymous":         {caller.Policy{NoAnonymousCreate: true}, clienttest.Text("hunter2"), client.ErrUnauthorized, "only its accounts"},
		"server only":          {caller.Policy{Kinds: caller.KindsServer}, clienttest.Text("hunter2"), client.ErrRefused, "does not allow end-to-end encryption"},
		"end-to-end only":      {caller.Policy{Kinds: caller.KindsEndToEnd}, text(func(r *client.ShareRequest) { r.Encryption = byServer }), client.ErrRefused, "end-to-end encryption only"},
		"passphrase required":  {caller.Policy{PassphraseRequired: true}, clienttest.Text("hunter2"), client.ErrRefused, "requires a passphrase"},
		"passphrase too short": {caller.Policy{PassphraseMin: 12}, aGuardedText(0), client.ErrRefused, "at least 12 characters"},
	}
	for name, c := range policies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDouble(t, clienttest.Start(t, vaulttest.Options{Policy: c.policy}, nil), nil)
			_, err := clientOf(t, d.url, client.Options{}).Share(t.Context(), c.request)
			if got := clienttest.WantError(t, "Share", err, c.want); !strings.Contains(got.Message, c.says) || got.EndToEnd != (name == "server only") {
				t.Errorf("Share: got %+v, want %q", got, c.says)
			}
			if d.count("ConcealSecret") != 0 {
				t.Error("Share: got a request with the content, want none")
			}
		})
	}
	d := startDouble(t, clienttest.Start(t, vaulttest.Options{}, nil), nil)
	c := clientOf(t, d.url, client.Options{})
	long := strings.Repeat("x", 100<<10+1)
	for name, request := range map[string]client.ShareRequest{
		"nothing":             {},
		"both":                {Content: &client.Content{Bytes: []byte("x")}, Generate: &client.Generate{}},
		"empty":               clienttest.Text(""),
		"unknown encryption":  text(func(r *client.ShareRequest) { r.Encryption = 3 }),
		"lifetime":            text(func(r *client.ShareRequest) { r.TTL = -time.Second }),
		"recipients":          text(func(r *client.ShareRequest) { r.Recipients = []string{"eve@example.com"} }),
		"label":               text(func(r *client.ShareRequest) { r.Label = strings.Repeat("é", 501) }),
		"label, bytes":        text(func(r *client.ShareRequest) { r.Label = "\xff" }),
		"group":               text(func(r *client.ShareRequest) { r.Group = make([]byte, 15) }),
		"passphrase":          text(func(r *client.ShareRequest) { r.Passphrase = client.Hide(strings.Repeat("é", 129)) }),
		"passphrase, bytes":   text(func(r *client.ShareRequest) { r.Passphrase = client.Hide("\xff") }),
		"file name":           {Content: &client.Content{IsFile: true, FileName: "a/b", Bytes: []byte("x")}},
		"bytes, to a server":  {Content: &client.Content{Bytes: []byte("\xff")}, Encryption: byServer},
		"nothing to a server": {Content: &client.Content{IsFile: true}, Encryption: byServer},
		"length":              {Generate: &client.Generate{Length: 3}},
		"length, long":        {Generate: &client.Generate{Length: 129}},
	} {
		_, err := c.Share(t.Context(), request)
		clienttest.WantError(t, "Share of "+name, err, client.ErrUsage)
	}
	for _, request := range []client.ShareRequest{clienttest.Text(long), text(func(r *client.ShareRequest) { r.Content.Bytes, r.Encryption = []byte(long), byServer })} {
		_, err := c.Share(t.Context(), request)
		if got := clienttest.WantError(t, "Share of a long text", err, client.ErrRefused); !strings.Contains(got.Message, "102400") {
			t.Errorf("Share of a long text: got %v, want the limit", got)
		}
	}
	if d.count("ConcealSecret") != 0 {
		t.Error("Share: got a request with a content, want none")
	}
	clienttest.MustShare(t, c, clienttest.Text(long[1:])) // the longest one
}

func TestGenerated(t *testing.T) {
	t.Parallel()
	d := startDouble(t, clienttest.Start(t, vaulttest.Options{}, nil), nil)
	c := clientOf(t, d.url, client.Options{})
	for name, g := range map[string]client.Generate{
		"default":   {},
		"four sets": {Length: 4, Lower: true, Upper: true, Digits: true, Symbols: true},
		"digits":    {Length: 128, Digits: true, Unambiguous: true},
	} {
		for _, by := range []client.Encryption{client.EncryptionDefault, client.EncryptionServer} {
			shared := clienttest.MustShare(t, c, client.ShareRequest{Generate: &g, Encryption: by})
			value := shared.Value.Expose()
			opened, err := c.Open(t.Context(), shared.Link, client.Text{}, client.NewClaim())
			clienttest.WantText(t, opened, err, value)
			if want := max(g.Length, 4); g.Length == 0 && len(value) != 20 || g.Length > 0 && len(value) != want {
				t.Errorf("Share(%s): got %d characters, want %d", name, len(value), g.Length)
			}
			has := func(in func(rune) bool) bool { return strings.ContainsFunc(value, in) }
			isSymbol := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
			switch name {
			case "default":
				if !has(unicode.IsLower) || !has(unicode.IsUpper) || !has(unicode.IsDigit) || has(isSymbol) {
					t.Errorf("Share(%s): got %q, want letters and digits", name, value)
				}
			case "four sets":
				if !has(unicode.IsLower) || !has(unicode.IsUpper) || !has(unicode.IsDigit) || !has(isSymbol) {
					t.Errorf("Share(%s): got %q, want one of each", name, value)
				}
			case "digits":
				if strings.Trim(value, "23456789") != "" {
					t.Errorf("Share(%s): got %q, want digits that are not taken for others", name, value)
				}
			}
		}
	}
	if got := d.count("GenerateSecret"); got != 3 {
		t.Errorf("got %d texts drawn by the server, want those that it encrypts: 3", got)
	}
}

// A server that stores another kind of secret than it was sent, or returns other
// keys, must not get its link shown.
func TestShareChecksTheAnswer(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for name, change := range map[string]func(*hushv1.ConcealSecretResponse){
		"kind":            func(a *hushv1.ConcealSecretResponse) { a.Secret.Encryption = hushv1.Encryption_ENCRYPTION_SERVER },
		"kind of receipt": func(a *hushv1.ConcealSecretResponse) { a.Metadata.Encryption = hushv1.Encryption_ENCRYPTION_SERVER },
		"passphrase":      func(a *hushv1.ConcealSecretResponse) { a.Secret.HasPassphrase = true },
		"no key":          func(a *hushv1.ConcealSecretResponse) { a.Secret.SecretKey = "" },
		"a longer key":    func(a *hushv1.ConcealSecretResponse) { a.Secret.SecretKey += "a" },
		"no receipt":      func(a *hushv1.ConcealSecretResponse) { a.Metadata = nil },
		"no secret":       func(a *hushv1.ConcealSecretResponse) { a.Secret = nil },
	} {
		d := startDouble(t, s, map[string]lie{"ConcealSecret": altered(change)})
		shared, err := clientOf(t, d.url, client.Options{}).Share(t.Context(), clienttest.Text("hunter2"))
		clienttest.WantError(t, "Share: "+name, err, client.ErrAltered)
		if shared.Link.Server != "" {
			t.Errorf("Share: %s: got a link, want none", name)
		}
	}
	d := startDouble(t, s, map[string]lie{"GenerateSecret": altered(func(a *hushv1.GenerateSecretResponse) { a.Value = "" })})
	_, err := clientOf(t, d.url, client.Options{}).Share(t.Context(), client.ShareRequest{Generate: &client.Generate{}, Encryption: client.EncryptionServer})
	clienttest.WantError(t, "Share: no value", err, client.ErrAltered)
	d = startDouble(t, s, map[string]lie{"ConcealSecret": altered(func(a *hushv1.ConcealSecretResponse) { a.Secret.ShareDomain = "evil.example" })})
	_, err = clientOf(t, d.url, client.Options{}).Share(t.Context(), clienttest.Text("hunter2"))
	clienttest.WantError(t, "Share: another domain", err, client.ErrRefused)
	for _, base := range []string{"", "javascript:alert(1)", "https://a:b@evil.example", "evil.example", "//evil.example", "ftp://evil.example"} {
		d = startDouble(t, s, map[string]lie{"GetPolicy": altered(func(a *hushv1.GetPolicyResponse) { a.BaseUrl = base })})
		_, err = clientOf(t, d.url, client.Options{}).Share(t.Context(), clienttest.Text("hunter2"))
		clienttest.WantError(t, "Share: base "+base, err, &client.Error{Kind: client.KindFailure})
		if sent := requests[hushv1.ConcealSecretRequest](t, d, "ConcealSecret"); len(sent) > 0 {
			t.Errorf("Share: base %s: got %d secrets at the server, want none", base, len(sent))
		}
	}
}

// A link of an own domain leads there; its receipt stays at the server.
func TestShareOnADomain(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	request := clienttest.Text("hunter2")
	request.Domain = " Secrets.Example.com. "
	d.lie("ConcealSecret", func(d *double, w http.ResponseWriter, r *http.Request) {
		// The server does not know the domain; the double knows it.
		got := requests[hushv1.ConcealSecretRequest](t, d, "ConcealSecret")
		if domain := got[len(got)-1].GetShareDomain(); domain != "secrets.example.com" {
			t.Errorf("Share: got the domain %q in the request", domain)
		}
		refuses(5, "no", &hushv1.Refusal{Reason: hushv1.Refusal_REASON_DOMAIN_NOT_FOUND})(d, w, r)
	})
	_, err := clientOf(t, d.url, client.Options{}).Share(t.Context(), request)
	clienttest.WantError(t, "Share on an unknown domain", err, client.ErrRefused)
	d.lie("ConcealSecret", func(d *double, w http.ResponseWriter, r *http.Request) {
		altered(func(a *hushv1.ConcealSecretResponse) { a.Secret.ShareDomain = "secrets.example.com" })(d, w, withoutDomain(t, r))
	})
	shared, err := clientOf(t, d.url, client.Options{}).Share(t.Context(), request)
	if err != nil || shared.Link.Server != "https://secrets.example.com" || shared.ReceiptLink.Server != s.URL {
		t.Errorf("Share: got %s, %s, %v, want the domain and the server", shared.Link.Server, shared.ReceiptLink.Server, err)
	}
	request.Domain = "127.0.0.1" // the server's own host
	shared, err = clientOf(t, s.URL, client.Options{}).Share(t.Context(), request)
	if err != nil || shared.Link.Server != s.URL {
		t.Errorf("Share on the server's host: got %s, %v", shared.Link.Server, err)
	}
}

// A server leaves out a domain that is no public name. The link would not be the one
// that the sender wants, so that nothing may wait behind it.
func TestShareBurnsWhatLacksItsDomain(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	request := clienttest.Text("hunter2")
	request.Domain = "intranet"
	_, err := c.Share(t.Context(), request)
	if got := clienttest.WantError(t, "Share on a name that is no domain", err, client.ErrRefused); !strings.Contains(got.Message, "was burned") {
		t.Errorf("Share on a name that is no domain: got %v, want it to say that the secret was burned", got)
	}
	burned := requests[hushv1.BurnSecretRequest](t, d, "BurnSecret")
	if len(burned) != 1 {
		t.Fatalf("Share on a name that is no domain: got %d burns, want 1", len(burned))
	}
	receipt, err := c.Receipt(t.Context(), client.Hide(burned[0].GetMetadataKey()))
	if err != nil || receipt.State != client.StateBurned {
		t.Errorf("Receipt: got %s, %v, want burned", receipt.State, err)
	}
	d.lie("BurnSecret", refuses(connect.CodeUnauthenticated, "no"))
	if _, err := c.Share(t.Context(), request); err == nil || !strings.Contains(err.Error(), "waits until it expires") {
		t.Errorf("Share where burning fails: got %v, want it to say that the secret waits", err)
	}
}

// Each secret of a request that is sent again has a link secret of its own.
func TestShareIsRepeatedOnlyIfItWasNotSent(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for name, told := range map[string]lie{
		"cut before": cut(false), "cut after": cut(true),
		"503":         says(http.StatusServiceUnavailable, "text/plain", "no"),
		"unavailable": refuses(14, "no"),
	} {
		d := startDouble(t, s, map[string]lie{"ConcealSecret": told})
		_, err := clientOf(t, d.url, client.Options{}).Share(t.Context(), clienttest.Text("hunter2"))
		if got := clienttest.WantError(t, "Share: "+name, err, client.ErrNetwork); !strings.Contains(got.Message, "is not known") {
			t.Errorf("Share: %s: got %v, want what is not known", name, got)
		}
		if got := d.count("ConcealSecret"); got != 1 {
			t.Errorf("Share: %s: got %d requests, want one", name, got)
		}
	}
	d := startDouble(t, s, nil)
	var dials atomic.Int64
	var refusing atomic.Bool
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		if refusing.Load() && dials.Load() < 5 {
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	said := &notices{}
	c := clientOf(t, d.url, client.Options{HTTP: &http.Client{Transport: transport}, Notice: said.add})
	d.lie("GetPolicy", func(d *double, w http.ResponseWriter, r *http.Request) {
		refusing.Store(true)
		dials.Store(2)
		d.next.ServeHTTP(w, r)
	})
	shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	refusing.Store(false)
	opened, err := c.Open(t.Context(), shared.Link, client.Text{}, client.NewClaim())
	clienttest.WantText(t, opened, err, "hunter2")
	if said.count() != 2 || d.count("ConcealSecret") != 1 {
		t.Errorf("Share: got %d notices and %d requests, want 2 and 1", said.count(), d.count("ConcealSecret"))
	}
}

// The operator asks busy networks for a proof of work.
func TestShareWithAChallenge(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{Policy: caller.Policy{ChallengeAbove: 1}}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	for range 2 {
		for _, request := range []client.ShareRequest{clienttest.Text("hunter2"), {Generate: &client.Generate{}, Encryption: client.EncryptionServer}} {
			opened, err := c.Open(t.Context(), clienttest.MustShare(t, c, request).Link, client.Text{}, client.NewClaim())
			if err != nil || len(opened.Content.Bytes) == 0 {
				t.Errorf("Open: got %v, want no error", err)
			}
		}
	}
	if got := d.count("AltchaChallenge"); got != 3 {
		t.Errorf("Share: got %d challenges, want 3", got)
	}
	seen := map[string]bool{}
	for _, request := range requests[hushv1.ConcealSecretRequest](t, d, "ConcealSecret") {
		hash := string(request.GetSealed().GetLinkProofHash())
		if seen[hash] {
			t.Error("Share: got the same link secret again after a challenge, want another one")
		}
		seen[hash] = true
	}
	for name, change := range map[string]func(*hushv1.AltchaChallengeResponse){
		"more work":      func(a *hushv1.AltchaChallengeResponse) { a.MaxNumber = 1 << 40 },
		"no work":        func(a *hushv1.AltchaChallengeResponse) { a.MaxNumber = 0 },
		"another hash":   func(a *hushv1.AltchaChallengeResponse) { a.Algorithm = "SHA-512" },
		"a long salt":    func(a *hushv1.AltchaChallengeResponse) { a.Salt = strings.Repeat("x", 1<<20) },
		"not to be done": func(a *hushv1.AltchaChallengeResponse) { a.Challenge = strings.Repeat("0", 64) },
	} {
		d := startDouble(t, s, map[string]lie{"AltchaChallenge": altered(change)})
		_, err := clientOf(t, d.url, client.Options{}).Share(t.Context(), clienttest.Text("hunter2"))
		clienttest.WantError(t, "Share: "+name, err, client.ErrRefused)
		if got := d.count("ConcealSecret"); got != 1 {
			t.Errorf("Share: %s: got %d requests, want one", name, got)
		}
	}
}
