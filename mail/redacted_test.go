package mail_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"hush/mail"
)

// The attack: a log line or an error prints a value that holds an address, a
// link or the relay's password.
func TestNothingPrints(t *testing.T) {
	t.Parallel()
	m := message(mail.KindShare)
	relay := mail.Relay{Host: "relay.example", Username: "user-canary", Password: "password-canary", From: "from@canary.example"}
	post := mustPost(t, relay)
	canaries := []string{recipient, sender, link, "abc123", "canary"}
	for _, v := range []any{m, &m, []mail.Message{m}, map[string]mail.Message{"": m}, struct{ M mail.Message }{m}, relay, &relay, post} {
		for _, printed := range prints(t, v) {
			for _, canary := range canaries {
				if strings.Contains(printed, canary) || strings.Contains(printed, fmt.Sprintf("%x", canary)) {
					t.Errorf("printing %T: got %q, want nothing of it shown", v, printed)
				}
			}
		}
	}
}

// prints returns v in every form that code prints values in.
func prints(t *testing.T, v any) (forms []string) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%10.5v"} {
		forms = append(forms, fmt.Sprintf(verb, v))
	}
	forms = append(forms, fmt.Errorf("error of %v", v).Error())
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("Marshal(%T): %v", v, err)
	}
	var text, lines bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("x", "v", v)
	slog.New(slog.NewJSONHandler(&lines, nil)).Info("x", "v", v)
	return append(forms, string(encoded), text.String(), lines.String())
}
