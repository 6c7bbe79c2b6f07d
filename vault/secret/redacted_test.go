package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/place"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: a log line, an error or a debugger's dump prints a value that
// holds a secret. Each way of printing is tried on each type, by value and by
// pointer.
func TestNothingPrints(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	addr := netip.MustParseAddr("203.0.113.77")
	c := caller.Caller{Network: caller.NetworkOf(addr)}
	kept := k.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{Passphrase: vaulttest.Passphrase})
	memo, err := k.Vault.Receipts.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), "memo-canary")
	vaulttest.Want(t, "UpdateMemo(key)", err, nil)
	revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), c, kept.Secret.Key.Expose(), secret.Opening{Passphrase: vaulttest.Passphrase})
	vaulttest.Want(t, "RevealSecret(key)", err, nil)
	vaulttest.Want(t, "memo holds its key", memo.Secret != nil, true)

	canaries := []string{
		vaulttest.Plaintext, vaulttest.Passphrase, "memo-canary", kept.Secret.Key.Expose()[6:], kept.Metadata.Key.Expose()[6:],
		addr.String(), "cb00714d", "CB00714D", fmt.Sprint(uint64(0xffff_cb00_714d)),
	}
	text, terms := caller.Text(vaulttest.Plaintext), secret.Terms{Passphrase: vaulttest.Passphrase, TTL: new(time.Hour)}
	for _, v := range []any{
		// Text is not for keys of maps: encoding/json writes those as they are.
		text, &text, []caller.Text{text}, map[string]caller.Text{"": text}, struct{ T caller.Text }{text},
		memo, &memo, kept, &kept, kept.Secret, &kept.Secret, revealed, &revealed, terms, &terms, c, &c, c.Network, &c.Network,
		place.Places{},
	} {
		for _, printed := range prints(t, v) {
			for _, canary := range canaries {
				for _, form := range vaulttest.Spellings(canary) {
					if strings.Contains(printed, form) {
						t.Errorf("printing %T: got %q, want nothing of it shown", v, printed)
					}
				}
			}
		}
	}
}

// prints returns v in every form that code prints values in.
func prints(t *testing.T, v any) (forms []string) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%#x", "%d", "%10.5v", "%t", "%c"} {
		forms = append(forms, fmt.Sprintf(verb, v))
	}
	forms = append(forms, fmt.Sprint(v), fmt.Sprintln(v), fmt.Errorf("with %v", v).Error())
	if encoded, err := json.Marshal(v); err == nil {
		forms = append(forms, string(encoded))
	}
	var log bytes.Buffer
	opts := &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, opts), slog.NewJSONHandler(&log, opts)} {
		slog.New(handler).Info("message", "value", v, slog.Group("group", "value", v))
	}
	return append(forms, log.String())
}

// The attack: read the log at its most talkative, while everything happens and
// half of it fails.
func TestLogsTellNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	k := vaulttest.New(t, vaulttest.Options{
		Manual: true, Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	c := vaulttest.Caller(77)
	var canaries []string
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	for _, terms := range []secret.Terms{{}, {Passphrase: vaulttest.Passphrase}, {TTL: new(time.Minute)}} {
		kept := k.MustConceal(t, c, vaulttest.Plaintext, terms)
		canaries = append(canaries, kept.Secret.Key.Expose(), kept.Metadata.Key.Expose())
		_, err := k.Vault.Receipts.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), "memo-canary")
		note(err)
		undo := vaulttest.FlipShare(t, k, vaulttest.SlotOf(t, k, kept.Secret.Key))
		note(vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), "wrong-canary"))
		note(vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), vaulttest.Passphrase))
		undo()
		undo = replaceSecret(t, k, kept, []byte("damaged"))
		note(vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), vaulttest.Passphrase))
		undo()
		note(vaulttest.RevealErr(t, k, c, kept.Metadata.Key.Expose(), vaulttest.Passphrase))
		if terms.TTL == nil {
			k.MustReveal(t, c, kept.Secret.Key, terms.Passphrase)
		}
	}
	k.Clock.Advance(24 * time.Hour)
	k.MustSweep(t)
	k.Reopen(t)
	k.MustReclaim(t)
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, caller.Text(strings.Repeat(vaulttest.Plaintext, 1<<16)), secret.Terms{})
	note(err)
	said := log.String() + fmt.Sprint(errs)
	vaulttest.Want(t, "the log says something", log.Len() > 0, true)
	for _, canary := range append(canaries, vaulttest.Plaintext, vaulttest.Passphrase, "memo-canary", "wrong-canary", "198.18.0.77", "damaged\"") {
		for _, form := range vaulttest.Spellings(canary) {
			vaulttest.Want(t, "log or errors hold a canary", strings.Contains(said, form), false)
		}
	}
}
