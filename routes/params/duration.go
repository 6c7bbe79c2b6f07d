package params

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
)

// maxSeconds is the longest time that both time.Duration and the wire can
// represent. The service's own maximum is far below.
const maxSeconds = int64(math.MaxInt64 / time.Second)

// Duration returns the lifetime in a parameter, or nil for the service's
// default.
func (p Params) Duration(name string) (*durationpb.Duration, error) {
	text, err := p.Text(name)
	if err != nil {
		return nil, err
	}
	return parseDuration(text), nil
}

// parseDuration parses a number of seconds, or of the unit s, m, h, d or w that
// follows it. It truncates fractions of a second and values above maxSeconds.
// For anything else, and for less than one second, it returns nil, which means
// the service's default: clients send 0, -1 and empty texts when they do not
// ask for a lifetime.
func parseDuration(text string) *durationpb.Duration {
	number, unit := cutUnit(strings.TrimSpace(text))
	seconds := wholeSeconds(number, unit)
	if seconds < 1 {
		return nil
	}
	return durationpb.New(time.Duration(min(seconds, maxSeconds)) * time.Second)
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

// wholeSeconds multiplies a decimal number by a unit. It returns zero for text
// that is not a number above zero.
func wholeSeconds(text string, unit int64) int64 {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0 // hexadecimal, infinite, or not a number
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil && !outOfRange(err) || number <= 0 {
		return 0
	}
	if strings.ContainsAny(text, "eE") {
		return int64(min(number*float64(unit), float64(maxSeconds)))
	}
	digits, fraction, _ := strings.Cut(strings.TrimPrefix(text, "+"), ".")
	whole, err := strconv.ParseInt(cmp.Or(digits, "0"), 10, 64)
	if err != nil || whole > maxSeconds/unit {
		return maxSeconds // the number is valid, so it is too large for an int64
	}
	return whole*unit + partOf(unit, fraction)
}

// partOf returns the whole seconds in a decimal fraction of a unit. A week has
// fewer seconds than nine digits can count.
func partOf(unit int64, fraction string) int64 {
	const digits = 9
	fraction = (fraction + strings.Repeat("0", digits))[:digits]
	billionths, err := strconv.ParseInt(fraction, 10, 64)
	if err != nil {
		return 0
	}
	return unit * billionths / 1_000_000_000
}

func outOfRange(err error) bool {
	return errors.Is(err, strconv.ErrRange)
}
