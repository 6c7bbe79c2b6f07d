package console

import (
	"strconv"
	"strings"
)

// Count returns a number with its noun, as in "2 secrets" and "1 secret". The noun
// is given in the plural, which ends with an s.
func Count[N int | int32 | int64 | uint64](n N, plural string) string {
	if n == 1 {
		plural = strings.TrimSuffix(plural, "s")
	}
	return strconv.FormatInt(int64(n), 10) + " " + plural
}
