package settings

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"hush/cmd/hush/command"
	"hush/cmd/hush/flags"
)

// networkSettings say where the service listens, and how others reach it.
type networkSettings struct {
	Listen         string   // host:port
	BaseURL        *url.URL // nil if it was not given
	TLSCert        string   // a file; empty without TLS
	TLSKey         string
	TrustedProxies []netip.Prefix
	Resolver       string // host:port; empty for the system's
}

func (s *networkSettings) settings() []setting {
	return []setting{
		{"listen", flags.Checked(&s.Listen, "127.0.0.1:7143", "`host:port` to listen on", checkListen)},
		{"base-url", flags.Parsed(&s.BaseURL, "`URL` at which people reach the service; links begin with it (default: the address listened on)", parseBaseURL)},
		{"tls-cert", flags.Text(&s.TLSCert, "", "`file` with the certificate chain in PEM format; enables TLS")},
		{"tls-key", flags.Text(&s.TLSKey, "", "`file` with the certificate's private key in PEM format")},
		{"trusted-proxies", flags.Parsed(&s.TrustedProxies, "comma-separated `addresses` or networks of proxies whose X-Forwarded-For header is trusted", parsePrefixes)},
		{"resolver", flags.Checked(&s.Resolver, "", "`host:port` of the DNS server that domains are checked with (default: the system's)", checkResolver)},
	}
}

// check returns a usage error for files of TLS that miss each other.
func (s *networkSettings) check() error {
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return command.Usage("--tls-cert and --tls-key go together")
	}
	return nil
}

// Base is where links lead from a service that listens on addr.
func (s *networkSettings) Base(addr net.Addr) *url.URL {
	if s.BaseURL != nil {
		return s.BaseURL
	}
	return &url.URL{Scheme: s.scheme(), Host: addr.String()}
}

// PublicURL is where links lead, as a command knows it that does not listen.
func (s *networkSettings) PublicURL() *url.URL {
	if s.BaseURL != nil {
		return s.BaseURL
	}
	return &url.URL{Scheme: s.scheme(), Host: s.Listen}
}

func (s *networkSettings) scheme() string {
	if s.TLSCert != "" {
		return "https"
	}
	return "http"
}

// HealthURL is where to ask whether the service runs: the address listened on,
// or with TLS, whose name must fit, the base URL.
func (s *networkSettings) HealthURL() string {
	if s.TLSCert != "" && s.BaseURL != nil {
		return s.BaseURL.String() + "/healthz"
	}
	host, port, _ := net.SplitHostPort(s.Listen) // checked when it was set
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + "/healthz"
}

func checkListen(text string) error {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return errors.New("must be host:port, as in 127.0.0.1:7143")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return errors.New("port must be 0 to 65535")
	}
	return nil
}

func checkResolver(text string) error {
	if text == "" {
		return nil
	}
	host, _, _ := net.SplitHostPort(text)
	if err := checkListen(text); err != nil || host == "" {
		return errors.New("must be host:port, as in 9.9.9.9:53")
	}
	return nil
}

func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("must be http:// or https:// and a host, nothing behind it")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

func parsePrefixes(text string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, part := range flags.SplitList(text) {
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			addr, addrErr := netip.ParseAddr(part)
			if addrErr != nil {
				return nil, errors.New("must be addresses or networks, as in 10.0.0.0/8,::1")
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		prefixes = append(prefixes, prefix.Masked())
	}
	return prefixes, nil
}
