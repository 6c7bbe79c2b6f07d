package connections

import (
	"io"
	"net"
	"net/netip"
	"testing"
	"time"
)

// hall is a table with room for one lingering connection of a network and for
// two in all.
type hall struct {
	table

	now time.Time
}

func newHall(total, share int) *hall {
	h := &hall{table: newTable(Limits{Total: total, PerNetwork: share}), now: time.Unix(1, 0)}
	h.mostLingering, h.shareLingering = 2, 1
	return h
}

// enter admits a connection that has served a request or not, and fails the test
// unless want is closed for it.
func (h *hall) enter(t *testing.T, name, addr string, served bool, want *conn) *conn {
	t.Helper()
	c := &conn{half: new(net.TCPConn)}
	from := origin{prefix: netip.MustParsePrefix(addr + "/32")}
	if closed, ok := h.admit(c, from, h.now); closed != want || !ok {
		t.Fatalf("%s: got %p closed and %t, want %p", name, closed, ok, want)
	}
	if served {
		h.busy(c)
		h.serve(c)
		h.rest(c, h.now)
		h.now = h.now.Add(grace)
		h.settle(h.now)
	}
	return c
}

func (h *hall) refuse(t *testing.T, name, addr string) {
	t.Helper()
	from := origin{prefix: netip.MustParsePrefix(addr + "/32")}
	if closed, ok := h.admit(&conn{}, from, h.now); closed != nil || ok {
		t.Fatalf("%s: got %p closed and %t, want it refused", name, closed, ok)
	}
}

// One network has a part of what lingers, however little that is.
func TestLingeringShare(t *testing.T) {
	t.Parallel()
	for lingering, want := range map[int]int{0: 64, 1024: 64, 794: 49, 26: 1, 13: 1} {
		if got := newTable(Limits{Lingering: lingering}).shareLingering; got != want {
			t.Errorf("newTable(lingering %d): got %d of one network, want %d", lingering, got, want)
		}
	}
}

// A network's own connections wait until one of it has lingered, or take the
// place of one that has served nothing. None is cut off.
func TestLingeringOfANetwork(t *testing.T) {
	t.Parallel()
	h := newHall(9, 2)
	first := h.enter(t, "the first", "192.0.2.1", true, nil)
	second := h.enter(t, "the second", "192.0.2.1", true, nil)
	silent := h.enter(t, "the third", "192.0.2.1", false, first)
	if !first.evicted || h.lingering != 1 {
		t.Fatalf("the first: got %t and %d lingering, want it to linger", first.evicted, h.lingering)
	}
	third := h.enter(t, "the fourth, while the longest idle cannot linger", "192.0.2.1", true, silent)
	if silent.evicted {
		t.Error("one that served no request: got it lingering, want it closed at once")
	}
	h.refuse(t, "the fifth, while all have served", "192.0.2.1")
	h.enter(t, "another network's", "192.0.2.2", true, nil)
	h.lingered(first)
	h.enter(t, "the fifth, when one has lingered", "192.0.2.1", true, second)
	h.lingered(second)
	h.enter(t, "the sixth", "192.0.2.1", true, third)
}

// Where the total is used up, the busiest network gives a connection in any
// case, or it would keep the others out: one that has served nothing if it can,
// or else the longest idle.
func TestLingeringOfAll(t *testing.T) {
	t.Parallel()
	h := newHall(3, 3)
	first := h.enter(t, "the first", "192.0.2.1", true, nil)
	second := h.enter(t, "the second", "192.0.2.1", true, nil)
	silent := h.enter(t, "the third", "192.0.2.1", false, nil)
	h.enter(t, "a newcomer", "192.0.2.2", true, first)
	h.enter(t, "one while the longest idle cannot linger", "192.0.2.3", true, silent)
	h.now = h.now.Add(time.Second)
	for _, c := range []*conn{first, silent} {
		if c.evicted != (c == first) {
			t.Errorf("evicted: got %t lingering, want %t", c.evicted, c == first)
		}
	}
	h.shareLingering, h.mostLingering = 9, 1
	h.enter(t, "one while none can linger", "192.0.2.4", true, second)
	if second.evicted || h.lingering != 1 {
		t.Errorf("the longest idle: got %t and %d lingering, want it cut off", second.evicted, h.lingering)
	}
	h.lingered(first)
	if len(h.networks) != 3 || h.lingering != 0 {
		t.Errorf("networks: got %d and %d lingering, want those of the three connections", len(h.networks), h.lingering)
	}
}

// A client neither reads nor closes. It has its place no more, and what is left
// of its connection ends with the listener. What the server does to the
// connection is for nothing.
func TestLingeringEndsWithTheListener(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(inner, Limits{Total: 1, PerNetwork: 1, Requests: 1, RequestsPerNetwork: 1})
	accept := func() (client net.Conn, server *conn) {
		t.Helper()
		client, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		got, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { got.Close() })
		return client, got.(*conn)
	}
	client, first := accept()
	n, place := l.begin(first)
	l.end(n, place)
	accept()
	if got, err := io.ReadAll(client); len(got) != 0 || err != nil {
		t.Errorf("evicted connection: got %q and %v, want its end", got, err)
	}
	if err := first.SetDeadline(time.Unix(1, 0)); err != nil {
		t.Errorf("SetDeadline: got %v, want no error", err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("Close: got %v, want no error", err)
	}
	l.mu.Lock()
	if l.table.lingering != 1 || len(l.linger) != 1 {
		t.Errorf("before the listener is closed: got %d lingering, want one", l.table.lingering)
	}
	l.mu.Unlock()
	if err := l.Close(); err != nil {
		t.Errorf("Listener.Close: got %v, want no error", err)
	}
	if l.table.lingering != 0 {
		t.Errorf("after the listener was closed: got %d lingering, want none", l.table.lingering)
	}
	if _, err := first.Conn.Write([]byte("x")); err == nil {
		t.Error("evicted connection after the listener was closed: got it open, want it closed")
	}
}
