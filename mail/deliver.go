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

// deliver hands a message, which was composed to letter, to the relay. A failure
// after the relay has accepted it is not an error.
func (p *Post) deliver(ctx context.Context, m Message, letter *gomail.Msg) error {
	l := p.relay.line()
	client, err := gomail.NewClient(p.relay.Host, p.options(l, isASCII(p.from.Address, m.To, m.ReplyTo))...)
	if err != nil {
		return &DeliveryError{Step: StepConnect}
	}
	stop := context.AfterFunc(ctx, l.hangUp)
	defer stop()
	defer l.hangUp()
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return explain(ctx, err, l.connected())
	}
	if ok, _ := session.Extension("SMTPUTF8"); !ok {
		if letter, err = p.withoutUTF8(m, letter); err != nil {
			return err
		}
	}
	err = client.SendWithSMTPClient(session, letter)
	if err == nil || letter.IsDelivered() {
		_ = client.CloseWithSMTPClient(session)
		return nil
	}
	return explain(ctx, err, true)
}

// withoutUTF8 returns the letter for a relay that takes no address with a local part
// outside ASCII: without the address for replies, if that is one. It refuses others.
func (p *Post) withoutUTF8(m Message, letter *gomail.Msg) (*gomail.Msg, error) {
	switch {
	case !isASCII(m.To):
		return nil, &DeliveryError{Step: StepRecipient, Reason: reasonNoUTF8, Permanent: true}
	case !isASCII(p.from.Address):
		return nil, &DeliveryError{Step: StepSender, Reason: reasonNoUTF8}
	case !isASCII(m.ReplyTo):
		m.ReplyTo = ""
		return p.compose(m)
	default:
		return letter, nil
	}
}

// options returns the client's options. It asks for SMTPUTF8 only if an address
// needs it: a relay must not pass such a message on to a server without it.
func (p *Post) options(l *line, ascii bool) []gomail.Option {
	address := p.relay.address()
	options := []gomail.Option{
		gomail.WithPort(p.relay.Port),
		gomail.WithTimeout(p.relay.Timeout + time.Hour), // never before Send's context, even in a process that was suspended
		gomail.WithHELO(domainOf(p.from.Address)),       // not the host's own name
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
