package backup

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

const (
	magic   = "hushbkup"
	version = 1
)

// The bounds on what a file may say of itself.
const (
	maxHeader = 64 << 10
	maxText   = 256 // of the header
	maxName   = 1 << 10
	maxKey    = 1 << 10
	maxValue  = 64 << 20
)

// The letters that parts begin with.
const (
	partHeader  = 'H'
	partBucket  = 'B'
	partRow     = 'R'
	partSlot    = 'S'
	partTrailer = 'T'
)

// ErrDamaged reports that a file is not a backup, or not all of one, or that it
// was changed.
var ErrDamaged = errors.New("the backup is damaged")

// ErrNewer reports that a backup has a format that this release cannot read.
var ErrNewer = errors.New("the backup was made by a newer release of hush: upgrade hush")

// ID is a random number that tells stores and logs apart. It is hexadecimal in
// text.
type ID [16]byte

// String returns the id in hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText returns the id in hexadecimal digits.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the id from hexadecimal digits.
func (id *ID) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != len(id) {
		return fmt.Errorf("%w: an id is not 32 hexadecimal digits", ErrDamaged)
	}
	*id = ID(raw)
	return nil
}

// Header says where a backup comes from.
type Header struct {
	// Format is that of the rows.
	Format uint32 `json:"format"`
	// Release is that of the program which made the backup.
	Release string `json:"release"`
	// Time is when the backup was begun.
	Time time.Time `json:"time"`
	// Store is the id of the store.
	Store ID `json:"store"`
	// Spent is nil if the store has no spent log.
	Spent *Position `json:"spentLog,omitempty"`
	// RootKeys are the ids of the keys that the rows are sealed with.
	RootKeys []string `json:"rootKeys,omitempty"`
}

// Position is a place in a spent log. What a backup does not know to have ended
// has a higher sequence.
type Position struct {
	Log      ID     `json:"id"`
	Sequence uint64 `json:"sequence"`
}

func (h Header) encode() ([]byte, error) {
	h.Time = h.Time.UTC().Truncate(time.Millisecond)
	data, err := json.Marshal(h)
	if err == nil && len(data) > maxHeader {
		err = errors.New("backup: the header is too long")
	}
	return data, err
}

func decodeHeader(data []byte) (h Header, err error) {
	if err := json.Unmarshal(data, &h); err != nil {
		return Header{}, fmt.Errorf("%w: its header: %w", ErrDamaged, err)
	}
	for _, text := range append([]string{h.Release}, h.RootKeys...) { // which terminals get
		if len(text) > maxText || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return Header{}, fmt.Errorf("%w: its header", ErrDamaged)
		}
	}
	return h, nil
}

// Trailer says how much a backup holds.
type Trailer struct {
	Buckets uint64 `json:"buckets"`
	Rows    uint64 `json:"rows"`
	Shares  uint64 `json:"shares"`
	// Slots is the number of the first slot beyond all that the store had, live or
	// not, and Generation the highest of their generations.
	Slots      uint64 `json:"slots"`
	Generation uint64 `json:"generation"`
}

// numbers returns the fields in the order in which they are stored.
func (t *Trailer) numbers() []*uint64 {
	return []*uint64{&t.Buckets, &t.Rows, &t.Shares, &t.Slots, &t.Generation}
}
