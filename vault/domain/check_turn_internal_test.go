package domain

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"hush/vault/caller"
	"hush/vault/refusal"
)

// The attack: an account asks for checks of names whose DNS server answers as late as it
// may, so that other accounts get no turn, or fail their checks by waiting.
func TestCheckTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		account := func(n byte) caller.AccountID { return caller.AccountID{n} }
		network := func(n byte) caller.Network { return caller.NetworkOf(netip.AddrFrom4([4]byte{192, 0, 2, n})) }
		enter := func(what string, a, n byte, want error, wait time.Duration) (release func()) {
			t.Helper()
			start := time.Now()
			release, err := turns.enter(t.Context(), account(a), network(n))
			if err != want || time.Since(start) != wait { //nolint:errorlint // sentinels
				t.Errorf("enter(%s): got %v after %s, want %v after %s", what, err, time.Since(start), want, wait)
			}
			return release
		}
		first := enter("first", 1, 1, nil, 0)
		enter("second", 1, 2, nil, 0)
		enter("third of an account", 1, 3, refusal.ErrBusy, 0)
		enter("second of a network", 2, 1, nil, 0)
		enter("third of a network", 3, 1, refusal.ErrBusy, 0)
		first()
		first = enter("after one that ended", 1, 1, nil, 0)
		for n := byte(10); n < 10+checkTurns-3; n++ {
			enter("others", n, n, nil, 0)
		}
		enter("one more than all", 100, 100, refusal.ErrBusy, checkWait)
		time.AfterFunc(time.Second, first)
		enter("one that waits", 100, 100, nil, time.Second)
	})
}
