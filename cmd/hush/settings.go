package main

import (
	"flag"
	"log/slog"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"hush/vault"
)

// settings are the values of every flag that a variable stands for. A command
// registers those that it uses; the environment may hold the others.
type settings struct {
	data           string
	listen         string
	baseURL        *url.URL
	rootKeyFile    string
	rateLimits     string
	logFormat      string
	logLevel       string
	trustedProxies []netip.Prefix
	store          string
	maxBytes       int64
	networkBytes   int64
	memoryLimit    int64 // 0 if it was not given
	accountBytes   int64
	minFree        int64
	networkConns   int
	auditKeep      time.Duration
	tlsCert        string
	tlsKey         string
	cpuProfile     string
	resolver       string
	sandbox        string

	policySettings
	mailSettings
}

// The most that may be kept, and what stays free on the disk.
const (
	defaultMaxBytes     = 64 << 30
	defaultNetworkBytes = 256 << 20
	defaultAccountBytes = 1 << 30
	defaultMinFree      = 256 << 20
)

// defaultNetworkConnections is how many connections one network may have open.
const defaultNetworkConnections = 256

// register adds the named flags to set.
func (s *settings) register(set *flag.FlagSet, names ...string) {
	flags := s.flags()
	for _, name := range names {
		flags[name](set, name)
	}
}

// define adds a flag under its name to a set.
type define func(set *flag.FlagSet, name string)

// flags is the one list of flags, and with it of variables.
func (s *settings) flags() map[string]define {
	all := s.serviceFlags()
	maps.Copy(all, s.policyFlags())
	maps.Copy(all, s.mailFlags())
	return all
}

// flagNames lists all of them.
func flagNames() []string { return slices.Sorted(maps.Keys(new(settings).flags())) }

func (s *settings) serviceFlags() map[string]define {
	return map[string]define{
		"data":            text(&s.data, "./hush-data", "`folder` for the data; created with mode 0700 where there is none"),
		"listen":          checked(&s.listen, "127.0.0.1:7143", "`host:port` to listen on", checkListen),
		"base-url":        parsed(&s.baseURL, "`URL` that people reach the service under; links are made of it (default: http://LISTEN)", parseBaseURL),
		"root-key-file":   text(&s.rootKeyFile, "", "`file` with the root key, from \"hush keygen\" (default: root.key in the data folder)"),
		"rate-limits":     choice(&s.rateLimits, "limits on how often one network may call", "on", "off"),
		"log-format":      choice(&s.logFormat, "how log lines are written", "text", "json"),
		"log-level":       choice(&s.logLevel, "the least of what is logged", "info", "debug", "warn", "error"),
		"trusted-proxies": parsed(&s.trustedProxies, "comma-separated `addresses` or networks that may say in X-Forwarded-For for whom they call", parsePrefixes),
		"store":           choice(&s.store, "where data is kept (\"memory\" forgets everything at the end and is for tests and measurements)", "bolt", "memory"),
		"max-bytes":       size(&s.maxBytes, defaultMaxBytes, "the most `bytes` that all secrets and receipts may take together, as in 64GiB; a quarter of them is for accounts alone"),
		"max-account-bytes": size(&s.accountBytes, defaultAccountBytes,
			"the most `bytes` that the secrets and receipts of one account may take together"),
		"max-network-bytes": size(&s.networkBytes, defaultNetworkBytes,
			"the most `bytes` that the secrets and receipts of one network without an account may take together; an IPv6 /48 may take four times as much"),
		"max-connections-per-network": count(&s.networkConns, defaultNetworkConnections, maxConnections,
			"the most `connections` that one network may have open; trusted proxies may have any number"),
		"min-free-bytes": size(&s.minFree, defaultMinFree, "refuse new secrets when the disk has fewer `bytes` free"),
		"memory-limit": checkedSize(&s.memoryLimit, "nine tenths of the control group's",
			"the `bytes` of memory that the process tries to stay below, as in 512MiB; at least 128MiB", checkMemory),
		"audit-keep":  keeping(&s.auditKeep, "90d", "the `duration` for which rows of the audit trail are kept, 1d to 3650d"),
		"tls-cert":    text(&s.tlsCert, "", "`file` with the certificate chain in PEM; turns TLS on"),
		"tls-key":     text(&s.tlsKey, "", "`file` with the certificate's key in PEM"),
		"cpu-profile": text(&s.cpuProfile, "", "`file` to write a CPU profile of the whole run to"),
		"sandbox":     choice(&s.sandbox, "restrict the process to its own files with Landlock: auto where the kernel can, on to refuse to start without it", "auto", "on", "off"),
		"resolver":    checked(&s.resolver, "", "`host:port` of the DNS server that is asked about domains (default: the system's)", checkResolver),
	}
}

// check returns a usage error for values that do not go together.
func (s *settings) check() error {
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return usage("--tls-cert and --tls-key go together")
	}
	if err := s.mailSettings.check(); err != nil {
		return err
	}
	return s.policySettings.check()
}

// limits bound what callers may keep.
func (s *settings) limits() vault.Limits {
	return vault.Limits{
		TotalBytes: s.maxBytes, NetworkBytes: s.networkBytes, AccountBytes: s.accountBytes,
		DefaultTTL: s.standardTTL(), AnonymousTTL: s.anonymousTTL, AccountTTL: s.accountTTL,
	}
}

// logger makes the program's logger.
func (s *settings) logger(p program) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.logLevel)) // choice admits only levels
	options := &slog.HandlerOptions{Level: level}
	if s.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.stderr, options))
	}
	return slog.New(slog.NewTextHandler(p.stderr, options))
}
