package rows

// Format numbers what may be stored. A release that stores something that an
// earlier one cannot read, or relies on something that an earlier one does not
// write, has the next format. The formats of a store only grow. A store that
// nodes share gets the next format once all of them read it, and until then they
// write what the oldest can read; see Tx.Format. A store of one process gets it at
// the start; see cluster.RaiseFormat.
type Format uint32

const (
	// FormatFirst is the format of a store without a record of it.
	FormatFirst Format = 1
	// formatNow is the newest format that the sources know. To raise it, add
	// its release to FirstRelease, and a frozen folder to the tests.
	formatNow Format = 4
	// FormatOldest is the first format that this release writes, up to
	// FormatNewest. It reads all earlier ones too.
	FormatOldest Format = 1
)

// FormatClaims is the first format whose stores may have end-to-end encrypted secrets,
// and claims.
const FormatClaims Format = 2

// FormatRequests is the first format whose stores may have requests and answers to them.
const FormatRequests Format = 3

// FormatFiles is the first format whose stores may have files, which are fetched in parts.
const FormatFiles Format = 4

// FirstRelease returns the first release that writes the format, or "" for one
// that this release does not know.
func (f Format) FirstRelease() string {
	switch f {
	case 1:
		return "0.1.0"
	case 2:
		return "0.2.0"
	case 3:
		return "0.3.0"
	case 4:
		return "0.4.0"
	}
	return ""
}

// FormatNewest returns the newest format that this release reads and writes.
func FormatNewest() Format { return formatNewest }

// FormatRootKeys is the first format whose stores may have several root keys, and
// sealed values that name theirs.
const FormatRootKeys Format = 2
