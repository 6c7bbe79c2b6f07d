package mail_test

import (
	"strings"
	"testing"
	"time"

	"hush/locale"
	"hush/mail"
)

func TestNewPost(t *testing.T) {
	t.Parallel()
	catalogue, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	good := mail.Relay{Host: "relay.example", From: "a@hush.example"}
	for name, tt := range map[string]struct {
		change func(r *mail.Relay)
		want   string // "" is none
	}{
		"the least":              {func(*mail.Relay) {}, ""},
		"a sender with a name":   {func(r *mail.Relay) { r.From = "Hush <a@hush.example>" }, ""},
		"no host":                {func(r *mail.Relay) { r.Host = "" }, "mail host or port is not valid"},
		"a port too high":        {func(r *mail.Relay) { r.Port = 65536 }, "mail host or port is not valid"},
		"a port below zero":      {func(r *mail.Relay) { r.Port = -1 }, "mail host or port is not valid"},
		"no sender":              {func(r *mail.Relay) { r.From = "" }, "mail sender is not one address"},
		"two senders":            {func(r *mail.Relay) { r.From = "a@example.com, b@example.com" }, "mail sender is not one address"},
		"a sender without an @":  {func(r *mail.Relay) { r.From = "hush" }, "mail sender is not one address"},
		"a line in the sender":   {func(r *mail.Relay) { r.From = "a@hush.example\r\nBcc: b@example.com" }, "mail sender has an unprintable character or is too long"},
		"a line in the host":     {func(r *mail.Relay) { r.Host += "\n" }, "mail host has an unprintable character or is too long"},
		"a line in the user":     {func(r *mail.Relay) { r.Username = "u\r" }, "mail user name has an unprintable character or is too long"},
		"a line in the password": {func(r *mail.Relay) { r.Password = "p\n" }, "mail password has an unprintable character or is too long"},
		"a user alone":           {func(r *mail.Relay) { r.Username = "user" }, "mail needs both a user name and a password, or neither"},
		"a password alone":       {func(r *mail.Relay) { r.Password = "hunter2" }, "mail needs both a user name and a password, or neither"},
		"an unknown TLS":         {func(r *mail.Relay) { r.TLS = "maybe" }, "mail TLS must be starttls, tls or none"},
		"no TLS to afar":         {func(r *mail.Relay) { r.TLS = mail.TLSNone }, "mail without TLS requires a relay on the same host"},
		"no TLS to a neighbour":  {func(r *mail.Relay) { r.TLS, r.Host = mail.TLSNone, "192.0.2.1" }, "mail without TLS requires a relay on the same host"},
		"no TLS to a lookalike":  {func(r *mail.Relay) { r.TLS, r.Host = mail.TLSNone, "localhost.example" }, "mail without TLS requires a relay on the same host"},
		"no TLS at home":         {func(r *mail.Relay) { r.TLS, r.Host = mail.TLSNone, "localhost" }, ""},
		"no TLS to ::1":          {func(r *mail.Relay) { r.TLS, r.Host = mail.TLSNone, "::1" }, ""},
		"no TLS to 127.0.0.2":    {func(r *mail.Relay) { r.TLS, r.Host = mail.TLSNone, "127.0.0.2" }, ""},
		"TLS from the start":     {func(r *mail.Relay) { r.TLS = mail.TLSFirst }, ""},
		"a timeout below zero":   {func(r *mail.Relay) { r.Timeout = -time.Second }, "mail timeout is negative"},
	} {
		relay := good
		tt.change(&relay)
		_, err := mail.NewPost(relay, instance, catalogue)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("NewPost(%s): got %q, want %q", name, got, tt.want)
		}
	}
	for _, name := range []string{"", "a\nb", strings.Repeat("a", 321)} {
		if _, err := mail.NewPost(good, name, catalogue); err == nil {
			t.Errorf("NewPost(%.5q as the instance): got nil, want an error", name)
		}
	}
	if _, err := mail.NewPost(good, instance, nil); err == nil {
		t.Error("NewPost(no catalogue): got nil, want an error")
	}
}
