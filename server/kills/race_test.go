package kills_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"hush/routes/apitest"
	"hush/server/servertest"
)

// Thirty-two recipients of one link press the button at the same moment, over
// every protocol. One of them gets the secret; if two did, neither would know
// that the other read it.
func TestRace(t *testing.T) {
	const readers, lanes = 32, 4
	secrets := servertest.Fewer(servertest.InTier(60, 1000))
	s := servertest.Start(t, "--rate-limits=off")
	drivers := servertest.AllDrivers(t, s, nil)
	kept := concealMany(t, drivers, secrets)
	var shown, next atomic.Int64
	var lane sync.WaitGroup
	for range lanes {
		lane.Go(func() {
			for i := int(next.Add(1)) - 1; i < secrets; i = int(next.Add(1)) - 1 {
				shown.Add(int64(raceFor(t, drivers, kept[i], i, readers)))
			}
		})
	}
	lane.Wait()
	if int(shown.Load()) != secrets {
		t.Errorf("%d reveals of each of %d secrets: got %d plaintexts, want %d", readers, secrets, shown.Load(), secrets)
	}
	for i, k := range kept {
		if got := drivers[i%len(drivers)].Metadata(t.Context(), k.MetadataKey); got.State != "received" {
			t.Errorf("metadata of secret %d: got %s %q (%s), want received", i, got.Outcome, got.State, got.Text)
		}
	}
}

func raceText(i int) string { return fmt.Sprintf("secret number %d", i) }

// concealMany conceals many secrets, over all drivers in turn.
func concealMany(t *testing.T, drivers []apitest.Driver, secrets int) []apitest.Answer {
	t.Helper()
	kept := make([]apitest.Answer, secrets)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range 32 {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < secrets; i = int(next.Add(1)) - 1 {
				d := drivers[i%len(drivers)]
				kept[i] = d.Conceal(t.Context(), apitest.Terms{Secret: raceText(i)}).Want(t, d.Name()+" conceal", apitest.OutcomeOK)
			}
		})
	}
	wait.Wait()
	return kept
}

// raceFor lets readers go for one secret together and returns how many of them
// were shown a plaintext.
func raceFor(t *testing.T, drivers []apitest.Driver, kept apitest.Answer, number, readers int) int {
	t.Helper()
	answers := make([]apitest.Answer, readers)
	start := make(chan struct{})
	var wait sync.WaitGroup
	for reader := range readers {
		d := drivers[(number+reader)%len(drivers)]
		wait.Go(func() {
			<-start
			answers[reader] = d.Reveal(t.Context(), kept.SecretKey, "")
		})
	}
	close(start)
	wait.Wait()
	shown := 0
	for reader, got := range answers {
		call := fmt.Sprintf("%s reveal of secret %d", drivers[(number+reader)%len(drivers)].Name(), number)
		if got.Outcome != apitest.OutcomeOK {
			got.Want(t, call, apitest.OutcomeUnknown)
			continue
		}
		shown++
		got.WantValue(t, call, raceText(number))
	}
	if shown != 1 {
		t.Errorf("%d reveals of secret %d: got %d plaintexts, want 1", readers, number, shown)
	}
	return shown
}
