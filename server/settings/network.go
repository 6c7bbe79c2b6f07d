package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"hush/cli/command"
	"hush/cli/flags"
	"hush/handlers/chain"
	"hush/hosts"
)

const listenName = "listen"

// networkSettings say where the service listens, and how others reach it.
type networkSettings struct {
	Listen         string   // as ParseAddress reads it; see ListenAddress
	BaseURL        *url.URL // nil if it was not given
	TLSCert        string   // a file; empty without TLS or with ACME
	TLSKey         string
	ACME           bool
	ACMEEmail      string // empty for none
	ACMEDirectory  string // a URL; empty for Let's Encrypt
	ACMEHTTPListen string // as ParseAddress reads it
	TrustedProxies []netip.Prefix
	CORSOrigins    []string // as browsers send them, or chain.AnyOrigin alone
	Resolver       string   // host:port; empty for the system's

	listenSet bool // whether Listen was given
}

func (s *networkSettings) settings() []setting {
	return []setting{
		{listenName, firstDay(flags.Checked(&s.Listen, "127.0.0.1:7143", "`address` to listen on; host:port, unix:PATH, or systemd, systemd:NAME or systemd:PORT for a socket that systemd opened; with --acme :443 unless it is given", s.checkListen))},
		{"base-url", firstDay(flags.Example("https://hush.example.com", flags.Parsed(&s.BaseURL, "`URL` at which people reach the service; links begin with it (default: the address listened on)", parseBaseURL)))},
		{"tls-cert", firstDay(flags.Example("/etc/hush/cert.pem", flags.Text(&s.TLSCert, "", "`file` with the certificate chain in PEM format; enables TLS")))},
		{"tls-key", firstDay(flags.Example("/etc/hush/key.pem", flags.Text(&s.TLSKey, "", "`file` with its private key in PEM format")))},
		{"acme", firstDay(flags.Switch(&s.ACME, "obtain and renew certificates over ACME, for the host of --base-url and verified domains; agrees to the ACME server's terms"))},
		{"acme-email", flags.Example("ops@example.com", flags.Checked(&s.ACMEEmail, "", "`address` that the ACME server may write to", checkContact))},
		{"acme-directory", flags.Example("https://acme-v02.api.letsencrypt.org/directory", flags.Checked(&s.ACMEDirectory, "", "`URL` of the ACME server (default: Let's Encrypt)", checkDirectory))},
		{"acme-http-listen", flags.Checked(&s.ACMEHTTPListen, acmeHTTPListen, "`address` of the port without TLS, for --acme: challenges, and redirects to https; as --listen, but no unix:PATH", checkAddress)},
		{"trusted-proxies", firstDay(flags.Example("10.0.0.5,::1", flags.List(&s.TrustedProxies, "comma-separated `addresses` or networks of proxies whose X-Forwarded-For header is trusted", parsePrefixes)))},
		{"cors-origins", flags.Example("https://app.example", flags.List(&s.CORSOrigins, "comma-separated `origins` whose pages may call the API, with a token in Authorization and never with cookies; or * alone: any origin, for calls without a credential", parseOrigins))},
		{"resolver", flags.Example("9.9.9.9:53", flags.Checked(&s.Resolver, "", "`host:port` of the DNS server that domains are checked with (default: the system's)", checkResolver))},
	}
}

// check returns a usage error for settings that miss each other.
func (s *networkSettings) check() error {
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return command.Usage("--tls-cert and --tls-key go together")
	}
	if kind, _ := ParseAddress(s.Listen); kind == ListenUnix && s.BaseURL == nil {
		return command.Usage("--listen=%s needs --base-url, for links", s.Listen)
	}
	return s.checkACME()
}

// Base is where links lead from a service that listens on addr.
func (s *networkSettings) Base(addr net.Addr) *url.URL {
	if s.BaseURL != nil {
		return s.BaseURL
	}
	return &url.URL{Scheme: s.scheme(), Host: addr.String()}
}

// ListenAddress is where the service listens, as ParseAddress reads it.
func (s *networkSettings) ListenAddress() string {
	if s.ACME && !s.listenSet {
		return acmeListen
	}
	return s.Listen
}

// checkListen notes that an address was given.
func (s *networkSettings) checkListen(text string) error {
	s.listenSet = true
	return checkAddress(text)
}

// PublicURL is where links lead, as a command knows it that does not listen.
func (s *networkSettings) PublicURL() *url.URL {
	if s.BaseURL != nil {
		return s.BaseURL
	}
	host := s.ListenAddress()
	if kind, _ := ParseAddress(host); kind != ListenTCP {
		host = "localhost"
	}
	return &url.URL{Scheme: s.scheme(), Host: host}
}

// HealthURL is what to ask the service at the address of Dial. A proxy may end
// TLS, so only the host is that of the base URL. Without one it is an address,
// for which TLS names no server: the service then uses its own certificate.
func (s *networkSettings) HealthURL() string {
	host := "127.0.0.1"
	if s.BaseURL != nil {
		host = s.BaseURL.Host
	}
	return (&url.URL{Scheme: s.scheme(), Host: host, Path: "/healthz"}).String()
}

func (s *networkSettings) scheme() string {
	if s.TLS() != TLSOff {
		return "https"
	}
	return "http"
}

// Dial returns how another process of this machine reaches the service. The host
// of an address is empty if any of this machine does.
func (s *networkSettings) Dial() (network, address string, err error) {
	switch kind, place := ParseAddress(s.ListenAddress()); kind {
	case ListenUnix:
		return "unix", place, nil
	case ListenSystemd:
		if !isPort(place) {
			return "", "", errors.New("systemd opened the socket: name its address with --listen")
		}
		return "tcp", net.JoinHostPort("", place), nil
	default:
		host, port, _ := net.SplitHostPort(place) // checked when it was set
		if addr, err := netip.ParseAddr(host); err == nil && addr.IsUnspecified() {
			host = ""
		}
		return "tcp", net.JoinHostPort(host, port), nil
	}
}

// The kinds of addresses to listen on.
const (
	ListenTCP     = "tcp"
	ListenUnix    = "unix"
	ListenSystemd = "systemd"
)

// ParseAddress returns the kind of an address to listen on, and what the kind
// needs: host:port, the path of a socket, or the name or port of systemd's socket,
// which may be empty.
func ParseAddress(address string) (kind, place string) {
	for _, kind := range []string{ListenUnix, ListenSystemd} {
		if rest, ok := strings.CutPrefix(address, kind+":"); ok {
			return kind, rest
		}
	}
	if address == ListenSystemd {
		return ListenSystemd, ""
	}
	return ListenTCP, address
}

func checkAddress(text string) error {
	switch kind, place := ParseAddress(text); kind {
	case ListenUnix:
		if place == "" || len(place) > maxSocketPath || strings.ContainsRune(place, 0) {
			return fmt.Errorf("must be unix: and a path of at most %d bytes", maxSocketPath)
		}
		if strings.HasPrefix(place, "~") && (place == "~" || strings.Contains(place, "/")) {
			return errors.New("must be unix: and a whole path: a shell does not expand the ~ in it")
		}
		return nil
	case ListenSystemd:
		return nil
	default:
		return checkPort(place)
	}
}

// maxSocketPath is the longest path that every system takes for a socket.
const maxSocketPath = 103

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

func checkPort(text string) error {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return errors.New("must be host:port, as in 127.0.0.1:7143")
	}
	if !isPort(port) {
		return errors.New("port must be 0 to 65535")
	}
	return nil
}

func checkResolver(text string) error {
	if text == "" {
		return nil
	}
	host, _, _ := net.SplitHostPort(text)
	if err := checkPort(text); err != nil || host == "" {
		return errors.New("must be host:port, as in 9.9.9.9:53")
	}
	return nil
}

// parseBaseURL reads the start of every link. Its host gets the form that browsers
// send, which requests are compared with.
func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("must be http:// or https:// and a host, nothing behind it")
	}
	host, ok := canonicalHost(u.Hostname())
	if !ok {
		return nil, errors.New("must have one host, as in https://secrets.example.com: letters, digits, hyphens and dots, or an IP address")
	}
	port := u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); strings.HasSuffix(u.Host, ":") || port != "" && (err != nil || n == 0) {
		return nil, errors.New("must have no port, or one from 1 to 65535")
	}
	if port != "" {
		host += ":" + port
	}
	return &url.URL{Scheme: u.Scheme, Host: host}, nil
}

// canonicalHost returns a name as DNS has it, or an IP address, in brackets if it is
// one of IPv6. It reports false for anything else.
func canonicalHost(host string) (canonical string, ok bool) {
	addr, err := netip.ParseAddr(host)
	switch {
	case err == nil && (addr.Zone() != "" || addr.IsUnspecified()):
		return "", false // a link with a zone leads nowhere on another machine, nor one to no address
	case err == nil && addr.Is6():
		return "[" + addr.String() + "]", true
	case err == nil:
		return addr.String(), true
	default:
		return hosts.Canonical(host)
	}
}

// parseOrigins reads origins as browsers send them: lower case, without a default port.
func parseOrigins(text string) ([]string, error) {
	parts := flags.SplitList(text)
	if len(parts) == 1 && parts[0] == chain.AnyOrigin {
		return parts, nil
	}
	var origins []string
	for _, part := range parts {
		u, err := parseBaseURL(part)
		switch {
		case part == chain.AnyOrigin:
			return nil, errors.New("* stands alone: it is every origin, and with it no call has a credential")
		case err != nil || strings.HasSuffix(part, "/"):
			return nil, errors.New("must be exact origins, as in https://app.example,http://localhost:5173, or * alone")
		}
		host := u.Host
		if u.Scheme == "https" {
			host = strings.TrimSuffix(host, ":443")
		} else {
			host = strings.TrimSuffix(host, ":80")
		}
		origins = append(origins, u.Scheme+"://"+host)
	}
	return origins, nil
}

func parsePrefixes(text string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, part := range flags.SplitList(text) {
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			addr, addrErr := netip.ParseAddr(part)
			if addrErr != nil {
				return nil, errors.New("must be addresses or networks, as in 10.0.0.5,10.1.2.0/24,::1")
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		if prefix = unmapped(prefix); prefix.Bits() == 0 {
			return nil, errors.New("must not be the whole network: anyone could then choose an address; name the addresses of your proxies, as in 10.0.0.5,::1")
		}
		if prefix.IsSingleIP() && prefix.Addr().IsUnspecified() {
			return nil, fmt.Errorf("%s is the address of no machine: name those of your proxies, as in 10.0.0.5,::1", part)
		}
		if prefix != prefix.Masked() {
			return nil, fmt.Errorf("%s is not the first address of its network: write %s, or the address alone", part, prefix.Masked())
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes, nil
}

// unmapped returns the network of IPv4 for one of IPv4-mapped IPv6 addresses, as programs
// that listen on both write them: the addresses of peers are compared in that form.
func unmapped(prefix netip.Prefix) netip.Prefix {
	if !prefix.Addr().Is4In6() {
		return prefix
	}
	return netip.PrefixFrom(prefix.Addr().Unmap(), max(0, prefix.Bits()-96))
}
