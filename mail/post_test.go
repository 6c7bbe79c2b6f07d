package mail_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hush/mail"
	"hush/mail/mailtest"
)

func TestStartTLS(t *testing.T) {
	t.Parallel()
	s := mailtest.NewWith(t, mailtest.Options{RequireTLS: true})
	mustSend(t, mustPost(t, relayOf(s)), message(mail.KindShare))
	if got := s.Wait(t, 1)[0]; !got.TLS {
		t.Error("Send: got the message in the clear, want it in TLS")
	}
}

func TestImplicitTLS(t *testing.T) {
	t.Parallel()
	s := mailtest.NewWith(t, mailtest.Options{ImplicitTLS: true})
	relay := relayOf(s)
	relay.TLS, relay.Host = mail.TLSFirst, "localhost"
	mustSend(t, mustPost(t, relay), message(mail.KindShare))
	if got := s.Wait(t, 1)[0]; !got.TLS {
		t.Error("Send: got the message in the clear, want it in TLS")
	}
}

// The attack: a host on the way to the relay answers in its place, with a
// certificate of its own or without the offer of TLS.
func TestImpostors(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{mail.TLSStart, mail.TLSFirst} {
		s := mailtest.NewWith(t, mailtest.Options{ImplicitTLS: mode == mail.TLSFirst})
		relay := relayOf(s)
		relay.TLS, relay.CAs = mode, mailtest.New(t).CAs()
		err := mustPost(t, relay).Send(t.Context(), message(mail.KindShare))
		wantFailure(t, mode+" with the CAs of another", err, mail.StepCertificate, 0, false)
		if got := len(s.Messages()); got != 0 {
			t.Errorf("Send by %s: got %d messages at the impostor, want none", mode, got)
		}
	}
	plain := mailtest.NewWith(t, mailtest.Options{NoTLS: true})
	err := mustPost(t, relayOf(plain)).Send(t.Context(), message(mail.KindShare))
	wantFailure(t, "a relay without STARTTLS", err, mail.StepSession, 0, false)
	if got := len(plain.Messages()); got != 0 {
		t.Errorf("Send without STARTTLS: got %d messages, want none", got)
	}
}

func TestNoTLS(t *testing.T) {
	t.Parallel()
	s := mailtest.NewWith(t, mailtest.Options{NoTLS: true, Username: "user", Password: "password"})
	relay := relayOf(s)
	relay.TLS, relay.Username, relay.Password = mail.TLSNone, "user", "password"
	mustSend(t, mustPost(t, relay), message(mail.KindShare))
	if got := s.Wait(t, 1)[0]; got.TLS || got.User != "user" {
		t.Errorf("Send: got TLS %t and the user %q, want user in the clear", got.TLS, got.User)
	}
}

func TestAuth(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{"PLAIN", "LOGIN"} {
		for _, first := range []bool{false, true} {
			s := mailtest.NewWith(t, mailtest.Options{
				RequireTLS: true, ImplicitTLS: first,
				Username: "user", Password: "password", Mechanisms: []string{mechanism},
			})
			relay := relayOf(s)
			relay.Username, relay.Password = "user", "password"
			if first {
				relay.TLS = mail.TLSFirst
			}
			mustSend(t, mustPost(t, relay), message(mail.KindShare))
			if got := s.Wait(t, 1)[0].User; got != "user" {
				t.Errorf("Send by %s: got the user %q, want user", mechanism, got)
			}
			relay.Password = "passwort"
			err := mustPost(t, relay).Send(t.Context(), message(mail.KindShare))
			wantFailure(t, "a wrong password by "+mechanism, err, mail.StepSession, 535, false)
			relay.Username, relay.Password = "", ""
			err = mustPost(t, relay).Send(t.Context(), message(mail.KindShare))
			wantFailure(t, "no password", err, mail.StepSender, 530, false)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		command   string
		code      int
		step      mail.Step
		permanent bool
	}{
		{"RCPT", 550, mail.StepRecipient, true},
		{"RCPT", 554, mail.StepRecipient, true},
		{"RCPT", 450, mail.StepRecipient, false},
		{"RCPT", 421, mail.StepRecipient, false},
		{"RCPT", 530, mail.StepRecipient, false},
		{".", 554, mail.StepContent, true},
		{".", 451, mail.StepContent, false},
		{"DATA", 554, mail.StepContent, true},
		{"MAIL", 550, mail.StepSender, false},
		{"MAIL", 452, mail.StepSender, false},
		{"EHLO", 421, mail.StepSession, false},
		{"STARTTLS", 454, mail.StepSession, false},
		{"", 554, mail.StepSession, false},
	} {
		s := mailtest.New(t)
		s.Refuse(tt.command, tt.code, 1)
		if tt.command == "EHLO" {
			s.Refuse("HELO", tt.code, 1)
		}
		post := mustPost(t, relayOf(s))
		err := post.Send(t.Context(), message(mail.KindShare))
		wantFailure(t, "refusal of "+tt.command, err, tt.step, tt.code, tt.permanent)
		wantNothingTold(t, err)
		mustSend(t, post, message(mail.KindShare))
		if got := len(s.Wait(t, 1)); got != 1 {
			t.Errorf("after the refusal of %s: got %d messages, want 1", tt.command, got)
		}
	}
}

// wantNothingTold fails the test if err repeats what the message or the server
// said, anywhere in it.
func wantNothingTold(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		for _, part := range []string{"@", "example", "refused:", link, "abc123", "127.0.0.1"} {
			if strings.Contains(err.Error(), part) {
				t.Errorf("error: got %q, want no %s in it", err, part)
			}
		}
	}
}

// A relay that takes the message and then misbehaves has taken it: a second try
// would be a second message.
func TestTakenIsTaken(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	s.Refuse("QUIT", 421, 1)
	post := mustPost(t, relayOf(s))
	mustSend(t, post, message(mail.KindShare))
	s.Hang("QUIT")
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error)
	go func() { sent <- post.Send(ctx, message(mail.KindShare)) }()
	s.Wait(t, 2)
	cancel()
	if err := <-sent; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Send to a relay that does not say goodbye: got %v, want nil or the end of the context", err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	s.Close()
	err := mustPost(t, relayOf(s)).Send(t.Context(), message(mail.KindShare))
	wantFailure(t, "a relay that is down", err, mail.StepConnect, 0, false)
	wantNothingTold(t, err)
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "EHLO", "STARTTLS", "MAIL", "RCPT", "DATA", "."} {
		t.Run("hangs at "+command, func(t *testing.T) {
			t.Parallel()
			s := mailtest.New(t)
			s.Hang(command)
			relay := relayOf(s)
			relay.Timeout = 50 * time.Millisecond
			err := mustPost(t, relay).Send(t.Context(), message(mail.KindShare))
			if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, mail.ErrPermanent) {
				t.Errorf("Send past the relay's timeout: got %v, want the deadline", err)
			}
			wantNothingTold(t, err)
		})
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	s.Hang("RCPT")
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error)
	post := mustPost(t, relayOf(s))
	go func() { sent <- post.Send(ctx, message(mail.KindShare)) }()
	for s.Connections() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-sent; !errors.Is(err, context.Canceled) {
		t.Errorf("Send: got %v, want it canceled", err)
	}
	if err := post.Send(ctx, message(mail.KindShare)); !errors.Is(err, context.Canceled) {
		t.Errorf("Send with a context that is over: got %v, want it canceled", err)
	}
}

// A session that fails to begin leaves no connection behind.
func TestHangsUp(t *testing.T) {
	t.Parallel()
	s := mailtest.NewWith(t, mailtest.Options{NoTLS: true})
	post := mustPost(t, relayOf(s))
	for range 5 {
		if err := post.Send(t.Context(), message(mail.KindShare)); err == nil {
			t.Error("Send without STARTTLS: got nil, want an error")
		}
	}
	for s.Connections() > 0 { // the server learns of it in its own time
		time.Sleep(time.Millisecond)
	}
}
