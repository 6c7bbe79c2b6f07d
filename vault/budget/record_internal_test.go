package budget

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/recordtest"
)

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenBudget(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "budget-v1", Record: recordtest.Moment(5), Encoded: encodeFull(recordtest.Moment(5)), Decode: func(b []byte) (any, error) { return decodeFull(b) }},
	})
}

func FuzzDecodeBudget(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		full, err := decodeFull(data)
		return encodeFull(full), err
	}, "budget-v1")
}

// An attacker with a /48 of addresses creates a budget with each.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	m, rate := NewMemory(func() time.Time { return now }), Rate{Calls: 1000, In: 20 * time.Minute}
	take := func(addr string, calls int) time.Duration {
		wait, err := m.Take(t.Context(), Key{Network: caller.NetworkOf(netip.MustParseAddr(addr))}, rate, calls)
		if err != nil {
			t.Fatalf("Take(%s): got %v, want nil", addr, err)
		}
		return wait
	}
	const exhausted = "2001:db8:ffff:ffff::"
	for i := range 2*most + 10 {
		if i == most/2 {
			now = now.Add(rate.In) // the budgets so far are full again
		}
		if i == most-1 {
			take(exhausted, rate.Calls)
		}
		take(fmt.Sprintf("2001:db8:%x:%x::", i>>16, i&0xffff), 1)
		if i == most && take(exhausted, 1) == 0 {
			t.Error("Take for an exhausted network after full budgets were forgotten: got no wait, want it to be remembered")
		}
	}
	if len(m.full) > most {
		t.Errorf("budgets: got %d, want at most %d", len(m.full), most)
	}
}

// A clock that went back, or a store from another machine, must not lock a
// network out for longer than its period.
func TestBudgetFarAhead(t *testing.T) {
	t.Parallel()
	now, rate := recordtest.Moment(0), Rate{Calls: 10, In: time.Hour}
	if next, wait := rate.spend(now.Add(24*time.Hour), now, 1); wait != 6*time.Minute {
		t.Errorf("spend(full a day ahead): got %v and %s to wait, want %s", next, wait, 6*time.Minute)
	}
}
