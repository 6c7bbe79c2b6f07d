package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/miekg/dns"

	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/testtier"
)

func open(t *testing.T) (*resolver.Resolver, *resolvertest.Server) {
	t.Helper()
	server := resolvertest.New(t)
	r, err := resolver.New(server.Addr)
	if err != nil {
		t.Fatalf("New(%s): got %v, want nil", server.Addr, err)
	}
	return r, server
}

func wantTXT(t *testing.T, r *resolver.Resolver, name string, want ...string) {
	t.Helper()
	got, _, err := r.TXT(t.Context(), name)
	if err != nil {
		t.Errorf("TXT(%s): got %v, want nil", name, err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("TXT(%s): -want +got\n%s", name, diff)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for server, ok := range map[string]bool{
		"": true, "127.0.0.1:53": true, "[::1]:5353": true, "dns.example.com:53": true,
		"127.0.0.1": false, "::1": false, ":53": false, "example.com:": false,
	} {
		if _, err := resolver.New(server); (err == nil) != ok {
			t.Errorf("New(%q): got %v, want an error: %t", server, err, !ok)
		}
	}
}

func TestTXT(t *testing.T) {
	t.Parallel()
	r, server := open(t)
	long := strings.Repeat("0123456789", 40)
	server.SetTXT("one.example.com", "a")
	server.SetTXT("two.example.com", "a b", "c")
	server.SetTXT("long.example.com", long)
	server.SetTXT("longer.example.com", long+long)
	server.SetA("other.example.com", "192.0.2.1")
	server.SetCNAME("alias.example.com", "one.example.com")
	server.SetCNAME("nowhere.example.com", "none.example.com")
	wantTXT(t, r, "one.example.com", "a")
	wantTXT(t, r, "ONE.example.com.", "a")
	wantTXT(t, r, "two.example.com", "a b", "c")
	wantTXT(t, r, "long.example.com", long)
	wantTXT(t, r, "longer.example.com", (long + long)[:512])
	wantTXT(t, r, "none.example.com")
	wantTXT(t, r, "other.example.com")
	wantTXT(t, r, "alias.example.com", "a")
	wantTXT(t, r, "nowhere.example.com")
	server.Delete("one.example.com")
	wantTXT(t, r, "one.example.com")
	wantTXT(t, r, "alias.example.com")
}

// A caller who compares texts may have to know which name holds them.
func TestTXTAt(t *testing.T) {
	t.Parallel()
	r, server := open(t)
	server.SetTXT("one.example.com", "a")
	server.SetTXT("inner.corp.example", "secret")
	server.SetCNAME("alias.example.com", "INNER.corp.example")
	server.SetCNAME("twice.example.com", "alias.example.com")
	server.SetCNAME("nowhere.example.com", "none.corp.example")
	server.SetCNAME("back.example.com", "there.corp.example")
	server.SetCNAME("there.corp.example", "one.example.com")
	for name, want := range map[string]string{
		"one.example.com": "one.example.com", "ONE.Example.com.": "one.example.com", "none.example.com": "none.example.com",
		"alias.example.com": "inner.corp.example", "twice.example.com": "inner.corp.example",
		"nowhere.example.com": "none.corp.example", "back.example.com": "one.example.com",
	} {
		for _, shallow := range []bool{false, true} {
			server.Shallow(shallow)
			if _, at, err := r.TXT(t.Context(), name); at != want || err != nil {
				t.Errorf("TXT(%s), shallow %t: got texts at %q, %v, want %q", name, shallow, at, err, want)
			}
		}
	}
}

// Of a zone's values only ten are used.
func TestTXTThousand(t *testing.T) {
	t.Parallel()
	r, server := open(t)
	values := make([]string, 1000)
	for i := range values {
		values[i] = fmt.Sprintf("value %d", i)
	}
	server.SetTXT("many.example.com", values...)
	wantTXT(t, r, "many.example.com", values[:10]...)
	if server.TCPQueries() == 0 {
		t.Error("TCPQueries(): got 0, want some: the answer does not fit into a packet")
	}
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	r, server := open(t)
	server.SetTXT("one.example.com", "a")
	server.Truncate(true)
	wantTXT(t, r, "one.example.com", "a")
	if got := server.TCPQueries(); got != 1 {
		t.Errorf("TCPQueries(): got %d, want 1", got)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	r, server := open(t)
	many := make([]string, 12)
	for i := range many {
		many[i] = fmt.Sprintf("192.0.2.%d", i)
	}
	server.SetA("both.example.com", "192.0.2.1", "2001:db8::1", "192.0.2.2")
	server.SetA("six.example.com", "2001:db8::6")
	server.SetA("many.example.com", many...)
	server.SetCNAME("alias.example.com", "both.example.com")
	both := []string{"192.0.2.1", "192.0.2.2", "2001:db8::1"}
	for name, want := range map[string][]string{
		"both.example.com": both, "alias.example.com": both, "six.example.com": {"2001:db8::6"},
		"many.example.com": many[:10], "none.example.com": nil,
	} {
		var addrs []netip.Addr
		for _, text := range want {
			addrs = append(addrs, netip.MustParseAddr(text))
		}
		got, _, err := r.Addresses(t.Context(), name)
		if err != nil {
			t.Errorf("Addresses(%s): got %v, want nil", name, err)
		}
		if diff := cmp.Diff(addrs, got, cmpopts.EquateComparable(netip.Addr{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Addresses(%s): -want +got\n%s", name, diff)
		}
	}
}

// A chain of five aliases is followed, by one answer or by many; a longer one
// and a circle are an error, after a bounded number of queries.
func TestAliases(t *testing.T) {
	t.Parallel()
	for _, shallow := range []bool{false, true} {
		r, server := open(t)
		server.Shallow(shallow)
		for i := range 6 {
			server.SetCNAME(fmt.Sprintf("%d.example.com", i+1), fmt.Sprintf("%d.example.com", i))
		}
		server.SetTXT("0.example.com", "found")
		server.Loop("a.example.com", "b.example.com", "c.example.com")
		server.Loop("self.example.com")
		wantTXT(t, r, "1.example.com", "found")
		wantTXT(t, r, "5.example.com", "found")
		for _, name := range []string{"6.example.com", "a.example.com", "self.example.com"} {
			if got, _, err := r.TXT(t.Context(), name); !errors.Is(err, resolver.ErrAliases) || got != nil {
				t.Errorf("TXT(%s), shallow %t: got %v, %v, want %v", name, shallow, got, err, resolver.ErrAliases)
			}
			if got := server.Queries(name); got > 6 {
				t.Errorf("Queries(%s): got %d, want at most 6", name, got)
			}
		}
	}
}

func TestServerErrors(t *testing.T) {
	t.Parallel()
	r, server := open(t)
	server.Refuse("refused.example.com")
	server.Break("failed.example.com", dns.RcodeServerFailure)
	for _, name := range []string{"refused.example.com", "failed.example.com", "two..dots.example.com", strings.Repeat("a", 64) + ".example.com"} {
		if _, _, err := r.TXT(t.Context(), name); !errors.Is(err, resolver.ErrAnswer) {
			t.Errorf("TXT(%s): got %v, want %v", name, err, resolver.ErrAnswer)
		}
	}
	if got := server.Queries("refused.example.com"); got != 2 {
		t.Errorf("Queries(refused): got %d, want 2 tries", got)
	}
	if _, _, err := r.Addresses(t.Context(), "refused.example.com"); !errors.Is(err, resolver.ErrAnswer) {
		t.Errorf("Addresses(refused): got %v, want %v", err, resolver.ErrAnswer)
	}
	server.Delete("refused.example.com")
	wantTXT(t, r, "refused.example.com")
}

// A silent server is asked twice and then given up.
func TestSilence(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "waits for two answers that do not come")
	r, server := open(t)
	server.Delay(time.Minute)
	if _, _, err := r.TXT(t.Context(), "silent.example.com"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("TXT(silent): got %v, want %v", err, context.DeadlineExceeded)
	}
	if got := server.Queries("silent.example.com"); got != 2 {
		t.Errorf("Queries(silent): got %d, want 2 tries", got)
	}
}

// A caller who stops waiting returns at once.
func TestLeavesSilence(t *testing.T) {
	t.Parallel()
	r, server := open(t)
	server.Delay(time.Minute)
	gone, leave := context.WithCancel(t.Context())
	var asked sync.WaitGroup
	asked.Go(func() {
		for server.Queries("left.example.com") == 0 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		leave()
	})
	if _, _, err := r.TXT(gone, "left.example.com"); !errors.Is(err, context.Canceled) {
		t.Errorf("TXT(left): got %v, want %v", err, context.Canceled)
	}
	asked.Wait()
}

// An answer to another question, as a guessing attacker sends it, is ignored.
func TestForgedAnswer(t *testing.T) {
	t.Parallel()
	packets, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("ListenPacket(loopback): got %v, want nil", err)
	}
	started := make(chan struct{})
	server := &dns.Server{
		PacketConn: packets, NotifyStartedFunc: func() { close(started) },
		Handler: dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
			answer := new(dns.Msg).SetReply(question)
			answer.Question[0].Name = "other.example.com."
			answer.Answer = []dns.RR{&dns.TXT{
				Hdr: dns.RR_Header{Name: "asked.example.com.", Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: []string{"forged"},
			}}
			_ = w.WriteMsg(answer)
		}),
	}
	go func() { _ = server.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { _ = server.Shutdown() })
	r, err := resolver.New(packets.LocalAddr().String())
	if err != nil {
		t.Fatalf("New(loopback): got %v, want nil", err)
	}
	if got, _, err := r.TXT(t.Context(), "asked.example.com"); !errors.Is(err, resolver.ErrAnswer) || got != nil {
		t.Errorf("TXT(asked): got %v, %v, want %v", got, err, resolver.ErrAnswer)
	}
}
