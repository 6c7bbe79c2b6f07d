package backup

import "time"

// The name of a backup ends with the time at which it was made, in TimeForm and UTC, and
// a suffix.
const (
	TimeForm     = "20060102T150405Z"
	Suffix       = ".hushbackup"
	SealedSuffix = Suffix + ".age" // of an encrypted one
)

// NameAt returns the prefix with the end of the name of a backup that was made at a time.
func NameAt(prefix string, at time.Time, encrypted bool) string {
	name := prefix + at.UTC().Format(TimeForm)
	if encrypted {
		return name + SealedSuffix
	}
	return name + Suffix
}
