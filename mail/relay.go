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

// The values of Relay.TLS.
const (
	TLSStart = "starttls" // STARTTLS, which is required; the default
	TLSFirst = "tls"      // TLS from the first byte
	TLSNone  = "none"     // unencrypted, only to a relay on the same host
)

// DefaultTimeout is the maximum time of one delivery.
const DefaultTimeout = 30 * time.Second

// Relay is the SMTP server that accepts the service's mail.
type Relay struct {
	// Host is a name or an IP address. The relay's certificate must be valid
	// for it.
	Host string
	// Port defaults to 587 for STARTTLS, 465 for TLS and 25 without TLS.
	Port int
	// TLS defaults to TLSStart.
	TLS string
	// Username and Password are both empty for a relay without authentication.
	Username, Password string
	// From is one address, with or without a name. Its domain is used in
	// Message-IDs and in the greeting.
	From string
	// Timeout defaults to DefaultTimeout.
	Timeout time.Duration
	// CAs are the trusted authorities; nil means those of the system.
	CAs *x509.CertPool
}

// The settings that a SettingError is about.
const (
	SettingHost     = "host"
	SettingUser     = "user name"
	SettingPassword = "password"
	SettingSender   = "sender"
	SettingTLS      = "TLS"
)

// SettingError says what is wrong with a setting of a relay, without its value.
type SettingError struct {
	Setting string // one of the constants
	text    string
}

func (e *SettingError) Error() string { return e.text }

// resolve returns the relay with its defaults, and the parsed From. Its error is a
// SettingError, if it is about a setting.
func (r Relay) resolve() (Relay, *mail.Address, error) {
	for _, setting := range []struct{ name, value string }{
		{SettingHost, r.Host}, {SettingUser, r.Username}, {SettingPassword, r.Password}, {SettingSender, r.From},
	} {
		if !isText(setting.value) {
			return r, nil, &SettingError{setting.name, fmt.Sprintf("mail %s has an unprintable character or is too long", setting.name)}
		}
	}
	from, err := mail.ParseAddress(r.From)
	if err != nil || !isAddress(from.Address) || !isText(from.Name) {
		return r, nil, &SettingError{SettingSender, "mail sender is not one address"}
	}
	if from.Address = onWire(from.Address); !isASCII(domainOf(from.Address)) {
		return r, nil, &SettingError{SettingSender, "mail sender has a domain that no mail can come from"}
	}
	if (r.Username == "") != (r.Password == "") {
		return r, nil, errors.New("mail needs both a user name and a password, or neither")
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
			return r, &SettingError{SettingTLS, "mail without TLS requires a relay on the same host"}
		}
		port = 25
	default:
		return r, &SettingError{SettingTLS, fmt.Sprintf("mail TLS must be %s, %s or %s", TLSStart, TLSFirst, TLSNone)}
	}
	if r.Port == 0 {
		r.Port = port
	}
	if r.Host == "" || r.Port < 1 || r.Port > 65535 {
		return r, &SettingError{SettingHost, "mail host or port is not valid"}
	}
	return r, nil
}

func (r Relay) address() string { return net.JoinHostPort(r.Host, strconv.Itoa(r.Port)) }

func (r Relay) config() *tls.Config {
	return &tls.Config{ServerName: r.Host, RootCAs: r.CAs, MinVersion: tls.VersionTLS12}
}
