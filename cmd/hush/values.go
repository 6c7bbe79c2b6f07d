package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

func text(at *string, fallback, about string) define {
	return func(set *pflag.FlagSet, name string) { set.StringVar(at, name, fallback, about) }
}

// checkedValue is a flag's value that is parsed when it is set.
type checkedValue struct {
	text  string
	set   func(string) error
	words []string // the only values, if there are few
}

func (v *checkedValue) String() string { return v.text }

// Type is what help shows for a value that its text does not name.
func (v *checkedValue) Type() string { return strings.Join(v.words, "|") }

func (v *checkedValue) Set(text string) error {
	if err := v.set(text); err != nil {
		return err
	}
	v.text = text
	return nil
}

func checked(at *string, fallback, about string, check func(string) error) define {
	*at = fallback
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{text: fallback, set: func(text string) error { *at = text; return check(text) }}, name, about)
	}
}

func parsed[T any](at *T, about string, parse func(string) (T, error)) define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{set: func(text string) (err error) { *at, err = parse(text); return err }}, name, about)
	}
}

// repeated is a flag that may be given often; each adds to what is there.
func repeated[T any](at *[]T, about string, parse func(string) ([]T, error)) define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{set: func(text string) error {
			more, err := parse(text)
			*at = append(*at, more...)
			return err
		}}, name, about)
	}
}

// choice is a flag with a few words for values, the first of them its default.
func choice(at *string, about string, words ...string) define {
	*at = words[0]
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{text: words[0], words: words, set: func(text string) error {
			*at = text
			return oneOf(words)(text)
		}}, name, about)
	}
}

func oneOf(words []string) func(string) error {
	return func(text string) error {
		if !slices.Contains(words, text) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		return nil
	}
}

func size(at *int64, fallback int64, about string) define {
	*at = fallback
	return func(set *pflag.FlagSet, name string) {
		shown := strconv.FormatInt(fallback>>20, 10) + "MiB"
		if fallback%(1<<30) == 0 {
			shown = strconv.FormatInt(fallback>>30, 10) + "GiB"
		}
		set.Var(&checkedValue{text: shown, set: func(text string) (err error) { *at, err = parseSize(text); return err }}, name, about)
	}
}

// checkedSize is a number of bytes that stays zero where it was not given; shown
// is what that means.
func checkedSize(at *int64, shown, about string, check func(int64) error) define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{text: shown, set: func(text string) (err error) {
			if *at, err = parseSize(text); err != nil {
				return err
			}
			return check(*at)
		}}, name, about)
	}
}

// duration is a flag whose value stays zero where it was not given; shown is
// what that means.
func duration(at *time.Duration, shown, about string) define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{text: shown, set: func(text string) (err error) { *at, err = parseDuration(text); return err }}, name, about)
	}
}

// keeping is a flag of how long something is kept.
func keeping(at *time.Duration, shown, about string) define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{text: shown, set: func(text string) (err error) {
			if *at, err = parseSpan(text, day, maxKeep); err != nil {
				return errors.New("must be 1d to 3650d, as in 90d or 36h")
			}
			return nil
		}}, name, about)
	}
}

// number is a flag of 0 to most, without one 0.
func number(at *int, most int, about string) define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{text: "0", set: func(text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 || n > most {
				return fmt.Errorf("must be a number from 0 to %d", most)
			}
			*at = n
			return nil
		}}, name, about)
	}
}

// count is a flag of 1 to most.
func count(at *int, fallback, most int, about string) define {
	*at = fallback
	return func(set *pflag.FlagSet, name string) {
		set.Var(&checkedValue{text: strconv.Itoa(fallback), set: func(text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > most {
				return fmt.Errorf("must be a number from 1 to %d", most)
			}
			*at = n
			return nil
		}}, name, about)
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

// The bounds on lifetimes, and on how long rows are kept.
const (
	day         = 24 * time.Hour
	maxDuration = 365 * day
	maxKeep     = 3650 * day
)

// parseDuration reads a lifetime.
func parseDuration(text string) (time.Duration, error) {
	d, err := parseSpan(text, time.Minute, maxDuration)
	if err != nil {
		return 0, errors.New("must be 1m to 365d, as in 7d, 12h or 90m")
	}
	return d, nil
}

// parseSpan reads days, or what time.ParseDuration reads, of whole seconds.
func parseSpan(text string, least, most time.Duration) (d time.Duration, err error) {
	if days, found := strings.CutSuffix(text, "d"); found {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		d = time.Duration(n) * day
	} else {
		d, err = time.ParseDuration(text)
	}
	if err == nil && (d < least || d > most || d%time.Second != 0) {
		err = errors.New("out of range")
	}
	if err != nil {
		return 0, err
	}
	return d, nil
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

// checkPageURL takes the address of a page or picture of the operator's.
func checkPageURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(text) > 2048 {
		return errors.New("must be an address that begins with https:// or http://")
	}
	return nil
}

func parsePrefixes(text string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, part := range splitList(text) {
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

// splitList returns the parts between commas that are not empty.
func splitList(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
