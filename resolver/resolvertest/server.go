// Package resolvertest gives tests a real DNS server: on loopback, over UDP and
// TCP, with the records and the misbehaviour that a test asks for. Names ignore
// case and a trailing dot.
package resolvertest

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// Server answers for every name. It is safe for concurrent use.
type Server struct {
	// Addr is host:port, the same over UDP and TCP.
	Addr string

	mu       sync.Mutex
	zone     map[key][]dns.RR
	broken   map[string]int // names that get an error
	delay    time.Duration
	truncate bool
	shallow  bool
	queries  map[key]int
	tcp      int
	done     chan struct{}
}

type key struct {
	name string
	kind uint16
}

// New starts a server that knows no name, and stops it when the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{zone: map[key][]dns.RR{}, broken: map[string]int{}, queries: map[key]int{}, done: make(chan struct{})}
	packets, listener := listen(t)
	s.Addr = packets.LocalAddr().String()
	servers := []*dns.Server{
		{PacketConn: packets, Handler: dns.HandlerFunc(s.serve), UDPSize: dns.DefaultMsgSize},
		{Listener: listener, Handler: dns.HandlerFunc(s.serve)},
	}
	var ended sync.WaitGroup
	for _, server := range servers {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		ended.Go(func() {
			if err := server.ActivateAndServe(); err != nil {
				t.Errorf("ActivateAndServe(): got %v, want nil", err)
			}
		})
		<-started
	}
	t.Cleanup(func() {
		close(s.done)
		for _, server := range servers {
			if err := server.Shutdown(); err != nil {
				t.Errorf("Shutdown(): got %v, want nil", err)
			}
		}
		ended.Wait()
	})
	return s
}

// listen finds a port that is free over both. If it is taken over TCP, it tries
// another one.
func listen(t testing.TB) (net.PacketConn, net.Listener) {
	t.Helper()
	var config net.ListenConfig
	var last error
	for range 20 {
		packets, err := config.ListenPacket(t.Context(), "udp", "127.0.0.1:0")
		if err != nil {
			t.Fatalf("ListenPacket(loopback): got %v, want nil", err)
		}
		listener, err := config.Listen(t.Context(), "tcp", packets.LocalAddr().String())
		if err == nil {
			return packets, listener
		}
		last = err
		_ = packets.Close()
	}
	t.Fatalf("Listen(the port of a packet conn): got %v, want nil", last)
	return nil, nil
}

// SetTXT replaces a name's TXT records by one for each value. Values longer
// than 255 bytes are split into parts, as DNS requires.
func (s *Server) SetTXT(name string, values ...string) {
	records := make([]dns.RR, 0, len(values))
	for _, value := range values {
		var parts []string
		for len(value) > 255 {
			parts, value = append(parts, value[:255]), value[255:]
		}
		records = append(records, &dns.TXT{Hdr: head(name, dns.TypeTXT), Txt: append(parts, value)})
	}
	s.set(name, dns.TypeTXT, records)
}

// SetA replaces a name's addresses of both families. It ignores values that
// net.ParseIP refuses.
func (s *Server) SetA(name string, addresses ...string) {
	var four, six []dns.RR
	for _, text := range addresses {
		ip := net.ParseIP(text)
		switch {
		case ip.To4() != nil:
			four = append(four, &dns.A{Hdr: head(name, dns.TypeA), A: ip})
		case ip != nil:
			six = append(six, &dns.AAAA{Hdr: head(name, dns.TypeAAAA), AAAA: ip})
		}
	}
	s.set(name, dns.TypeA, four)
	s.set(name, dns.TypeAAAA, six)
}

// SetCNAME makes a name an alias. The server follows aliases and adds what it
// finds, unless it is Shallow.
func (s *Server) SetCNAME(name, target string) {
	s.set(name, dns.TypeCNAME, []dns.RR{&dns.CNAME{Hdr: head(name, dns.TypeCNAME), Target: dns.Fqdn(target)}})
}

// Loop makes names aliases of each other in a circle.
func (s *Server) Loop(names ...string) {
	for i, name := range names {
		s.SetCNAME(name, names[(i+1)%len(names)])
	}
}

// Delete deletes all records of a name, so that it does not exist.
func (s *Server) Delete(name string) {
	for _, kind := range []uint16{dns.TypeTXT, dns.TypeA, dns.TypeAAAA, dns.TypeCNAME} {
		s.set(name, kind, nil)
	}
	s.Break(name, dns.RcodeSuccess)
}

// Break answers questions about a name with an error; dns.RcodeSuccess ends
// that.
func (s *Server) Break(name string, rcode int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[dns.CanonicalName(name)] = rcode
}

// Refuse answers questions about a name with REFUSED until it is deleted.
func (s *Server) Refuse(name string) { s.Break(name, dns.RcodeRefused) }

// Delay delays every answer. Zero ends that.
func (s *Server) Delay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = d
}

// Truncate truncates every answer over UDP.
func (s *Server) Truncate(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.truncate = on
}

// Shallow answers a query for an alias with the alias alone.
func (s *Server) Shallow(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shallow = on
}

// Queries returns how often a name was queried, over both networks and for all
// kinds of records.
func (s *Server) Queries(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for k, n := range s.queries {
		if k.name == dns.CanonicalName(name) {
			total += n
		}
	}
	return total
}

// TCPQueries returns the number of queries over TCP.
func (s *Server) TCPQueries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tcp
}

func (s *Server) set(name string, kind uint16, records []dns.RR) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{dns.CanonicalName(name), kind}
	if len(records) == 0 {
		delete(s.zone, k)
		return
	}
	s.zone[k] = records
}

func head(name string, kind uint16) dns.RR_Header {
	return dns.RR_Header{Name: dns.Fqdn(name), Rrtype: kind, Class: dns.ClassINET, Ttl: 1}
}
