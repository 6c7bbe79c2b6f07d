package mail

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// line is the connection of one delivery. The mail client leaves it open if a
// session fails to begin, and ignores the context once the session exists, so
// the line is cut from here.
type line struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu   sync.Mutex
	conn net.Conn
	cut  bool
}

func (r Relay) line() *line {
	if r.TLS == TLSFirst {
		return &line{dial: (&tls.Dialer{Config: r.config()}).DialContext}
	}
	return &line{dial: new(net.Dialer).DialContext}
}

// connect dials address. A line that was cut meanwhile stays cut.
func (l *line) connect(ctx context.Context, address string) (net.Conn, error) {
	conn, err := l.dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = conn
	if l.cut {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l *line) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

func (l *line) connected() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn != nil
}

// deliver hands a letter to the relay. A failure after the relay has accepted
// it is not an error.
func (p *Post) deliver(ctx context.Context, letter *gomail.Msg, ascii bool) error {
	l := p.relay.line()
	client, err := gomail.NewClient(p.relay.Host, p.options(l, ascii)...)
	if err != nil {
		return &DeliveryError{Step: StepConnect}
	}
	stop := context.AfterFunc(ctx, l.hangUp)
	defer stop()
	defer l.hangUp()
	err = client.DialAndSendWithContext(ctx, letter)
	if err == nil || letter.IsDelivered() {
		return nil
	}
	return explain(ctx, err, l.connected())
}

// options returns the client's options. It asks for SMTPUTF8 only if an address
// needs it: a relay must not pass such a message on to a server without it.
func (p *Post) options(l *line, ascii bool) []gomail.Option {
	address := p.relay.address()
	options := []gomail.Option{
		gomail.WithPort(p.relay.Port),
		gomail.WithTimeout(p.relay.Timeout + time.Hour), // never before Send's context, even in a process that was suspended
		gomail.WithHELO(p.greeting()),
		gomail.WithTLSConfig(p.relay.config()),
		gomail.WithTLSPolicy(gomail.NoTLS),
		gomail.WithoutNoop(),
		gomail.WithoutRset(),
		gomail.WithDialContextFunc(func(ctx context.Context, _, _ string) (net.Conn, error) {
			return l.connect(ctx, address)
		}),
	}
	if p.relay.TLS == TLSStart {
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if ascii {
		options = append(options, gomail.WithoutSMTPUTF8())
	}
	if p.relay.Username != "" {
		options = append(options, p.credentials()...)
	}
	return options
}

// greeting returns the name for the greeting. It does not reveal the host's own
// name.
func (p *Post) greeting() string {
	if domain := domainOf(p.from.Address); isASCII(domain) {
		return domain
	}
	return "localhost"
}

// credentials returns the credentials, which are sent only through TLS or to
// the same host.
func (p *Post) credentials() []gomail.Option {
	mechanisms := []gomail.SMTPAuthType{gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
	if p.relay.TLS == TLSNone {
		mechanisms = []gomail.SMTPAuthType{gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	}
	return []gomail.Option{
		gomail.WithOpportunisticSMTPAuth(mechanisms...),
		gomail.WithUsername(p.relay.Username),
		gomail.WithPassword(p.relay.Password),
	}
}
