package people

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

const (
	day = 24 * time.Hour
	// maxLifetime bounds what is asked for; servers allow less.
	maxLifetime = 10 * 365 * day
)

var errLifetime = errors.New("must be a lifetime such as 30m, 12h, 1h30m, 3d or 2w, from 1s to 3650d")

// parseLifetime reads whole numbers with the units w, d, h, m and s, as in 1h30m.
func parseLifetime(text string) (time.Duration, error) {
	var total time.Duration
	for rest := text; rest != ""; {
		at := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if at < 1 {
			return 0, errLifetime
		}
		n, err := strconv.ParseUint(rest[:at], 10, 32)
		length := unitOf(rest[at : at+1])
		if err != nil || length == 0 || n > uint64(maxLifetime/length) {
			return 0, errLifetime
		}
		total += time.Duration(n) * length
		rest = rest[at+1:]
	}
	if total < time.Second || total > maxLifetime {
		return 0, errLifetime
	}
	return total, nil
}

// unitOf returns the length of a unit, zero for none.
func unitOf(letter string) time.Duration {
	switch letter {
	case "w":
		return 7 * day
	case "d":
		return day
	case "h":
		return time.Hour
	case "m":
		return time.Minute
	case "s":
		return time.Second
	default:
		return 0
	}
}
