package people

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"hush/cli/command"
	"hush/client"
)

// sequence yields receipts.
func sequence(receipts ...client.Receipt) iter.Seq2[client.Receipt, error] {
	return func(yield func(client.Receipt, error) bool) {
		for _, r := range receipts {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// The exit code of a wait is all that a script sees of what became of a secret.
func TestFollowEndsWithTheOutcome(t *testing.T) {
	t.Parallel()
	waits := client.Receipt{State: client.StateWaiting, ShortID: "abcdefgh"}
	ended := func(state client.State, delivery client.Delivery) client.Receipt {
		return client.Receipt{State: state, Delivery: delivery, ShortID: "abcdefgh"}
	}
	for name, c := range map[string]struct {
		last client.Receipt
		code int
		said string
	}{
		"opened":    {ended(client.StateOpened, client.DeliveryUnknown), command.ExitOK, "opened\n"},
		"delivered": {ended(client.StateOpened, client.DeliveryConfirmed), command.ExitOK, "delivered: opened"},
		"lapsed":    {ended(client.StateOpened, client.DeliveryLapsed), command.ExitGone, "lapsed: opened"},
		"burned":    {ended(client.StateBurned, client.DeliveryUnknown), command.ExitGone, "burned\n"},
		"expired":   {ended(client.StateExpired, client.DeliveryUnknown), command.ExitGone, "expired\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := receiptView{to: &out}.follow(t.Context(), sequence(waits, waits, c.last))
			if got := exitCodeIn(err); got != c.code {
				t.Errorf("follow: got exit code %d from %v, want %d", got, err, c.code)
			}
			if got, want := out.String(), "waiting\n"+c.said; !strings.HasPrefix(got, want) {
				t.Errorf("follow: got %q, want %q", got, want)
			}
		})
	}
}

// exitCodeIn returns the exit code of an error, and -1 for one without.
func exitCodeIn(err error) int {
	if err == nil {
		return command.ExitOK
	}
	if exit, ok := errors.AsType[*command.ExitError](err); ok {
		return exit.Code
	}
	return -1
}

func TestFollowPrintsObjects(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	waits := client.Receipt{Key: client.Hide("key"), State: client.StateWaiting, ShortID: "abcdefgh", Label: "a\x1b[31m", TTL: time.Hour, Created: noon()}
	done := waits
	done.State, done.Delivery, done.Ended = client.StateOpened, client.DeliveryConfirmed, noon()
	if err := (receiptView{to: &out, asJSON: true}).follow(t.Context(), sequence(waits, waits, done)); err != nil {
		t.Fatalf("follow: got %v, want no error", err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("follow: got %d lines, want 2:\n%s", len(lines), &out)
	}
	for i, want := range []receiptJSON{newReceiptJSON(waits), newReceiptJSON(done)} {
		encoded, err := json.Marshal(want)
		if err != nil || lines[i] != string(encoded) {
			t.Errorf("line %d: got %s and %v, want %s", i, lines[i], err, encoded)
		}
	}
	if strings.ContainsAny(out.String(), "\x1b") || strings.Contains(out.String(), `"key"`) {
		t.Errorf("follow: got %q, want no escapes and no key of the receipt", &out)
	}
}

// The receipts of a group are followed at the same time, and named.
func TestFollowSeveral(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	first := client.Receipt{State: client.StateOpened, ShortID: "firstone"}
	second := client.Receipt{State: client.StateBurned, ShortID: "second\x1b1"}
	err := receiptView{to: &out}.follow(t.Context(), sequence(first), sequence(second))
	if got := exitCodeIn(err); got != command.ExitGone {
		t.Errorf("follow: got exit code %d, want %d", got, command.ExitGone)
	}
	for _, want := range []string{"firstone  opened\n", "second�1  burned\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("follow: got %q, want %q in it", &out, want)
		}
	}
}

func TestFollowIsBrokenOff(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	waits := func(yield func(client.Receipt, error) bool) {
		if yield(client.Receipt{State: client.StateWaiting}, nil) {
			cancel()
			yield(client.Receipt{}, ctx.Err())
		}
	}
	err := receiptView{to: &bytes.Buffer{}}.follow(ctx, waits)
	if err == nil || err.Error() != "interrupted; the secret still waits" {
		t.Errorf("follow, broken off: got %v, want it to say that the secret still waits", err)
	}
}

func TestFollowReturnsErrors(t *testing.T) {
	t.Parallel()
	wrong := errors.New("disk full")
	fails := func(yield func(client.Receipt, error) bool) { yield(client.Receipt{}, wrong) }
	if err := (receiptView{to: &bytes.Buffer{}}).follow(t.Context(), fails); !errors.Is(err, wrong) {
		t.Errorf("follow: got %v, want %v", err, wrong)
	}
}

// A terminal has one line, which fits: a longer one would stay when it is redrawn.
func TestLineIsRedrawn(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := &liveLine{to: &out, terminal: true, width: func() int { return 10 }}
	l.draw("123456789")
	l.draw("")
	l.draw("1234567890")
	if err := l.keep("gone"); err != nil {
		t.Fatal(err)
	}
	l.end()
	l.draw("waits")
	l.end()
	want := clearLine + "123456789" + clearLine + "12345678…" + clearLine + "gone\n" + clearLine + "waits\n"
	if got := out.String(); got != want {
		t.Errorf("line: got %q, want %q", got, want)
	}
}
