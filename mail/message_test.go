package mail_test

import (
	"strings"
	"testing"
	"time"

	"hush/mail"
	"hush/mail/mailtest"
)

// The attack: a value with a line break ends its header and begins one of the
// attacker's, such as Bcc, or ends an SMTP command and begins another.
func TestInjection(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	post := mustPost(t, relayOf(s))
	fields := map[string]func(m *mail.Message) *string{
		"Kind":     func(m *mail.Message) *string { return (*string)(&m.Kind) },
		"To":       func(m *mail.Message) *string { return &m.To },
		"ReplyTo":  func(m *mail.Message) *string { return &m.ReplyTo },
		"Link":     func(m *mail.Message) *string { return &m.Link },
		"Sender":   func(m *mail.Message) *string { return &m.Sender },
		"Shortkey": func(m *mail.Message) *string { return &m.Shortkey },
		"Domain":   func(m *mail.Message) *string { return &m.Domain },
		"ID":       func(m *mail.Message) *string { return &m.ID },
	}
	for name, field := range fields {
		for _, bad := range []string{"\r\nBcc: x@example.com", "\nBcc: x@example.com", "\r", "\x00", "\u2028", "\u202e", "\u0085", "\xff"} {
			for _, kind := range mail.Kinds() {
				m := message(kind)
				*field(&m) += bad
				err := post.Send(t.Context(), m)
				wantFailure(t, name+" with a line break", err, mail.StepMessage, 0, true)
				if err != nil && strings.Contains(err.Error(), "@") {
					t.Errorf("Send: got %q, want no value in it", err)
				}
			}
		}
	}
	m := message(mail.KindShare)
	m.Locale = "de\r\nBcc: x@example.com"
	mustSend(t, post, m)
	if got := s.Wait(t, 1); len(got) != 1 || got[0].Header("Bcc") != "" || got[0].Headers()["Bcc"] != 0 {
		t.Errorf("messages: got %d, want only the one of a locale that nobody knows", len(got))
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	post := mustPost(t, relayOf(s))
	for name, change := range map[string]func(m *mail.Message){
		"no kind":          func(m *mail.Message) { m.Kind = "" },
		"no recipient":     func(m *mail.Message) { m.To = "" },
		"a name":           func(m *mail.Message) { m.To = "Me <me@example.com>" },
		"brackets":         func(m *mail.Message) { m.To = "<me@example.com>" },
		"two recipients":   func(m *mail.Message) { m.To = "a@example.com, b@example.com" },
		"a group":          func(m *mail.Message) { m.To = "g: a@example.com;" },
		"a comment":        func(m *mail.Message) { m.To = "a@example.com (b)" },
		"no domain":        func(m *mail.Message) { m.To = "me" },
		"a space":          func(m *mail.Message) { m.To = " me@example.com" },
		"too long":         func(m *mail.Message) { m.To = strings.Repeat("a", 255-len("@example.com")) + "@example.com" },
		"a bad reply-to":   func(m *mail.Message) { m.ReplyTo = "me" },
		"no link":          func(m *mail.Message) { m.Link = "" },
		"a script":         func(m *mail.Message) { m.Link = "javascript:alert(1)" },
		"a relative link":  func(m *mail.Message) { m.Link = "/secret/abc" },
		"a link in quotes": func(m *mail.Message) { m.Link = `https://example.com/"` },
		"a space in link":  func(m *mail.Message) { m.Link = "https://example.com/a b" },
		"a user in link":   func(m *mail.Message) { m.Link = "https://hush.example@example.com/" },
		"a long link":      func(m *mail.Message) { m.Link = "https://example.com/" + strings.Repeat("a", 2048) },
		"a long sender":    func(m *mail.Message) { m.Sender = strings.Repeat("a", 321) },
		"an id with an @":  func(m *mail.Message) { m.ID = "a@b" },
		"an id with dots":  func(m *mail.Message) { m.ID = "a..b" },
		"a long id":        func(m *mail.Message) { m.ID = strings.Repeat("a", 129) },
	} {
		m := message(mail.KindReset)
		change(&m)
		wantFailure(t, name, post.Send(t.Context(), m), mail.StepMessage, 0, true)
	}
	for kind, change := range map[mail.Kind]func(m *mail.Message){
		mail.KindOpened:    func(m *mail.Message) { m.When = time.Time{} },
		mail.KindAnswered:  func(m *mail.Message) { m.When = time.Time{} },
		mail.KindSuspended: func(m *mail.Message) { m.Domain = "" },
		mail.KindShare:     func(m *mail.Message) { m.Link = "" },
		mail.KindInvite:    func(m *mail.Message) { m.Link = "" },
		mail.KindVerify:    func(m *mail.Message) { m.Link = "" },
		mail.KindAddress:   func(m *mail.Message) { m.Link = "" },
	} {
		m := message(kind)
		change(&m)
		wantFailure(t, "a field too few of "+string(kind), post.Send(t.Context(), m), mail.StepMessage, 0, true)
	}
	if got := len(s.Messages()) + s.Connections(); got != 0 {
		t.Errorf("relay: got %d messages and connections, want none", got)
	}
}

func TestUnusualAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ to, params string }{
		{"a.b+c@sub.example.technology", "BODY=8BITMIME"},
		{`"john doe"@example.com`, "BODY=8BITMIME"},
		{"o'hara@example.com", "BODY=8BITMIME"},
		{"почта@example.com", "BODY=8BITMIME SMTPUTF8"},
	} {
		s := mailtest.NewWith(t, mailtest.Options{Extensions: []string{"SMTPUTF8"}})
		m := message(mail.KindVerify)
		m.To = tt.to
		mustSend(t, mustPost(t, relayOf(s)), m)
		if got := s.Wait(t, 1)[0]; got.To[0] != tt.to || got.Params != tt.params {
			t.Errorf("Send to %s: got %q with %q, want %q", tt.to, got.To, got.Params, tt.params)
		}
	}
}
