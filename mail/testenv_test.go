package mail_test

import (
	"errors"
	"testing"
	"time"

	"hush/locale"
	"hush/mail"
	"hush/mail/mailtest"
)

const (
	recipient = "recipient@example.org"
	sender    = "sender@example.net"
	link      = "https://hush.example/secret/0123456789abcdefghijklmnopqrstu?a=1&b=2"
	instance  = "hush.example"
)

var when = time.Date(2026, 3, 4, 15, 6, 7, 0, time.FixedZone("", 2*60*60))

// message returns a message with every field.
func message(kind mail.Kind) mail.Message {
	return mail.Message{
		Kind: kind, Locale: locale.English, To: recipient, ReplyTo: sender, Link: link, Sender: sender,
		Shortkey: "abc123", Domain: "secrets.example.net", When: when, Expires: when.Add(time.Hour),
		HasPassphrase: true, ID: "id-1",
	}
}

// relayOf returns the relay that s is, by STARTTLS.
func relayOf(s *mailtest.Server) mail.Relay {
	return mail.Relay{Host: s.Host, Port: s.Port, From: "Hush <no-reply@hush.example>", CAs: s.CAs()}
}

func mustPost(t *testing.T, relay mail.Relay) *mail.Post {
	t.Helper()
	catalogue, err := locale.New()
	if err != nil {
		t.Fatalf("locale.New(): %v", err)
	}
	post, err := mail.NewPost(relay, instance, catalogue)
	if err != nil {
		t.Fatalf("NewPost(relay): %v", err)
	}
	return post
}

func mustSend(t *testing.T, post *mail.Post, m mail.Message) {
	t.Helper()
	if err := post.Send(t.Context(), m); err != nil {
		t.Fatalf("Send(%s): %v", m.Kind, err)
	}
}

// wantFailure fails the test unless err is a DeliveryError of that step and
// code, and ErrPermanent if permanent.
func wantFailure(t *testing.T, what string, err error, step mail.Step, code int, permanent bool) {
	t.Helper()
	var got *mail.DeliveryError
	if !errors.As(err, &got) {
		t.Errorf("%s: got %v, want a DeliveryError", what, err)
		return
	}
	if got.Step != step || got.Code != code || got.Permanent != permanent {
		t.Errorf("%s: got %s %d, permanent %t, want %s %d, %t", what, got.Step, got.Code, got.Permanent, step, code, permanent)
	}
	if errors.Is(err, mail.ErrPermanent) != permanent {
		t.Errorf("errors.Is(%s, ErrPermanent): got %t, want %t", what, !permanent, permanent)
	}
}
