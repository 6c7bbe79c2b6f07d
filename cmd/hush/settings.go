package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// settings are the values of every flag there is. A command registers those
// that it uses; the environment may hold the others.
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
	minFree        int64
	tlsCert        string
	tlsKey         string
	cpuProfile     string
}

// The most that may be kept, and what stays free on the disk.
const (
	defaultMaxBytes     = 64 << 30
	defaultNetworkBytes = 256 << 20
	defaultMinFree      = 256 << 20
)

// register adds the named flags to set.
func (s *settings) register(set *flag.FlagSet, names ...string) {
	for _, name := range names {
		s.flags()[name](set, name)
	}
}

// flags is the one list of flags, and with it of variables.
func (s *settings) flags() map[string]func(set *flag.FlagSet, name string) {
	return map[string]func(set *flag.FlagSet, name string){
		"data":            text(&s.data, "./hush-data", "`folder` for the data; created with mode 0700 where there is none"),
		"listen":          checked(&s.listen, "127.0.0.1:7143", "`host:port` to listen on", checkListen),
		"base-url":        parsed(&s.baseURL, "`URL` that people reach the service under; links are made of it (default: http://LISTEN)", parseBaseURL),
		"root-key-file":   text(&s.rootKeyFile, "", "`file` with the root key, from \"hush keygen\" (default: root.key in the data folder)"),
		"rate-limits":     choice(&s.rateLimits, "limits on how often one network may call", "on", "off"),
		"log-format":      choice(&s.logFormat, "how log lines are written", "text", "json"),
		"log-level":       choice(&s.logLevel, "the least of what is logged", "info", "debug", "warn", "error"),
		"trusted-proxies": parsed(&s.trustedProxies, "comma-separated `addresses` or networks that may say in X-Forwarded-For for whom they call", parsePrefixes),
		"store":           choice(&s.store, "where data is kept (\"memory\" forgets everything at the end and is for tests and measurements)", "bolt", "memory"),
		"max-bytes":       size(&s.maxBytes, defaultMaxBytes, "the most `bytes` that all secrets may take together, as in 64GiB"),
		"max-network-bytes": size(&s.networkBytes, defaultNetworkBytes,
			"the most `bytes` that the secrets of one network may take together"),
		"min-free-bytes": size(&s.minFree, defaultMinFree, "refuse new secrets when the disk has fewer `bytes` free"),
		"tls-cert":       text(&s.tlsCert, "", "`file` with the certificate chain in PEM; turns TLS on"),
		"tls-key":        text(&s.tlsKey, "", "`file` with the certificate's key in PEM"),
		"cpu-profile":    text(&s.cpuProfile, "", "`file` to write a CPU profile of the whole run to"),
	}
}

// parse reads a command's flags and, for those not given, the environment. It
// refuses unknown flags and unknown variables, and prints help if asked to.
func (p program) parse(name, arguments string, args []string, flags ...string) (*parsedArgs, error) {
	var out parsedArgs
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(p.stderr)
	set.Usage = func() { describe(set, arguments) }
	out.register(set, flags...)
	if slices.Contains(args, "--help") || slices.Contains(args, "-help") || slices.Contains(args, "-h") {
		set.SetOutput(p.stdout)
	}
	if err := parseQuietly(set, args); err != nil {
		return nil, err
	}
	if err := applyEnvironment(set, p.environment); err != nil {
		return nil, err
	}
	out.rest = set.Args()
	if arguments == "" && len(out.rest) > 0 {
		return nil, usage("%s takes no argument %q", name, out.rest[0])
	}
	return &out, nil
}

// parsedArgs are a command's settings and what follows its flags.
type parsedArgs struct {
	settings
	rest []string
}

// parseQuietly parses without flag's habit of printing help for every mistake.
func parseQuietly(set *flag.FlagSet, args []string) error {
	help := set.Usage
	set.Usage = func() {}
	out := set.Output()
	set.SetOutput(discard{})
	err := set.Parse(args)
	set.SetOutput(out)
	if errors.Is(err, flag.ErrHelp) {
		help()
		return err
	}
	if err != nil {
		return usage("%s: %v", set.Name(), err)
	}
	return nil
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// describe prints a command's help.
func describe(set *flag.FlagSet, arguments string) {
	w := set.Output()
	fmt.Fprintf(w, "Usage: hush %s [FLAGS]", set.Name())
	if arguments != "" {
		fmt.Fprintf(w, " %s", arguments)
	}
	fmt.Fprintf(w, "\n\nFlags, and the variables that stand for them:\n")
	set.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		fmt.Fprintf(w, "  --%s %s   (%s)\n      %s", f.Name, value, variable(f.Name), text)
		if f.DefValue != "" {
			fmt.Fprintf(w, " (default %s)", f.DefValue)
		}
		fmt.Fprintln(w)
	})
}

// variable is the name of a flag in the environment.
func variable(flagName string) string {
	return "HUSH_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// applyEnvironment sets flags that were not given from their variables, and
// refuses variables that no flag of the program has. What Kubernetes injects
// for a Service called hush is nobody's setting.
func applyEnvironment(set *flag.FlagSet, environment []string) error {
	given := map[string]bool{}
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	known := map[string]string{}
	for name := range new(settings).flags() {
		known[variable(name)] = name
	}
	for _, entry := range environment {
		key, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(key, "HUSH_") || injected(key) {
			continue
		}
		name, ok := known[key]
		if !ok {
			return usage("unknown variable %s in the environment", key)
		}
		if set.Lookup(name) == nil || given[name] {
			continue
		}
		if err := set.Set(name, value); err != nil {
			return usage("%s: %v", key, err)
		}
	}
	return nil
}

func injected(key string) bool {
	return key == "HUSH_PORT" || strings.HasPrefix(key, "HUSH_PORT_") || strings.HasPrefix(key, "HUSH_SERVICE_")
}

func text(at *string, fallback, about string) func(*flag.FlagSet, string) {
	return func(set *flag.FlagSet, name string) { set.StringVar(at, name, fallback, about) }
}

// checkedValue is a flag's value that is parsed when it is set.
type checkedValue struct {
	text string
	set  func(string) error
}

func (v *checkedValue) String() string { return v.text }

func (v *checkedValue) Set(text string) error {
	if err := v.set(text); err != nil {
		return err
	}
	v.text = text
	return nil
}

func checked(at *string, fallback, about string, check func(string) error) func(*flag.FlagSet, string) {
	*at = fallback
	return func(set *flag.FlagSet, name string) {
		set.Var(&checkedValue{fallback, func(text string) error { *at = text; return check(text) }}, name, about)
	}
}

func parsed[T any](at *T, about string, parse func(string) (T, error)) func(*flag.FlagSet, string) {
	return func(set *flag.FlagSet, name string) {
		set.Var(&checkedValue{"", func(text string) (err error) { *at, err = parse(text); return err }}, name, about)
	}
}

// choice is a flag with a few words for values, the first of them its default.
func choice(at *string, about string, words ...string) func(*flag.FlagSet, string) {
	return checked(at, words[0], about+", `"+strings.Join(words, "|")+"`", func(text string) error {
		if !slices.Contains(words, text) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		return nil
	})
}

func size(at *int64, fallback int64, about string) func(*flag.FlagSet, string) {
	*at = fallback
	return func(set *flag.FlagSet, name string) {
		shown := strconv.FormatInt(fallback>>20, 10) + "MiB"
		if fallback%(1<<30) == 0 {
			shown = strconv.FormatInt(fallback>>30, 10) + "GiB"
		}
		set.Var(&checkedValue{shown, func(text string) (err error) { *at, err = parseSize(text); return err }}, name, about)
	}
}

// parseSize reads bytes, or KiB, MiB or GiB.
func parseSize(text string) (int64, error) {
	shift := 0
	for unit, by := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if number, found := strings.CutSuffix(text, unit); found {
			text, shift = number, by
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > 1<<62>>shift {
		return 0, errors.New("must be a number of bytes, KiB, MiB or GiB greater than zero")
	}
	return n << shift, nil
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
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
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
