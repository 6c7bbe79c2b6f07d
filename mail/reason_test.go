package mail_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"hush/mail"
	"hush/mail/mailtest"
)

// The log names why no mail goes out, so that an operator knows which setting is wrong.
func TestReasons(t *testing.T) {
	t.Parallel()
	closing, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Listen: got %v, want nil", err)
	}
	t.Cleanup(func() { _ = closing.Close() })
	go func() {
		for {
			conn, err := closing.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	down := mailtest.New(t)
	down.Close()
	for _, test := range []struct {
		name   string
		server *mailtest.Server
		change func(*mail.Relay)
		step   mail.Step
		reason string
	}{
		{"no STARTTLS", mailtest.NewWith(t, mailtest.Options{NoTLS: true}), nil, mail.StepSession, "the server does not offer STARTTLS"},
		{"no AUTH", mailtest.New(t), withUser, mail.StepSession, "the server does not offer AUTH"},
		{"other AUTH", mailtest.NewWith(t, mailtest.Options{Username: "user", Password: "password", Mechanisms: []string{"GSSAPI"}}), withUser, mail.StepSession, "the server does not offer AUTH with PLAIN or LOGIN"},
		{"nothing listens", down, nil, mail.StepConnect, "the connection was refused"},
		{"no such host", mailtest.New(t), func(r *mail.Relay) { r.Host = "relay.invalid" }, mail.StepConnect, "the host name "},
		{"TLS to a plain port", mailtest.New(t), func(r *mail.Relay) { r.TLS = mail.TLSFirst }, mail.StepConnect, "the server does not answer in TLS; its port may be one for STARTTLS"},
		{"closes", mailtest.New(t), func(r *mail.Relay) { r.Port = closing.Addr().(*net.TCPAddr).Port }, mail.StepSession, "the server closed the connection"},
	} {
		relay := relayOf(test.server)
		if test.change != nil {
			test.change(&relay)
		}
		err := mustPost(t, relay).Send(t.Context(), message(mail.KindShare))
		wantFailure(t, test.name, err, test.step, 0, false)
		var failed *mail.DeliveryError
		if errors.As(err, &failed) && !strings.HasPrefix(failed.Reason, test.reason) {
			t.Errorf("%s: got the reason %q, want %q", test.name, failed.Reason, test.reason)
		}
		if err != nil && !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s: got %q, want the reason in it", test.name, err)
		}
	}
}

func withUser(r *mail.Relay) { r.Username, r.Password = "user", "password" }

// Domains go in ASCII, which every server takes. A local part outside ASCII goes to
// servers with SMTPUTF8 alone.
func TestAddressesOutsideASCII(t *testing.T) {
	t.Parallel()
	plain := mailtest.New(t)
	relay := relayOf(plain)
	relay.From = "Hush <no-reply@bücher.example>"
	m := message(mail.KindShare)
	m.To, m.ReplyTo = "ada@müller.example", "grace@größe.example"
	post := mustPost(t, relay)
	mustSend(t, post, m)
	got := plain.Wait(t, 1)[0]
	if got.From != "no-reply@xn--bcher-kva.example" || got.To[0] != "ada@xn--mller-kva.example" || got.Hello != "xn--bcher-kva.example" {
		t.Errorf("envelope: got from %q to %q by %q, want all in ASCII", got.From, got.To, got.Hello)
	}
	if head, _, _ := strings.Cut(got.Data, "\n\n"); strings.ContainsFunc(head, func(r rune) bool { return r > '~' }) {
		t.Errorf("header: got %q, want ASCII", head)
	}
	m.To = "почта@example.com"
	err := post.Send(t.Context(), m)
	wantFailure(t, "a local part outside ASCII", err, mail.StepRecipient, 0, true)
	if !errors.Is(err, mail.ErrUnsupported) || !strings.Contains(err.Error(), "SMTPUTF8") {
		t.Errorf("a local part outside ASCII: got %v, want what the server lacks", err)
	}
	m.To, m.ReplyTo = "ada@example.org", "почта@example.com"
	mustSend(t, post, m)
	if got := plain.Wait(t, 2)[1]; got.Header("Reply-To") != "" {
		t.Errorf("Reply-To: got %q, want none at a server without SMTPUTF8", got.Header("Reply-To"))
	}
	relay.From = "почта@example.com"
	err = mustPost(t, relay).Send(t.Context(), message(mail.KindShare))
	wantFailure(t, "a sender outside ASCII", err, mail.StepSender, 0, false)
}
