package settings

import (
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"hush/cli/command"
)

const (
	// acmeListen is where a service with --acme listens unless --listen is given.
	acmeListen = ":443"
	// acmeHTTPListen is where its port without TLS is unless --acme-http-listen is
	// given.
	acmeHTTPListen = ":80"
)

// Where certificates come from.
const (
	TLSOff   = "off"
	TLSFiles = "files"
	TLSACME  = "acme"
)

// TLS returns where the certificates come from.
func (s *networkSettings) TLS() string {
	switch {
	case s.ACME:
		return TLSACME
	case s.TLSCert != "":
		return TLSFiles
	}
	return TLSOff
}

// checkACME returns a usage error for settings that --acme does not go with, and
// for those that go with it alone.
func (s *networkSettings) checkACME() error {
	if !s.ACME {
		return s.checkNoACME()
	}
	if s.TLSCert != "" {
		return command.Usage("--acme does not go with --tls-cert: certificates are obtained, or read from files")
	}
	if s.BaseURL == nil || s.BaseURL.Scheme != "https" || !isPublicName(s.BaseURL.Hostname()) {
		return command.Usage("--acme needs --base-url=https://NAME: the certificate is for its name")
	}
	for flag, address := range map[string]string{"--listen": s.ListenAddress(), "--acme-http-listen": s.ACMEHTTPListen} {
		if kind, _ := ParseAddress(address); kind == ListenUnix {
			return command.Usage("--acme needs ports that the ACME server reaches, and %s=%s is none", flag, address)
		}
	}
	return nil
}

// checkNoACME returns a usage error for settings that do nothing without --acme.
func (s *networkSettings) checkNoACME() error {
	var unused []string
	for _, setting := range []struct {
		name string
		set  bool
	}{
		{"--acme-email", s.ACMEEmail != ""},
		{"--acme-directory", s.ACMEDirectory != ""},
		{"--acme-http-listen", s.ACMEHTTPListen != acmeHTTPListen},
	} {
		if setting.set {
			unused = append(unused, setting.name)
		}
	}
	switch len(unused) {
	case 0:
		return nil
	case 1:
		return command.Usage("%s needs --acme", unused[0])
	}
	return command.Usage("%s need --acme", strings.Join(unused, " and "))
}

// isPublicName reports whether an ACME server may know a host: it has a domain,
// is no address, and is written as in DNS.
func isPublicName(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(strings.Trim(host, "."), ".") &&
		!strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII })
}

// checkACMEStore returns a usage error for a store that --acme does not go with.
func (s *Settings) checkACMEStore() error {
	switch {
	case !s.ACME:
		return nil
	case s.SharedStore():
		return command.Usage("--acme does not go with a database that nodes share: the ACME server may check a name on any node, and only the one that asked can answer; end TLS at the balancer, or give every node --tls-cert and --tls-key")
	case s.Store == StoreMemory:
		return command.Usage("--acme needs a data folder for the certificates, and --store=memory has none")
	}
	return nil
}

func checkContact(text string) error {
	if text == "" {
		return nil
	}
	if parsed, err := mail.ParseAddress(text); err != nil || parsed.Address != text {
		return errors.New("must be an e-mail address, as in ops@example.com")
	}
	return nil
}

func checkDirectory(text string) error {
	if text == "" {
		return nil
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" || u.Host == "" {
		return errors.New("must be a URL that begins with https://")
	}
	return nil
}
