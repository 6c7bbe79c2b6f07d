package signup_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

// What TestAnswersTellNoAddress counts, in time: the same question about an
// address that is free and about one that is used, in turn. It reports the
// median answer to each in microseconds and how much longer the used one
// takes, in percent of the free one.
func BenchmarkAnswersTellNoAddress(b *testing.B) {
	anybody := vaulttest.Caller(1)
	for name, ask := range map[string]func(k *vaulttest.AccountKit, address caller.Text) error{
		"signup": func(k *vaulttest.AccountKit, address caller.Text) error {
			return k.SignUp(b, address, vaulttest.OtherPassword)
		},
		"signin": func(k *vaulttest.AccountKit, address caller.Text) error {
			_, err := k.Vault.Sessions.CreateSession(b.Context(), anybody, address, "not the password", false)
			return err
		},
		"reset": func(k *vaulttest.AccountKit, address caller.Text) error {
			return k.Vault.SignUps.RequestPasswordReset(b.Context(), anybody, address)
		},
		"resend": func(k *vaulttest.AccountKit, address caller.Text) error {
			if address == atUsed {
				address = atPending
			}
			return k.Vault.SignUps.ResendVerification(b.Context(), anybody, address)
		},
	} {
		b.Run(name, func(b *testing.B) { compareAnswers(b, ask) })
	}
}

// compareAnswers asks both questions b.N times, each first in every other
// round. Passwords are hashed as in the service. Before each question the mails
// go out, what the last one left is cleared away, and time passes, so that no
// limit is reached.
func compareAnswers(b *testing.B, ask func(k *vaulttest.AccountKit, address caller.Text) error) {
	b.Helper()
	k := newStreet(b, vaulttest.Options{Passwords: seal.NewPasswordParams()})
	timed := func(took *[]time.Duration, address caller.Text) string {
		b.StopTimer()
		k.SentMails(b)
		k.Clock.Advance(9 * time.Hour) // the longest pause after wrong passwords is eight
		time.Sleep(2 * time.Millisecond)
		b.StartTimer()
		began := time.Now()
		err := ask(k, address)
		*took = append(*took, time.Since(began))
		return fmt.Sprint(err)
	}
	var free, used []time.Duration
	for i := 0; b.Loop(); i++ {
		unknown := caller.Text(fmt.Sprintf("free%d@example.com", i))
		var atUnknown, atKnown string
		if i%2 == 0 {
			atUnknown, atKnown = timed(&free, unknown), timed(&used, atUsed)
		} else {
			atKnown, atUnknown = timed(&used, atUsed), timed(&free, unknown)
		}
		if atUnknown != atKnown {
			b.Fatalf("answers: got %s for a free address and %s for a used one, want the same", atUnknown, atKnown)
		}
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
