// Package flags has the kinds of values that flags take: text, words of a list,
// sizes, durations, numbers, and whatever a function reads. A value is checked
// when it is set, so that a mistake is reported with the name of its flag or
// variable.
package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Define adds a flag under its name to a set.
type Define func(set *pflag.FlagSet, name string)

// Text is a flag whose value is any text.
func Text(at *string, fallback, about string) Define {
	return func(set *pflag.FlagSet, name string) { set.StringVar(at, name, fallback, about) }
}

// Switch is a flag that is on or off, which is the default.
func Switch(at *bool, about string) Define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(switched{at}, name, about)
		set.Lookup(name).NoOptDefVal = strconv.FormatBool(true)
	}
}

// switched is the value of Switch. pflag has one whose errors are those of strconv.
type switched struct{ at *bool }

func (v switched) String() string { return strconv.FormatBool(v.at != nil && *v.at) }

// Type is what help and completion know a switch by.
func (switched) Type() string { return "bool" }

// Set parses a value.
func (v switched) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("must be true or false")
	}
	*v.at = on
	return nil
}

// Empty returns the first flag that was given an empty value, in the order of names; nil if
// none was. A variable of a shell that is not set makes one, which would count as no flag.
func Empty(set *pflag.FlagSet) (empty *pflag.Flag) {
	set.Visit(func(f *pflag.Flag) {
		v, ok := f.Value.(*value)
		if empty == nil && (f.Value.String() == "" || ok && v.emptied) {
			empty = f
		}
	})
	return empty
}

// FromHome returns the first flag of a file or a folder that was given a path of ~ or
// ~user, in the order of names; nil if none was. A shell expands it in "--data ~/x" and not
// in "--data=~/x", where it would be a folder called ~ here.
func FromHome(set *pflag.FlagSet) (found *pflag.Flag) {
	set.Visit(func(f *pflag.Flag) {
		if found == nil && isPath(f) && IsFromHome(f, f.Value.String()) {
			found = f
		}
	})
	return found
}

// IsFromHome reports whether a value of a flag is a path that a shell would have expanded:
// it would be a folder called ~ or ~user here.
func IsFromHome(f *pflag.Flag, value string) bool {
	user, _, below := strings.Cut(value, "/")
	return value == "~" || below && (user == "~" || isPath(f) && strings.HasPrefix(user, "~"))
}

func isPath(f *pflag.Flag) bool {
	kind, _ := pflag.UnquoteUsage(f)
	return kind == "file" || kind == "folder"
}

// Words returns the only values that a flag takes, or nil if there are others.
func Words(f *pflag.Flag) []string {
	if v, ok := f.Value.(*value); ok {
		return v.words
	}
	return nil
}

// value is a flag's value that is parsed when it is set.
type value struct {
	text  string
	set   func(string) error
	words []string // the only values, if there are few
	// secret: errors do not repeat the value.
	secret bool
	// list: there may be several values, separated by commas. repeated: they may
	// also be set one after the other.
	list, repeated bool
	// emptied: one of the values was empty.
	emptied bool
}

// errNothingListed refuses a list of commas and blanks alone.
var errNothingListed = errors.New("must name at least one, and not only commas and blanks")

func (v *value) String() string { return v.text }

// Type is what help shows for a value that its text does not name.
func (v *value) Type() string { return strings.Join(v.words, "|") }

// Set parses a value.
func (v *value) Set(text string) error {
	v.emptied = v.emptied || text == ""
	if err := v.set(text); err != nil {
		return err
	}
	if v.list && text != "" && len(SplitList(text)) == 0 {
		return errNothingListed // it would count as given, and mean nothing
	}
	v.text = text
	return nil
}

// Checked is a flag whose value is a text that check accepts.
func Checked(at *string, fallback, about string, check func(string) error) Define {
	*at = fallback
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: fallback, set: func(text string) error { *at = text; return check(text) }}, name, about)
	}
}

// Secret is Checked for a value that may hold a password, so that no error
// repeats it.
func Secret(at *string, fallback, about string, check func(string) error) Define {
	*at = fallback
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: fallback, set: func(text string) error { *at = text; return check(text) }, secret: true}, name, about)
	}
}

// Unrepeated makes errors not repeat the values of a flag of this package: what is
// pasted there by mistake may be a key.
func Unrepeated(define Define) Define {
	return func(set *pflag.FlagSet, name string) {
		define(set, name)
		if v, ok := set.Lookup(name).Value.(*value); ok {
			v.secret = true
		}
	}
}

// IsSecret reports whether errors must not repeat the value of f.
func IsSecret(f *pflag.Flag) bool {
	v, ok := f.Value.(*value)
	return ok && v.secret
}

// Parsed is a flag whose value parse returns; without the flag it is the zero
// value.
func Parsed[T any](at *T, about string, parse func(string) (T, error)) Define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{set: func(text string) (err error) { *at, err = parse(text); return err }}, name, about)
	}
}

// List is Parsed for values that commas separate.
func List[T any](at *[]T, about string, parse func(string) ([]T, error)) Define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{list: true, set: func(text string) (err error) { *at, err = parse(text); return err }}, name, about)
	}
}

// IsList reports whether f takes several values.
func IsList(f *pflag.Flag) bool {
	v, ok := f.Value.(*value)
	return ok && v.list
}

// IsRepeated reports whether setting f adds to its values.
func IsRepeated(f *pflag.Flag) bool {
	v, ok := f.Value.(*value)
	return ok && v.repeated
}

// Repeated is a flag that may be given several times; each adds to the values.
func Repeated[T any](at *[]T, about string, parse func(string) ([]T, error)) Define {
	return func(set *pflag.FlagSet, name string) {
		v := &value{list: true, repeated: true}
		v.set = func(text string) error {
			more, err := parse(text)
			*at = append(*at, more...)
			return err
		}
		set.Var(v, name, about)
	}
}

// Choice is a flag whose value is one of a few words, by default the first.
func Choice(at *string, about string, words ...string) Define {
	*at = words[0]
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: words[0], words: words, set: func(text string) error {
			*at = text
			return OneOf(words)(text)
		}}, name, about)
	}
}

// exampleAnnotation is the annotation of a flag with a value to begin with.
const exampleAnnotation = "hush_example"

// Example gives a flag without a default a value that shows its form.
func Example(value string, define Define) Define {
	return func(set *pflag.FlagSet, name string) {
		define(set, name)
		f := set.Lookup(name)
		f.Annotations = map[string][]string{exampleAnnotation: {value}}
	}
}

// ExampleOf returns a value that f takes: the one of Example, or the default.
func ExampleOf(f *pflag.Flag) string {
	if example := f.Annotations[exampleAnnotation]; example != nil {
		return example[0]
	}
	return f.DefValue
}

// OneOf returns a check that accepts a few words.
func OneOf(words []string) func(string) error {
	return func(text string) error {
		if !slices.Contains(words, text) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		return nil
	}
}

// Size is a flag whose value is a number of bytes.
func Size(at *int64, fallback int64, about string) Define {
	return SizeFrom(at, fallback, about, func(int64) error { return nil })
}

// SizeOrNone is Size for a number of bytes that may be 0.
func SizeOrNone(at *int64, fallback int64, about string) Define {
	return sizeAs(at, fallback, about, func(text string) (int64, error) {
		if text == "0" {
			return 0, nil
		}
		return parseSize(text)
	})
}

// SizeFrom is Size for a number of bytes that check accepts.
func SizeFrom(at *int64, fallback int64, about string, check func(int64) error) Define {
	return sizeAs(at, fallback, about, func(text string) (int64, error) {
		n, err := parseSize(text)
		if err != nil {
			return 0, err
		}
		return n, check(n)
	})
}

// sizeAs is a flag whose value is the number of bytes that parse reads.
func sizeAs(at *int64, fallback int64, about string, parse func(text string) (int64, error)) Define {
	*at = fallback
	return func(set *pflag.FlagSet, name string) {
		shown := strconv.FormatInt(fallback>>20, 10) + "MiB"
		if fallback%(1<<30) == 0 {
			shown = strconv.FormatInt(fallback>>30, 10) + "GiB"
		}
		set.Var(&value{text: shown, set: func(text string) (err error) {
			*at, err = parse(text)
			return err
		}}, name, about)
	}
}

// CheckedSize is a flag whose value is a number of bytes that check accepts. The
// value stays zero without the flag, and help shows shown as the default.
func CheckedSize(at *int64, shown, about string, check func(int64) error) Define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: shown, set: func(text string) (err error) {
			if *at, err = parseSize(text); err != nil {
				return err
			}
			return check(*at)
		}}, name, about)
	}
}

// Duration is a flag whose value is a lifetime. The value stays zero without the
// flag, and help shows shown as the default.
func Duration(at *time.Duration, shown, about string) Define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: shown, set: func(text string) (err error) { *at, err = parseDuration(text); return err }}, name, about)
	}
}

// Keeping is a flag whose value is how long something is kept, shown as in
// Duration.
func Keeping(at *time.Duration, shown, about string) Define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: shown, set: func(text string) (err error) {
			if *at, err = parseSpan(text, Day, maxKeep); err != nil {
				return errors.New("must be 1d to 3650d, as in 90d or 36h")
			}
			return nil
		}}, name, about)
	}
}

// Wait is a flag whose value is how long to wait, 0s by default.
func Wait(at *time.Duration, about string) Define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: "0s", set: func(text string) (err error) {
			if *at, err = parseSpan(text, 0, time.Hour); err != nil {
				return errors.New("must be 0s to 1h, as in 30s or 5m")
			}
			return nil
		}}, name, about)
	}
}

// Number is a flag whose value is 0 to most, 0 by default.
func Number(at *int, most int, about string) Define {
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: "0", set: func(text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 || n > most {
				return fmt.Errorf("must be a number from 0 to %d", most)
			}
			*at = n
			return nil
		}}, name, about)
	}
}

// Count is a flag whose value is 1 to most.
func Count(at *int, fallback, most int, about string) Define {
	*at = fallback
	return func(set *pflag.FlagSet, name string) {
		set.Var(&value{text: strconv.Itoa(fallback), set: func(text string) error {
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

// Day is how long a day is for flags: a time zone has no part in it.
const Day = 24 * time.Hour

// The bounds on lifetimes, and on how long rows are kept.
const (
	maxDuration = 365 * Day
	maxKeep     = 3650 * Day
)

// parseDuration reads a lifetime.
func parseDuration(text string) (time.Duration, error) {
	d, err := parseSpan(text, time.Minute, maxDuration)
	if err != nil {
		return 0, errors.New("must be 1m to 365d, as in 7d, 12h or 90m")
	}
	return d, nil
}

// ParseSpan reads how long something lasts: days, or what time.ParseDuration reads,
// of whole seconds and up to ten years.
func ParseSpan(text string) (time.Duration, error) { return parseSpan(text, 0, maxKeep) }

// parseSpan reads days, or what time.ParseDuration reads, of whole seconds.
func parseSpan(text string, least, most time.Duration) (d time.Duration, err error) {
	if days, found := strings.CutSuffix(text, "d"); found {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		d = time.Duration(n) * Day
	} else {
		d, err = time.ParseDuration(text)
	}
	switch {
	case err != nil:
		return 0, errors.New("not a length of time: write 45s, 15m, 12h or 7d")
	case d < least || d > most || d%time.Second != 0:
		return 0, errors.New("out of range")
	default:
		return d, nil
	}
}

// SplitList returns the parts between commas that are not empty.
func SplitList(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
