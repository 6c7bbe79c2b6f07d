package server

import (
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"hush/mail"
	"hush/mail/mailtest"
	"hush/vault/outbox"
	"hush/vault/refusal"
)

// Links are made of the base URL and of nothing that a request said.
func TestMailLinks(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "https", Host: "hush.example:8443"}
	const key = "0123456789abcdefghijklmnopqrstu"
	kinds := map[mail.Kind]bool{}
	for kind, want := range map[outbox.MailKind]string{
		outbox.MailShare:          "https://hush.example:8443/s#" + key,
		outbox.MailVerify:         "https://hush.example:8443/verify/" + key,
		outbox.MailReset:          "https://hush.example:8443/reset/" + key,
		outbox.MailAddress:        "https://hush.example:8443/confirm/" + key,
		outbox.MailAddressChanged: "",
		outbox.MailOpened:         "",
		outbox.MailTaken:          "",
		outbox.MailInvite:         "https://hush.example:8443/signup/" + key,
		outbox.MailSuspended:      "",
		outbox.MailAnswered:       "",
	} {
		got := messageOf(base, outbox.Mail{Kind: kind, Key: key})
		if got.Link != want {
			t.Errorf("messageOf(kind %d): got the link %q, want %q", kind, got.Link, want)
		}
		kinds[got.Kind] = true
	}
	for _, kind := range mail.Kinds() {
		if !kinds[kind] {
			t.Errorf("messageOf: got no %s, want every kind", kind)
		}
	}
	shared := messageOf(base, outbox.Mail{Kind: outbox.MailShare, Key: key, Domain: "secrets.example.com"})
	if want := "https://secrets.example.com/s#" + key; shared.Link != want {
		t.Errorf("messageOf(share on a domain): got %q, want %q", shared.Link, want)
	}
	suspended := messageOf(base, outbox.Mail{Kind: outbox.MailSuspended, Domain: "secrets.example.com"})
	if suspended.Domain != "secrets.example.com" || suspended.Link != "" {
		t.Errorf("messageOf(suspended): got %q and a link %q, want the domain alone", suspended.Domain, suspended.Link)
	}
}

func TestMailIsSent(t *testing.T) {
	t.Parallel()
	relay := mailtest.New(t)
	s := settingsOf(t, "--smtp-host", relay.Addr, "--smtp-tls=none", "--mail-from", "Hush <no-reply@hush.example>", "--instance-name=Our Hush")
	made, mistakes := newParts(t.Context(), s)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	send := sendOn(made.post, &url.URL{Scheme: "https", Host: "hush.example"}, slog.New(slog.DiscardHandler))
	m := outbox.Mail{
		Kind: outbox.MailShare, To: "to@example.com", Locale: "de", Key: "abc", Sender: "from@example.com",
		Created: time.Now(), Expires: time.Now().Add(time.Hour), ID: strings.Repeat("0", 32),
	}
	if err := send(t.Context(), m); err != nil {
		t.Fatalf("send(share): got %v, want nil", err)
	}
	got := relay.Wait(t, 1)[0]
	if link := got.Link(t); link != "https://hush.example/s#abc" || got.Header("Reply-To") != "<from@example.com>" || !strings.Contains(got.Text(), "Our Hush") {
		t.Errorf("mail: got the link %s, answers to %s and %s, want those of the settings", link, got.Header("Reply-To"), got.Text())
	}
	relay.RefuseRecipients(550, 1)
	if err := send(t.Context(), m); !errors.Is(err, refusal.ErrUndeliverable) || strings.Contains(err.Error(), "example.com") {
		t.Errorf("send to somebody unknown: got %v, want %v and no address", err, refusal.ErrUndeliverable)
	}
	if err := send(t.Context(), m); errors.Is(err, refusal.ErrUnsupportedAddress) {
		t.Errorf("send to an address in ASCII: got %v, want another cause", err)
	}
	m.To = "почта@example.com"
	if err := send(t.Context(), m); !errors.Is(err, refusal.ErrUndeliverable) || !errors.Is(err, refusal.ErrUnsupportedAddress) {
		t.Errorf("send to an address outside ASCII: got %v, want %v", err, refusal.ErrUnsupportedAddress)
	}
	m.To = "to@example.com"
	relay.RefuseRecipients(450, 1)
	if err := send(t.Context(), m); err == nil || errors.Is(err, refusal.ErrUndeliverable) {
		t.Errorf("send to a full mailbox: got %v, want an error that may pass", err)
	}
}
