package connections

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is the rule without cleverness: every connection in the order in which
// it became idle, and a look at all of them for each decision.
type model struct {
	limits Limits
	conns  []*conn // all that are open
	from   map[*conn]origin
	idle   []*conn // the longest idle first
}

// victim is what has to be closed for a connection, and whether there is room.
func (m *model) victim(from origin) (*conn, bool) {
	count := map[origin]int{}
	for _, c := range m.conns {
		count[m.from[c]]++
	}
	if !from.exempt && count[from] >= m.limits.PerNetwork {
		for _, c := range m.idle {
			if m.from[c] == from {
				return c, true
			}
		}
		return nil, false
	}
	if len(m.conns) < m.limits.Total {
		return nil, true
	}
	var busiest *conn
	size := func(c *conn) int { return min(count[m.from[c]], m.limits.PerNetwork) }
	for _, c := range m.idle {
		if busiest == nil || size(c) > size(busiest) {
			busiest = c
		}
	}
	return busiest, busiest != nil
}

func (m *model) forget(c *conn) {
	m.conns, m.idle = without(m.conns, c), without(m.idle, c)
	delete(m.from, c)
}

func without(all []*conn, c *conn) []*conn {
	var left []*conn
	for _, other := range all {
		if other != c {
			left = append(left, other)
		}
	}
	return left
}

// The table decides what the plain rule decides, whatever happened before.
func TestTableFollowsTheRule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := Limits{
			Total: rapid.IntRange(1, 12).Draw(t, "total"), PerNetwork: rapid.IntRange(1, 5).Draw(t, "share"),
		}
		table, now := newTable(limits), time.Unix(1, 0)
		m := &model{limits: limits, from: map[*conn]origin{}}
		var busy []*conn
		pick := func(from []*conn) *conn { return from[rapid.IntRange(0, len(from)-1).Draw(t, "which")] }
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch step := rapid.IntRange(0, 5).Draw(t, "step"); {
			case step <= 2:
				n := rapid.IntRange(0, 3).Draw(t, "network")
				from := origin{netip.MustParsePrefix(fmt.Sprintf("192.0.2.%d/32", n)), n == 0}
				c := &conn{}
				want, room := m.victim(from)
				got, ok := table.admit(c, from, now)
				if got != want || ok != room {
					t.Fatalf("admit(%v): got %p and %t, want %p and %t", from, got, ok, want, room)
				}
				if got != nil {
					m.forget(got)
				}
				if ok {
					m.conns, m.idle = append(m.conns, c), append(m.idle, c)
					m.from[c] = from
				}
			case step == 3 && len(m.idle) > 0:
				c := pick(m.idle)
				table.busy(c)
				m.idle, busy = without(m.idle, c), append(busy, c)
			case step == 4 && len(busy) > 0:
				c := pick(busy)
				busy = without(busy, c)
				if rapid.Bool().Draw(t, "served") {
					table.serve(c)
				}
				table.rest(c, now)
				now = now.Add(grace)
				table.settle(now)
				m.idle = append(m.idle, c)
			case step == 5 && len(m.conns) > 0:
				c := pick(m.conns)
				busy = without(busy, c)
				table.remove(c)
				table.remove(c) // a connection may be closed twice
				table.busy(c)
				table.rest(c, now)
				m.forget(c)
			}
			if table.count != len(m.conns) {
				t.Fatalf("count: got %d, want %d", table.count, len(m.conns))
			}
			unserved := len(m.conns) - len(slices.DeleteFunc(slices.Clone(m.conns), func(c *conn) bool { return !c.served }))
			if table.unserved != unserved {
				t.Fatalf("unserved: got %d, want %d", table.unserved, unserved)
			}
		}
		for _, c := range m.conns {
			table.remove(c)
		}
		if table.count != 0 || table.unserved != 0 || len(table.networks) != 0 || len(table.ranks) != 0 || table.resting.first != nil {
			t.Fatalf("empty table: got %d connections, %d networks, %d ranked, want nothing kept",
				table.count, len(table.networks), len(table.ranks))
		}
	})
}

// BenchmarkAdmit accepts at the total, each connection from a network of its
// own, which is the worst case.
func BenchmarkAdmit(b *testing.B) {
	table, now := newTable(Limits{Total: 4096, PerNetwork: 256}), time.Unix(1, 0)
	for i := range b.N {
		addr := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		table.admit(&conn{}, origin{prefix: netip.PrefixFrom(addr, 32)}, now)
	}
}

// An attacker opens many requests, closes the connection and comes again. The
// handlers of the first requests may be running still, so they count.
func TestRequestsOutliveTheirConnection(t *testing.T) {
	t.Parallel()
	table := newTable(Limits{Total: 9, PerNetwork: 9, Requests: 9, RequestsPerNetwork: 1})
	from, first, second := origin{prefix: netip.MustParsePrefix("192.0.2.1/32")}, &conn{}, &conn{}
	table.admit(first, from, time.Unix(1, 0))
	n := first.network
	if got := table.begin(n); got != placeServed {
		t.Fatalf("begin(first request): got place %d, want it served", got)
	}
	table.remove(first)
	table.admit(second, from, time.Unix(1, 0))
	if got := table.begin(second.network); got != placeRefused {
		t.Errorf("begin(another request): got place %d, want the running one counted", got)
	}
	if got := table.begin(second.network); got != placeNone {
		t.Errorf("begin(a third request): got place %d, want the refusal counted, too", got)
	}
	table.remove(second)
	table.end(n, placeRefused)
	table.end(n, placeServed)
	if len(table.networks) != 0 {
		t.Errorf("networks: got %d, want none kept", len(table.networks))
	}
}
