package mail

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"strconv"
	"time"

	"hush/hosts"
)

// The ways to a relay.
const (
	TLSStart = "starttls" // STARTTLS, without which nothing is sent; the default
	TLSFirst = "tls"      // TLS from the first byte
	TLSNone  = "none"     // in the clear, to a relay on the same host only
)

// DefaultTimeout is how long one delivery may take.
const DefaultTimeout = 30 * time.Second

// Relay is the SMTP server that takes the service's mail.
type Relay struct {
	// Host is a name or an address. The relay's certificate has to be good for
	// it.
	Host string
	// Port is 587 for STARTTLS, 465 for TLS and 25 for none if it is 0.
	Port int
	// TLS is TLSStart if it is empty.
	TLS string
	// Username and Password are both empty for a relay that does not ask.
	Username, Password string
	// From is one address, with or without a name. Its domain stands in
	// Message-IDs and in the greeting to the relay.
	From string
	// Timeout is DefaultTimeout if it is 0.
	Timeout time.Duration
	// CAs are the authorities to trust; nil means those of the system.
	CAs *x509.CertPool
}

// resolve returns the relay with its defaults, and From as it was read. Its
// error names the setting and holds no value.
func (r Relay) resolve() (Relay, *mail.Address, error) {
	for _, setting := range []struct{ name, value string }{
		{"host", r.Host}, {"user name", r.Username}, {"password", r.Password}, {"sender", r.From},
	} {
		if !isText(setting.value) {
			return r, nil, fmt.Errorf("mail %s holds a character that does not print or is too long", setting.name)
		}
	}
	from, err := mail.ParseAddress(r.From)
	if err != nil || !isAddress(from.Address) || !isText(from.Name) {
		return r, nil, errors.New("mail sender is not one address")
	}
	if (r.Username == "") != (r.Password == "") {
		return r, nil, errors.New("mail user name and password need each other")
	}
	r, err = r.resolvePort()
	if err != nil {
		return r, nil, err
	}
	if r.Timeout < 0 {
		return r, nil, errors.New("mail timeout is negative")
	} else if r.Timeout == 0 {
		r.Timeout = DefaultTimeout
	}
	return r, from, nil
}

func (r Relay) resolvePort() (Relay, error) {
	var port int
	switch r.TLS {
	case "", TLSStart:
		r.TLS, port = TLSStart, 587
	case TLSFirst:
		port = 465
	case TLSNone:
		if !hosts.IsLoopback(r.Host) {
			return r, errors.New("mail without TLS goes to a relay on the same host only")
		}
		port = 25
	default:
		return r, fmt.Errorf("mail TLS is %s, %s or %s", TLSStart, TLSFirst, TLSNone)
	}
	if r.Port == 0 {
		r.Port = port
	}
	if r.Host == "" || r.Port < 1 || r.Port > 65535 {
		return r, errors.New("mail host or port is not valid")
	}
	return r, nil
}

func (r Relay) address() string { return net.JoinHostPort(r.Host, strconv.Itoa(r.Port)) }

func (r Relay) config() *tls.Config {
	return &tls.Config{ServerName: r.Host, RootCAs: r.CAs, MinVersion: tls.VersionTLS12}
}
