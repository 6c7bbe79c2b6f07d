package main

import (
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cmd/hush/process"
	"hush/vault/caller"
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

// settingGroup is the annotation of a flag that holds the title of its group.
const settingGroup = "hush_setting_group"

// define adds a flag under its name to a set.
type define func(set *pflag.FlagSet, name string)

// setting is a flag with a variable.
type setting struct {
	name   string
	define define
}

// group is what help shows under one title.
type group struct {
	title    string
	settings []setting
}

// addSettings adds the named settings to the flags of a command. Those that it
// does not name have their defaults.
func addSettings(c *cobra.Command, names ...string) *settings {
	s := &settings{}
	for _, group := range s.groups() {
		for _, setting := range group.settings {
			if slices.Contains(names, setting.name) {
				setting.define(c.Flags(), setting.name)
				c.Flags().Lookup(setting.name).Annotations = map[string][]string{settingGroup: {group.title}}
			}
		}
	}
	return s
}

// flagNames lists all settings.
func flagNames() (names []string) {
	for _, group := range new(settings).groups() {
		for _, setting := range group.settings {
			names = append(names, setting.name)
		}
	}
	return names
}

// groups is the one list of settings, and with it of variables.
func (s *settings) groups() []group {
	return []group{
		{"Network", s.networkSettings()},
		{"Data", s.dataSettings()},
		{"Limits", s.limitSettings()},
		{"Secrets", s.secretSettings()},
		{"Accounts", s.accountSettings()},
		{"Pages", s.pageSettings()},
		{"Mail", s.relaySettings()},
		{"Process", s.processSettings()},
	}
}

func (s *settings) networkSettings() []setting {
	return []setting{
		{"listen", checked(&s.listen, "127.0.0.1:7143", "`host:port` to listen on", checkListen)},
		{"base-url", parsed(&s.baseURL, "`URL` under which people reach the service; links begin with it (default: http://LISTEN)", parseBaseURL)},
		{"tls-cert", text(&s.tlsCert, "", "`file` with the certificate chain in PEM; turns TLS on")},
		{"tls-key", text(&s.tlsKey, "", "`file` with the certificate's key in PEM")},
		{"trusted-proxies", parsed(&s.trustedProxies, "comma-separated `addresses` or networks of proxies whose X-Forwarded-For is believed", parsePrefixes)},
		{"resolver", checked(&s.resolver, "", "`host:port` of the DNS server to ask about domains (default: the system's)", checkResolver)},
	}
}

func (s *settings) dataSettings() []setting {
	return []setting{
		{"data", text(&s.data, "./hush-data", "`folder` of the data; created with mode 0700 if it does not exist")},
		{"root-key-file", text(&s.rootKeyFile, "", "`file` with the root key, from \"hush keygen\" (default: root.key in the data folder)")},
		{"store", choice(&s.store, "where data is kept; \"memory\" loses everything at the end and is for tests and measurements", "bolt", "memory")},
		{"audit-keep", keeping(&s.auditKeep, "90d", "`duration` for which rows of the audit trail are kept, 1d to 3650d")},
	}
}

func (s *settings) limitSettings() []setting {
	return []setting{
		{"max-bytes", size(&s.maxBytes, defaultMaxBytes, "most `bytes` that all secrets and receipts may take together, as in 64GiB; a quarter is reserved for accounts")},
		{"max-account-bytes", size(&s.accountBytes, defaultAccountBytes, "most `bytes` that the secrets and receipts of one account may take together")},
		{"max-network-bytes", size(&s.networkBytes, defaultNetworkBytes,
			"most `bytes` that the secrets and receipts of one network without an account may take together; an IPv6 /48 may take four times as much")},
		{"min-free-bytes", size(&s.minFree, defaultMinFree, "refuse new secrets when the disk has fewer `bytes` free")},
		{"max-connections-per-network", count(&s.networkConns, defaultNetworkConnections, maxConnections,
			"most `connections` that one network may have open; trusted proxies may have any number")},
		{"rate-limits", choice(&s.rateLimits, "limits on how often one network may call", "on", "off")},
		{"memory-limit", checkedSize(&s.memoryLimit, "nine tenths of the control group's",
			"`bytes` of memory that the process tries to stay below, as in 512MiB; at least 128MiB", process.CheckMemory)},
	}
}

func (s *settings) processSettings() []setting {
	return []setting{
		{"log-format", choice(&s.logFormat, "how log lines are written", "text", "json")},
		{"log-level", choice(&s.logLevel, "lowest level that is logged", "info", "debug", "warn", "error")},
		{"sandbox", choice(&s.sandbox, "restrict the process to its own files with Landlock: auto where the kernel can, on to refuse to start without it", "auto", "on", "off")},
		{"cpu-profile", text(&s.cpuProfile, "", "`file` to write a CPU profile of the whole run to")},
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
func (s *settings) limits() caller.Limits {
	return caller.Limits{
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
