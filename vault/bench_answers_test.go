package vault_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"hush/vault"
	"hush/vault/vaulttest"
)

// What TestAnswersTellNoAddress counts, in time: the same question about an
// address that is free and about one that is used, in turn. It reports the
// median answer to each in microseconds and how much longer the used one
// takes, in percent of the free one.
func BenchmarkAnswersTellNoAddress(b *testing.B) {
	anybody := vaulttest.Caller(1)
	for name, ask := range map[string]func(k *accountKit, address vault.Text) error{
		"signup": func(k *accountKit, address vault.Text) error { return k.signUp(b, address, otherPassword) },
		"signin": func(k *accountKit, address vault.Text) error {
			_, err := k.Vault.CreateSession(b.Context(), anybody, address, "not the password", false)
			return err
		},
		"reset": func(k *accountKit, address vault.Text) error {
			return k.Vault.RequestPasswordReset(b.Context(), anybody, address)
		},
		"resend": func(k *accountKit, address vault.Text) error {
			return k.Vault.ResendVerification(b.Context(), anybody, address)
		},
	} {
		b.Run(name, func(b *testing.B) { compareAnswers(b, ask) })
	}
}

// compareAnswers asks both questions b.N times, each first in every other
// round. Between two rounds the mails go out and time passes, so that no limit
// is reached. The kit's hashes cost next to nothing and so hide nothing.
func compareAnswers(b *testing.B, ask func(k *accountKit, address vault.Text) error) {
	b.Helper()
	k := newStreet(b, vaulttest.Options{})
	var free, used []time.Duration
	timed := func(took *[]time.Duration, address vault.Text) error {
		began := time.Now()
		err := ask(k, address)
		*took = append(*took, time.Since(began))
		return err
	}
	for i := 0; b.Loop(); i++ {
		unknown := vault.Text(fmt.Sprintf("free%d@example.com", i))
		var atUnknown, atKnown error
		if i%2 == 0 {
			atUnknown, atKnown = timed(&free, unknown), timed(&used, atUsed)
		} else {
			atKnown, atUnknown = timed(&used, atUsed), timed(&free, unknown)
		}
		b.StopTimer()
		if fmt.Sprint(atUnknown) != fmt.Sprint(atKnown) {
			b.Fatalf("answers: got %v for a free address and %v for a used one, want the same", atUnknown, atKnown)
		}
		k.mails(b)
		k.Clock.Advance(time.Hour)
		b.StartTimer()
	}
	mine, theirs := median(free), median(used)
	b.ReportMetric(float64(mine.Microseconds()), "free-µs")
	b.ReportMetric(float64(theirs.Microseconds()), "used-µs")
	b.ReportMetric(100*(float64(theirs)/float64(mine)-1), "gap-%")
}

// median sorts times and takes the one in the middle.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
