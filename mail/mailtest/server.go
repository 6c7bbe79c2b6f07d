package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// waitLimit ends a test whose mail never comes.
const waitLimit = 30 * time.Second

// Options are the optional settings of a Server. The zero value takes mail from
// every client, offers STARTTLS and requires neither it nor a password.
type Options struct {
	// RequireTLS refuses MAIL and AUTH before STARTTLS.
	RequireTLS bool
	// ImplicitTLS speaks TLS from the first byte and offers no STARTTLS.
	ImplicitTLS bool
	// NoTLS offers no STARTTLS.
	NoTLS bool
	// Username and Password are required before MAIL, if Username is not empty.
	Username, Password string
	// Mechanisms are the offered authentication mechanisms; nil means PLAIN and
	// LOGIN, the only ones supported.
	Mechanisms []string
	// Extensions are further lines of the reply to EHLO, such as SMTPUTF8.
	Extensions []string
}

// Server is a running SMTP server that ends with its test. It is safe for
// concurrent use.
type Server struct {
	// Addr is Host and Port with a colon between them. Host is 127.0.0.1.
	Addr string
	Host string
	Port int

	options  Options
	config   *tls.Config
	pool     *x509.CertPool
	listener net.Listener
	running  sync.WaitGroup

	done chan struct{} // closed by Close

	mu       sync.Mutex
	closed   bool
	conns    map[net.Conn]struct{}
	received []Received
	arrived  chan struct{} // closed and made anew with each message
	refusals map[string]refusal
	hang     *string // nil is never
	delay    time.Duration
}

// refusal is the reply to the next commands of a name.
type refusal struct{ code, left int }

// New starts a server with the zero Options.
func New(t testing.TB) *Server { return NewWith(t, Options{}) }

// NewWith starts a server. It and its connections end with the test.
func NewWith(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Mechanisms == nil {
		o.Mechanisms = []string{"PLAIN", "LOGIN"}
	}
	s := &Server{
		options:  o,
		conns:    make(map[net.Conn]struct{}),
		arrived:  make(chan struct{}),
		done:     make(chan struct{}),
		refusals: make(map[string]refusal),
	}
	var err error
	if s.config, s.pool, err = certify(); err != nil {
		t.Fatalf("making a certificate: %v", err)
	}
	if err := s.listen(t); err != nil {
		t.Fatalf("listening: %v", err)
	}
	s.running.Go(s.accept)
	t.Cleanup(s.Close)
	return s
}

func (s *Server) listen(t testing.TB) (err error) {
	var config net.ListenConfig
	if s.listener, err = config.Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	addr, _ := s.listener.Addr().(*net.TCPAddr)
	s.Addr, s.Host, s.Port = addr.String(), addr.IP.String(), addr.Port
	return nil
}

// CAs returns the authority of the server's certificate, which is valid for
// 127.0.0.1 and localhost. Each server has its own.
func (s *Server) CAs() *x509.CertPool { return s.pool.Clone() }

// CAsPEM returns the authority of CAs in PEM format, for a program that reads a file.
func (s *Server) CAsPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.config.Certificates[0].Certificate[0]})
}

// Messages returns the accepted messages, oldest first.
func (s *Server) Messages() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// Wait waits until there are n or more messages and returns all, oldest first.
// It ends the test if they do not come within half a minute.
func (s *Server) Wait(t testing.TB, n int) []Received {
	t.Helper()
	late := time.NewTimer(waitLimit)
	defer late.Stop()
	for {
		s.mu.Lock()
		got, arrived := slices.Clone(s.received), s.arrived
		s.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-arrived:
		case <-late.C:
			t.Fatalf("Wait(%d): got %d messages after %v", n, len(got), waitLimit)
		}
	}
}

// Forget drops the received messages, so that Wait counts anew.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = nil
}

// RefuseRecipients answers the next n RCPT commands with code, which is one of
// 400 to 599.
func (s *Server) RefuseRecipients(code, n int) { s.Refuse("RCPT", code, n) }

// Refuse answers the next n commands of a name, such as "MAIL", "AUTH" or
// "EHLO", with code. "." is the end of a message's content.
func (s *Server) Refuse(command string, code, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[command] = refusal{code: code, left: n}
}

// Hang stops answering from the next command of that name on, and keeps the
// connections open. "" is the greeting and "." the end of a message's content.
// A message whose content was not acknowledged is not kept.
func (s *Server) Hang(command string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hang = &command
}

// Delay delays each reply from now on.
func (s *Server) Delay(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = d
}

// Connections returns the number of connected clients.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Close ends the server and its connections before the test ends, like a relay
// that is down. It may be called more than once.
func (s *Server) Close() {
	s.shut()
	s.running.Wait()
}

func (s *Server) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.done)
	_ = s.listener.Close()
	for conn := range s.conns {
		_ = conn.Close()
	}
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		if !s.enter(conn) {
			_ = conn.Close()
			return
		}
		s.running.Go(func() {
			defer s.leave(conn)
			s.serve(conn)
		})
	}
}

// enter registers a connection. It returns false after Close.
func (s *Server) enter(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.conns[conn] = struct{}{}
	}
	return !s.closed
}

func (s *Server) leave(conn net.Conn) {
	_ = conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

// keep stores a message.
func (s *Server) keep(m Received) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, m)
	close(s.arrived)
	s.arrived = make(chan struct{})
}

// sleep returns false if the server ended meanwhile.
func (s *Server) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.done:
		return false
	}
}

// mood returns how to treat a command: a code to refuse it with, or 0.
func (s *Server) mood(command string) (refuse int, hang bool, delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.refusals[command]; r.left > 0 {
		refuse = r.code
		r.left--
		s.refusals[command] = r
	}
	return refuse, s.hang != nil && *s.hang == command, s.delay
}
