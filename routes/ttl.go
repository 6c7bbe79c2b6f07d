package routes

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
)

// maxTTL is the longest time that is the same as a time.Duration and on the
// wire. The service's own ceiling is far below.
const maxTTL = int64(math.MaxInt64 / time.Second)

// parseTTL reads a number of seconds. Fractions are cut off, and what is above
// maxTTL becomes maxTTL. It answers nil, which means the service's default, for
// whatever is not a decimal number of at least one second: clients send 0, -1
// and empty texts when they mean no wish.
func parseTTL(text string) *durationpb.Duration {
	seconds := wholeSeconds(strings.TrimSpace(text))
	if seconds < 1 {
		return nil
	}
	return durationpb.New(time.Duration(min(seconds, maxTTL)) * time.Second)
}

func wholeSeconds(text string) int64 {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0 // hexadecimal, infinite, not a number at all
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil && !outOfRange(err) {
		return 0
	}
	if strings.ContainsAny(text, "eE") {
		return int64(max(0, min(number, float64(maxTTL))))
	}
	digits, _, _ := strings.Cut(text, ".")
	whole, err := strconv.ParseInt(digits, 10, 64)
	if err != nil && !outOfRange(err) {
		return 0 // no digit before the point
	}
	return whole
}

func outOfRange(err error) bool {
	return errors.Is(err, strconv.ErrRange)
}
