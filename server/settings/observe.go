package settings

import (
	"errors"
	"net"

	"hush/cli/command"
	"hush/cli/flags"
	"hush/hosts"
)

// observeSettings say how an operator looks into the process.
type observeSettings struct {
	AdminListen   string // as ParseAddress reads it; empty for nothing
	MetricsListen string // as ParseAddress reads it; empty for nothing
	// The files of MetricsListen. Those of TLS are empty for the certificate of Listen.
	MetricsTLSCert, MetricsTLSKey     string
	MetricsTokenFile, MetricsClientCA string
}

func (s *observeSettings) settings() []setting {
	return []setting{
		{"admin-listen", flags.Example("127.0.0.1:7144", flags.Checked(&s.AdminListen, "",
			"`address` of this machine to serve Prometheus metrics and profiles on: a loopback address with a port, unix:PATH, or systemd:NAME for a socket that systemd opened (default: they are not served)", checkAdminListen))},
		{"metrics-listen", flags.Example(":7145", flags.Checked(&s.MetricsListen, "",
			"`address` to serve metrics on to other machines, over TLS and without profiles: host:port, or systemd:NAME; needs --metrics-token-file or --metrics-client-ca (default: they are not served)", checkMetricsListen))},
		{"metrics-tls-cert", flags.Example("/etc/hush/metrics-cert.pem", flags.Text(&s.MetricsTLSCert, "", "`file` with the certificate chain of --metrics-listen in PEM format (default: the certificate of --listen)"))},
		{"metrics-tls-key", flags.Example("/etc/hush/metrics-key.pem", flags.Text(&s.MetricsTLSKey, "", "`file` with the private key of --metrics-tls-cert in PEM format"))},
		{"metrics-token-file", flags.Example("/etc/hush/metrics-token", flags.Text(&s.MetricsTokenFile, "", "`file` with the token in its first line that scrapers of --metrics-listen must send: Authorization: Bearer TOKEN"))},
		{"metrics-client-ca", flags.Example("/etc/hush/metrics-ca.pem", flags.Text(&s.MetricsClientCA, "", "`file` with certificates of authorities in PEM format: scrapers of --metrics-listen must have a certificate of one of them"))},
	}
}

var (
	errNotLocal  = errors.New("must be on this machine: 127.0.0.1:PORT, [::1]:PORT, localhost:PORT, unix:PATH or systemd:NAME; it asks for no password; --metrics-listen serves metrics to other machines")
	errNotRemote = errors.New("must be host:port or systemd:NAME: --admin-listen serves metrics on a socket of this machine")
)

func checkAdminListen(text string) error {
	if text == "" {
		return nil
	}
	if err := checkAddress(text); err != nil {
		return err
	}
	kind, place := ParseAddress(text)
	if kind != ListenTCP {
		return nil
	}
	if host, _, err := net.SplitHostPort(place); err != nil || !hosts.IsLoopback(host) {
		return errNotLocal
	}
	return nil
}

// CheckAdminAddr returns an error if a socket, which systemd may have opened, can
// be reached from other machines.
func CheckAdminAddr(addr net.Addr) error {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && !tcp.IP.IsLoopback() {
		return errNotLocal
	}
	return nil
}

func checkMetricsListen(text string) error {
	if text == "" {
		return nil
	}
	if kind, _ := ParseAddress(text); kind == ListenUnix {
		return errNotRemote
	}
	return checkAddress(text)
}

// checkMetrics returns a usage error for metrics that other machines would get without
// TLS or without a proof of who asks.
func (s *Settings) checkMetrics() error {
	if s.MetricsListen == "" {
		for _, set := range []struct{ flag, value string }{
			{"--metrics-tls-cert", s.MetricsTLSCert}, {"--metrics-tls-key", s.MetricsTLSKey},
			{"--metrics-token-file", s.MetricsTokenFile}, {"--metrics-client-ca", s.MetricsClientCA},
		} {
			if set.value != "" {
				return command.Usage("%s needs --metrics-listen: without an address no metrics are served to other machines", set.flag)
			}
		}
		return nil
	}
	switch {
	case (s.MetricsTLSCert == "") != (s.MetricsTLSKey == ""):
		return command.Usage("--metrics-tls-cert and --metrics-tls-key go together")
	case s.MetricsTLSCert == "" && s.TLS() == TLSOff:
		return command.Usage("--metrics-listen=%s needs TLS: name a certificate with --metrics-tls-cert and --metrics-tls-key; --admin-listen serves metrics to this machine without it", s.MetricsListen)
	case s.MetricsTokenFile == "" && s.MetricsClientCA == "":
		return command.Usage("--metrics-listen=%s is for other machines: say who may scrape, with --metrics-token-file or --metrics-client-ca; --admin-listen serves metrics to this machine without either", s.MetricsListen)
	}
	return nil
}
