package hush_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	hushv1 "hush/gen/hush/v1"
	"hush/routes/apitest"
	"hush/seal/endtoend"
	"hush/vault/vaulttest"
)

const aPassphrase = "quick otter"

// aGuardedText is a request to share a text with a passphrase.
func aGuardedText(by client.Encryption) client.ShareRequest {
	request := clienttest.Text("hunter2")
	request.Passphrase, request.Encryption = client.Hide(aPassphrase), by
	return request
}

// A server wants the passphrase of an end-to-end encrypted secret, and says that it
// is one of its own. It must get nothing.
func TestServerThatSaysAnotherKindGetsNothing(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for name, c := range map[string]struct {
		shared client.Encryption
		said   hushv1.Encryption
		want   *client.Error
	}{
		"downgrade":           {client.EncryptionEndToEnd, hushv1.Encryption_ENCRYPTION_SERVER, client.ErrAltered},
		"end-to-end, none":    {client.EncryptionEndToEnd, hushv1.Encryption_ENCRYPTION_UNSPECIFIED, client.ErrAltered},
		"server, none":        {client.EncryptionServer, hushv1.Encryption_ENCRYPTION_UNSPECIFIED, client.ErrAltered},
		"incomplete link":     {client.EncryptionServer, hushv1.Encryption_ENCRYPTION_END_TO_END, client.ErrLink},
		"of a future version": {client.EncryptionEndToEnd, 7, client.ErrAltered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDouble(t, s, map[string]lie{"GetSecret": altered(func(a *hushv1.GetSecretResponse) { a.Secret.Encryption = c.said })})
			caller := clientOf(t, d.url, client.Options{})
			link := clienttest.MustShare(t, caller, aGuardedText(c.shared)).Link
			_, err := caller.Look(t.Context(), link)
			clienttest.WantError(t, "Look", err, c.want)
			_, err = caller.Open(t.Context(), link, client.Hide(aPassphrase), client.NewClaim())
			clienttest.WantError(t, "Open", err, c.want)
			if got := d.count("RevealSecret"); got != 0 {
				t.Errorf("Open: got %d reveals, want none", got)
			}
		})
	}
}

// For an end-to-end link no request has the passphrase, the link secret, or a claim
// before the reveal.
func TestPassphraseStaysOnTheDevice(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	link, claim := clienttest.MustShare(t, c, aGuardedText(client.EncryptionDefault)).Link, client.NewClaim()
	opened, err := c.Open(t.Context(), link, client.Hide(aPassphrase), claim)
	clienttest.WantText(t, opened, err, "hunter2")
	fragment := link.Expose()[strings.Index(link.Expose(), "#")+1:]
	for rpc, bodies := range d.seen {
		for _, body := range bodies {
			for _, secret := range []string{aPassphrase, fragment[31:], "hunter2"} {
				if bytes.Contains(body, []byte(secret)) {
					t.Errorf("%s: got a request with a secret, want none", rpc)
				}
			}
		}
	}
	if got := requests[hushv1.RevealSecretRequest](t, d, "RevealSecret"); len(got) != 1 || got[0].GetPassphrase() != "" || len(got[0].GetProof()) != 32 || len(got[0].GetClaim()) != 32 {
		t.Errorf("Open: got %d reveals, want one with a proof and a claim", len(got))
	}
}

// A server changes what it returns. Nothing of it is shown, nothing is acknowledged,
// and the claim still opens what the server has.
func TestAlteredContentIsNotShown(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	honest := clientOf(t, s.URL, client.Options{})
	changes := map[string]func(t *testing.T, a *hushv1.RevealSecretResponse){
		"a bit":        func(_ *testing.T, a *hushv1.RevealSecretResponse) { a.Content[100] ^= 1 },
		"the last bit": func(_ *testing.T, a *hushv1.RevealSecretResponse) { a.Content[len(a.GetContent())-1] ^= 1 },
		"truncated": func(_ *testing.T, a *hushv1.RevealSecretResponse) {
			a.Content = a.GetContent()[:len(a.GetContent())-16]
		},
		"empty":  func(_ *testing.T, a *hushv1.RevealSecretResponse) { a.Content = nil },
		"longer": func(_ *testing.T, a *hushv1.RevealSecretResponse) { a.Content = append(a.GetContent(), 0) },
		"huge":   func(_ *testing.T, a *hushv1.RevealSecretResponse) { a.Content = make([]byte, 5<<20) },
		"a text": func(_ *testing.T, a *hushv1.RevealSecretResponse) { a.Value = "hunter3" },
		"only a text": func(_ *testing.T, a *hushv1.RevealSecretResponse) {
			a.Content, a.Value, a.Secret.Encryption = nil, "hunter3", hushv1.Encryption_ENCRYPTION_SERVER
		},
		"another key": func(_ *testing.T, a *hushv1.RevealSecretResponse) {
			a.Secret.SecretKey = "0" + a.GetSecret().GetSecretKey()[1:30] + "0"
		},
		"no secret": func(_ *testing.T, a *hushv1.RevealSecretResponse) { a.Secret = nil },
		"swapped": func(t *testing.T, a *hushv1.RevealSecretResponse) {
			t.Helper()
			d := startDouble(t, s, nil)
			other := clientOf(t, d.url, client.Options{})
			clienttest.MustShare(t, other, clienttest.Text("hunter3"))
			a.Content = requests[hushv1.ConcealSecretRequest](t, d, "ConcealSecret")[0].GetSealed().GetContent()
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDouble(t, s, map[string]lie{"RevealSecret": altered(func(a *hushv1.RevealSecretResponse) { change(t, a) })})
			link, claim := clienttest.MustShare(t, honest, clienttest.Text("hunter2")).Link, client.NewClaim()
			_, err := clientOf(t, d.url, client.Options{}).Open(t.Context(), link, client.Text{}, claim)
			clienttest.WantError(t, "Open", err, client.ErrAltered)
			if got := d.count("AcknowledgeReveal"); got != 0 {
				t.Errorf("Open: got %d acknowledgements, want none", got)
			}
			opened, err := honest.Open(t.Context(), link, client.Text{}, claim)
			clienttest.WantText(t, opened, err, "hunter2")
		})
	}
}

// A server answers without end. A client with little memory must not read on.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	endless := func(status int, contentType string) lie {
		return func(_ *double, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			for block := make([]byte, 1<<16); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}
	}
	for name, told := range map[string]lie{
		"a message": endless(http.StatusOK, "application/proto"),
		"an error":  endless(http.StatusNotFound, "application/json"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDouble(t, s, nil)
			c := clientOf(t, d.url, client.Options{})
			link := clienttest.MustShare(t, c, clienttest.Text("hunter2")).Link
			d.lie("RevealSecret", told)
			_, err := c.Open(t.Context(), link, client.Text{}, client.NewClaim())
			clienttest.WantError(t, "Open", err, client.ErrAltered)
			d.lie("GetSecret", told)
			_, err = c.Look(t.Context(), link)
			clienttest.WantError(t, "Look", err, &client.Error{Kind: client.KindFailure})
			if got := d.count("GetSecret"); got != 2 {
				t.Errorf("Look: got %d requests, want no repeat", got-1)
			}
		})
	}
}

func TestPassphrases(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{})
	for _, by := range []client.Encryption{client.EncryptionEndToEnd, client.EncryptionServer} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			link := clienttest.MustShare(t, c, aGuardedText(by)).Link
			_, err := c.Open(t.Context(), link, client.Text{}, client.NewClaim())
			if got := clienttest.WantError(t, "Open without a passphrase", err, client.ErrPassphrase); !got.Missing || got.TriesLeft != -1 {
				t.Errorf("Open without a passphrase: got %+v, want it missing", got)
			}
			_, err = c.Open(t.Context(), link, client.Hide("\xff"), client.NewClaim())
			clienttest.WantError(t, "Open with bytes", err, client.ErrUsage)
			left := 0
			for try := range 10 {
				_, err = c.Open(t.Context(), link, client.Hide("slow otter"), client.NewClaim())
				got := clienttest.WantError(t, "Open with a wrong passphrase", err, client.ErrPassphrase)
				if got.Missing || try > 0 && got.TriesLeft != left-1 {
					t.Errorf("Open, try %d: got %+v, want %d tries left", try, got, left-1)
				}
				if left = got.TriesLeft; left == 0 {
					break
				}
			}
			_, err = c.Open(t.Context(), link, client.Hide(aPassphrase), client.NewClaim())
			got := clienttest.WantError(t, "Open during the pause", err, client.ErrLocked)
			if got.RetryAfter <= 0 || got.ForGood {
				t.Errorf("Open during the pause: got %+v, want a time to wait", got)
			}
		})
	}
}

// A passphrase has the price that the format sets, for every device that shares or
// opens. Other tests pay less.
func TestPassphraseIsStretched(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	base, err := client.ParseServer(d.url)
	if err != nil {
		t.Fatal(err)
	}
	c := hush.New(base, client.Options{})
	shared := clienttest.MustShare(t, c, aGuardedText(client.EncryptionEndToEnd))
	_, fragment, _ := strings.Cut(shared.Link.Expose(), "#")
	link, err := endtoend.ParseLink(fragment)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := endtoend.Derive(link.Secret, aPassphrase)
	if err != nil {
		t.Fatal(err)
	}
	want, proof := keys.Proof().Hash(), keys.Proof()
	if got := requests[hushv1.ConcealSecretRequest](t, d, "ConcealSecret")[0].GetSealed().GetProofHash(); !bytes.Equal(got, want[:]) {
		t.Errorf("Share: got the hash of another proof than that of endtoend.Derive")
	}
	opened, err := c.Open(t.Context(), shared.Link, client.Hide(aPassphrase), client.NewClaim())
	clienttest.WantText(t, opened, err, "hunter2")
	if got := requests[hushv1.RevealSecretRequest](t, d, "RevealSecret")[0].GetProof(); !bytes.Equal(got, proof[:]) {
		t.Errorf("Open: got another proof than that of endtoend.Derive")
	}
}

// A passphrase that a secret does not have is neither sent nor used.
func TestNeedlessPassphrase(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for _, by := range []client.Encryption{client.EncryptionEndToEnd, client.EncryptionServer} {
		d := startDouble(t, s, nil)
		c := clientOf(t, d.url, client.Options{})
		request := clienttest.Text("hunter2")
		request.Encryption = by
		opened, err := c.Open(t.Context(), clienttest.MustShare(t, c, request).Link, client.Hide(aPassphrase), client.NewClaim())
		clienttest.WantText(t, opened, err, "hunter2")
		if got := requests[hushv1.RevealSecretRequest](t, d, "RevealSecret")[0].GetPassphrase(); got != "" {
			t.Errorf("Open of %v: got a request with the passphrase, want none", by)
		}
	}
}

// A mail gateway or a person changes one character of the link secret.
func TestWrongLink(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{})
	for _, passphrase := range []string{"", aPassphrase} {
		request := clienttest.Text("hunter2")
		request.Passphrase = client.Hide(passphrase)
		shared := clienttest.MustShare(t, c, request)
		wrong := changed(t, shared.Link)
		_, err := c.Open(t.Context(), wrong, client.Hide(passphrase), client.NewClaim())
		clienttest.WantError(t, "Open with a changed link", err, client.ErrLink)
		opened, err := c.Open(t.Context(), shared.Link, client.Hide(passphrase), client.NewClaim())
		clienttest.WantText(t, opened, err, "hunter2")
	}
}

// The first answers are lost: before the server did its work, or after.
func TestLostAnswersAreAskedForAgain(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for name, told := range map[string]lie{
		"cut before":  cut(false),
		"cut after":   cut(true),
		"503":         says(http.StatusServiceUnavailable, "text/plain", "no upstream"),
		"503, JSON":   says(http.StatusServiceUnavailable, "application/json", `{"message":"no upstream"}`),
		"500, broken": says(http.StatusInternalServerError, "application/json", `{"code":`),
		"a portal":    says(http.StatusOK, "text/html", "<h1>Sign in</h1>"),
		"half a 404":  says(http.StatusNotFound, "application/json", `{"code":"not_f`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDouble(t, s, nil)
			said := &notices{}
			c := clientOf(t, d.url, client.Options{Notice: said.add})
			for _, by := range []client.Encryption{client.EncryptionEndToEnd, client.EncryptionServer} {
				request := clienttest.Text("hunter2")
				request.Encryption = by
				link, claim := clienttest.MustShare(t, c, request).Link, client.NewClaim()
				d.lie("RevealSecret", first(5, told))
				d.lie("AcknowledgeReveal", first(2, told))
				before := said.count()
				opened, err := c.Open(t.Context(), link, client.Text{}, claim)
				clienttest.WantText(t, opened, err, "hunter2")
				if got := said.count() - before; got != 5 {
					t.Errorf("Open: got %d notices, want 5", got)
				}
				if err := c.Acknowledge(t.Context(), link, claim); err != nil {
					t.Errorf("Acknowledge: got %v, want no error", err)
				}
				_, err = c.Open(t.Context(), link, client.Text{}, claim)
				clienttest.WantError(t, "Open after the acknowledgement", err, client.ErrGone)
			}
		})
	}
}

// An answer is lost, and the repeat exceeds the rate limit. The secret is still the
// reader's. Without a lost answer the reader decides when to try again.
func TestLimitDuringAClaim(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	link, claim := clienttest.MustShare(t, c, clienttest.Text("hunter2")).Link, client.NewClaim()
	limited := refuses(connect.CodeResourceExhausted, "x", because(hushv1.Refusal_REASON_RATE_LIMITED), in(time.Millisecond))
	d.lie("RevealSecret", limited)
	_, err := c.Open(t.Context(), link, client.Text{}, claim)
	clienttest.WantError(t, "Open", err, client.ErrLimited)
	rest := first(3, limited)
	d.lie("RevealSecret", func(d *double, w http.ResponseWriter, r *http.Request) {
		d.lie("RevealSecret", rest)
		cut(true)(d, w, r)
	})
	opened, err := c.Open(t.Context(), link, client.Text{}, claim)
	clienttest.WantText(t, opened, err, "hunter2")
}

// Each time that a passphrase is sent may cost one of its tries. It is sent twice at
// most; after that the claim alone opens what is bound to it.
func TestPassphraseIsSentTwiceAtMost(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for _, by := range []client.Encryption{client.EncryptionEndToEnd, client.EncryptionServer} {
		for _, late := range []bool{true, false} {
			d := startDouble(t, s, nil)
			c := clientOf(t, d.url, client.Options{})
			link := clienttest.MustShare(t, c, aGuardedText(by)).Link
			d.lie("RevealSecret", first(4, cut(late)))
			opened, err := c.Open(t.Context(), link, client.Hide(aPassphrase), client.NewClaim())
			if late {
				clienttest.WantText(t, opened, err, "hunter2")
			} else {
				clienttest.WantError(t, "Open", err, client.ErrNetwork)
			}
			for i, request := range requests[hushv1.RevealSecretRequest](t, d, "RevealSecret") {
				if sent := request.GetPassphrase() != "" || len(request.GetProof()) > 0; sent != (i < 2) {
					t.Errorf("Open of %v: got a passphrase in request %d: %t", by, i, sent)
				}
			}
			if !late { // the secret waits
				opened, err := c.Open(t.Context(), link, client.Hide(aPassphrase), client.NewClaim())
				clienttest.WantText(t, opened, err, "hunter2")
			}
		}
	}
}

// The first answer is lost, and the time of the claim is over before the second.
func TestLapsedClaim(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	d.lie("RevealSecret", first(1, func(d *double, w http.ResponseWriter, r *http.Request) {
		d.ask(r)
		s.Kit.Clock.Advance(client.ClaimTime)
		s.Kit.MustLapse(t)
		cut(false)(d, w, r)
	}))
	_, err := c.Open(t.Context(), shared.Link, client.Text{}, client.NewClaim())
	got := clienttest.WantError(t, "Open", err, client.ErrLost)
	for _, said := range []string{"an answer was lost", "or another reader was faster"} {
		if !strings.Contains(got.Message, said) {
			t.Errorf("Open: got %q, want %q in it", got.Message, said)
		}
	}
	receipt, err := c.Receipt(t.Context(), shared.Receipt.Key)
	if err != nil || receipt.Delivery != client.DeliveryLapsed {
		t.Errorf("Receipt: got %v, %v, want it lapsed", receipt.Delivery, err)
	}
}

// No answer comes as long as the claim could last. What became of the secret is not
// known then, and is not said.
func TestNoAnswerWhileTheClaimLasts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testNoAnswerWhileTheClaimLasts)
}

func testNoAnswerWhileTheClaimLasts(t *testing.T) {
	t.Helper()
	s := clienttest.StartOn(t, apitest.NewNetwork())
	for _, late := range []bool{true, false} {
		d := startDouble(t, s, nil)
		c := clientOn(t, s.Network, d.url, client.Options{})
		c.ClaimsOf(200 * time.Millisecond)
		link, claim := clienttest.MustShare(t, c, clienttest.Text("hunter2")).Link, client.NewClaim()
		d.lie("RevealSecret", cut(late))
		_, err := c.Open(t.Context(), link, client.Text{}, claim)
		if got := clienttest.WantError(t, "Open", err, client.ErrNetwork); !strings.Contains(got.Message, "otherwise the secret still waits") {
			t.Errorf("Open: got %v, want both that may be", got)
		}
		d.lie("RevealSecret", nil)
		opened, err := c.Open(t.Context(), link, client.Text{}, claim)
		clienttest.WantText(t, opened, err, "hunter2")
		d.lie("AcknowledgeReveal", cut(false))
		clienttest.WantError(t, "Acknowledge", c.Acknowledge(t.Context(), link, claim), client.ErrNetwork)
		d.lie("AcknowledgeReveal", refuses(connect.CodeUnauthenticated, "x"))
		before := d.count("AcknowledgeReveal")
		clienttest.WantError(t, "Acknowledge", c.Acknowledge(t.Context(), link, claim), client.ErrUnauthorized)
		if got := d.count("AcknowledgeReveal") - before; got != 1 {
			t.Errorf("Acknowledge after a refusal: got %d calls, want one", got)
		}
	}
}

// Without a claim there is one attempt, and a lost answer is a lost secret.
func TestPlainReveal(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	opened, err := c.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
	clienttest.WantText(t, opened, err, "hunter2")
	if opened.Claimed || opened.ClaimLeft != 0 {
		t.Errorf("Open: got a claim, want none")
	}
	if err := c.Acknowledge(t.Context(), shared.Link, client.Claim{}); err != nil || d.count("AcknowledgeReveal") != 0 {
		t.Errorf("Acknowledge: got %v, %d calls, want none", err, d.count("AcknowledgeReveal"))
	}
	_, err = c.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
	clienttest.WantError(t, "Open again", err, client.ErrGone)
	d.lie("RevealSecret", cut(true))
	before := d.count("RevealSecret")
	_, err = c.Open(t.Context(), clienttest.MustShare(t, c, clienttest.Text("hunter2")).Link, client.Text{}, client.Claim{})
	clienttest.WantError(t, "Open with a lost answer", err, client.ErrLost)
	if got := d.count("RevealSecret") - before; got != 1 {
		t.Errorf("Open with a lost answer: got %d reveals, want one", got)
	}
}

// A program was killed after it sent the claim. Another run opens the same link with
// the same claim, which the server does not describe any more.
func TestResumedOpen(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for _, by := range []client.Encryption{client.EncryptionEndToEnd, client.EncryptionServer} {
		d := startDouble(t, s, map[string]lie{"RevealSecret": cut(true)})
		c := clientOf(t, d.url, client.Options{Notice: func(error, time.Duration) {}})
		link, claim := clienttest.MustShare(t, c, aGuardedText(by)).Link, client.NewClaim()
		ctx, kill := context.WithCancel(t.Context())
		d.lie("RevealSecret", func(d *double, _ http.ResponseWriter, r *http.Request) {
			d.ask(r)
			kill()
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		_, err := c.Open(ctx, link, client.Hide(aPassphrase), claim)
		if clienttest.WantError(t, "Open until it was killed", err, client.ErrNetwork); !errors.Is(err, context.Canceled) {
			t.Errorf("Open until it was killed: got %v, want its cause", err)
		}
		d.lie("RevealSecret", nil)
		_, err = c.Look(t.Context(), link)
		clienttest.WantError(t, "Look", err, client.ErrGone)
		if by == client.EncryptionEndToEnd {
			_, err = c.Open(t.Context(), link, client.Text{}, claim)
			if got := clienttest.WantError(t, "Open without the passphrase", err, client.ErrPassphrase); !got.Missing {
				t.Errorf("Open without the passphrase: got %+v, want it missing", got)
			}
			_, err = c.Open(t.Context(), link, client.Hide("slow otter"), claim)
			clienttest.WantError(t, "Open with a wrong passphrase", err, client.ErrPassphrase)
		}
		opened, err := c.Open(t.Context(), link, client.Hide(aPassphrase), claim)
		clienttest.WantText(t, opened, err, "hunter2")
		if last := requests[hushv1.RevealSecretRequest](t, d, "RevealSecret"); last[len(last)-1].GetPassphrase() != "" || len(last[len(last)-1].GetProof()) > 0 {
			t.Errorf("Open of %v: got a passphrase or a proof in the request, want the claim alone", by)
		}
	}
}
