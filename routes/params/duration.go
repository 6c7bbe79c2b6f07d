package params

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"hush/routes/refusal"
)

// maxSeconds is the longest time that both time.Duration and the wire can
// represent. The service's own maximum is far below.
const maxSeconds = int64(math.MaxInt64 / time.Second)

// duration returns the lifetime in a parameter, or nil for the service's
// default. It refuses what is no lifetime: the default would be longer than was meant.
// A source that asks for none leaves it to the next one.
func (p Params) duration(name string) (*durationpb.Duration, error) {
	if _, err := p.Text(name); err != nil {
		return nil, err
	}
	for _, s := range p.sources() {
		v, _, err := s.scalar(name)
		if err != nil {
			return nil, err
		}
		lifetime, ok := parseDuration(v.text)
		if !ok {
			return nil, refusal.Invalid("%s must be a number of seconds, or a number with one of the units s, m, h, d and w: 90s, 15m, 1h, 3d, 1w", name)
		}
		if lifetime != nil {
			return lifetime, nil
		}
	}
	return nil, nil
}

// parseDuration parses a number of seconds, or of the unit s, m, h, d or w that
// follows it. It truncates fractions of a second and values above maxSeconds; less
// than a second is one. Clients send nothing, 0 or -1 when they do not ask for a
// lifetime: for these it returns nil, which means the service's default. It reports
// false for anything else.
func parseDuration(text string) (lifetime *durationpb.Duration, ok bool) {
	text = strings.TrimSpace(text)
	number, unit := cutUnit(text)
	whole, fraction, _ := strings.Cut(text, ".")
	isMinusOne := whole == "-1" && strings.Trim(fraction, "0") == "" // exactly: parseNumber rounds
	switch value, ok := parseNumber(number); {
	case text == "" || ok && value == 0 || isMinusOne:
		return nil, true
	case !ok || value < 0:
		return nil, false
	}
	seconds := max(wholeSeconds(number, unit), 1)
	return durationpb.New(time.Duration(min(seconds, maxSeconds)) * time.Second), true
}

// parseNumber returns a decimal number, which is infinite if it is too large. It
// reports false for text that is none, and for a number so close to zero that it
// would become zero.
func parseNumber(text string) (value float64, ok bool) {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, false // hexadecimal, infinite, or not a number
	}
	value, err := strconv.ParseFloat(text, 64)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	if value == 0 && strings.ContainsAny(digits, "123456789") {
		return 0, false
	}
	return value, err == nil || outOfRange(err)
}

// cutUnit splits a text into its number and the seconds of its unit. Units are
// lower case: M could mean minutes or months.
func cutUnit(text string) (number string, unit int64) {
	last := max(0, len(text)-1)
	switch text[last:] {
	case "s":
		return text[:last], 1
	case "m":
		return text[:last], 60
	case "h":
		return text[:last], 3600
	case "d":
		return text[:last], 86_400
	case "w":
		return text[:last], 604_800
	default:
		return text, 1
	}
}

// wholeSeconds multiplies a decimal number above zero, as parseNumber reads it, by a
// unit.
func wholeSeconds(text string, unit int64) int64 {
	number, _ := parseNumber(text)
	if strings.ContainsAny(text, "eE") {
		return int64(min(number*float64(unit), float64(maxSeconds)))
	}
	digits, fraction, _ := strings.Cut(strings.TrimPrefix(text, "+"), ".")
	whole, err := strconv.ParseInt(cmp.Or(digits, "0"), 10, 64)
	if err != nil || whole > maxSeconds/unit {
		return maxSeconds // the number is valid, so it is too large for an int64
	}
	const nine = 9 // digits are more than the seconds of a week have
	billionths, err := strconv.ParseInt((fraction + strings.Repeat("0", nine))[:nine], 10, 64)
	if err != nil {
		return whole * unit
	}
	return whole*unit + unit*billionths/1_000_000_000
}

func outOfRange(err error) bool {
	return errors.Is(err, strconv.ErrRange)
}
