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

// maxSeconds is the longest time that is the same as a time.Duration and on the
// wire. The service's own ceiling is far below.
const maxSeconds = int64(math.MaxInt64 / time.Second)

// Duration returns the lifetime that a parameter holds, or nil for the service's
// default.
func (p Params) Duration(name string) (*durationpb.Duration, error) {
	text, err := p.Text(name)
	if err != nil {
		return nil, err
	}
	return parseDuration(text), nil
}

// parseDuration reads a number of seconds, or of the unit s, m, h, d or w that
// follows it. Fractions of a second are cut off, and what is above maxSeconds
// becomes maxSeconds. It returns nil, which means the service's default, for
// anything else and for less than one second: clients send 0, -1 and empty
// texts when they do not ask for a lifetime.
func parseDuration(text string) *durationpb.Duration {
	number, unit := cutUnit(strings.TrimSpace(text))
	seconds := wholeSeconds(number, unit)
	if seconds < 1 {
		return nil
	}
	return durationpb.New(time.Duration(min(seconds, maxSeconds)) * time.Second)
}

// cutUnit splits a text into its number and the seconds of its unit. Units are
// lower case: an M would be minutes to some and months to others.
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

// wholeSeconds multiplies a decimal number with a unit. It returns zero for
// what is not a number above zero.
func wholeSeconds(text string, unit int64) int64 {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0 // hexadecimal, infinite, not a number at all
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
		return maxSeconds // the number was read already: it is too long for an int64
	}
	return whole*unit + partOf(unit, fraction)
}

// partOf returns the whole seconds in a decimal fraction of a unit. Nine digits
// are more than a week has seconds.
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
