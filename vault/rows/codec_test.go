package rows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/storage"
	"hush/testtier/property"
	"hush/vault/recordtest"
	"hush/vault/rows"
)

// record has a field of each kind.
type record struct {
	version  byte
	kind     byte
	flag     bool
	small    uint32
	large    uint64
	signed   int64
	fraction float64
	at       time.Time
	lasts    time.Duration
	slot     storage.Slot
	id       [4]byte
	sized    []byte
	text     string
	texts    []string
	list     [][2]byte
	short    [][2]byte
	optional *uint32
	newer    uint32
	rest     []byte
}

func (r *record) fields(c *rows.Codec) {
	version := c.VersionUpTo(2, r.version)
	rows.Between(c, &r.kind, 3, 5)
	c.Bool(&r.flag)
	c.Uint32(&r.small)
	c.Uint64(&r.large)
	c.Int64(&r.signed)
	c.Float64(&r.fraction)
	c.Time(&r.at)
	c.Seconds(&r.lasts)
	c.Slot(&r.slot)
	c.Label("label")
	c.Bytes(r.id[:])
	c.Sized(&r.sized)
	c.Text(&r.text)
	c.Texts(&r.texts)
	for v := range rows.List(c, &r.list) {
		c.Bytes(v[:])
	}
	for v := range rows.ShortList(c, &r.short) {
		c.Bytes(v[:])
	}
	if rows.Present(c, &r.optional) {
		c.Uint32(r.optional)
	}
	if version > 1 {
		c.Uint32(&r.newer)
	}
	c.Rest(&r.rest)
	r.version = version
}

// Whatever a record holds, it holds after it was written and read, and none of its
// beginnings is a record.
func TestCodecRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		stored := rows.Encode(0, r, (*record).fields)
		got := new(record)
		err := rows.Decode(stored, got, (*record).fields)
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(record{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" || err != nil {
			t.Errorf("Decode(Encode(r)): got %v, -want +got\n%s", err, diff)
		}
		for size := range len(stored) - len(r.rest) {
			if err := rows.Decode(stored[:size], new(record), (*record).fields); !errors.Is(err, rows.ErrDamaged) {
				t.Errorf("Decode(%d of %d bytes): got %v, want %v", size, len(stored), err, rows.ErrDamaged)
			}
		}
	})
}

func drawRecord(t *rapid.T) *record {
	r := &record{
		version: rapid.ByteRange(1, 2).Draw(t, "version"), kind: rapid.ByteRange(3, 5).Draw(t, "kind"), flag: rapid.Bool().Draw(t, "flag"),
		small: rapid.Uint32().Draw(t, "small"), large: rapid.Uint64().Draw(t, "large"), signed: rapid.Int64().Draw(t, "signed"),
		fraction: rapid.Float64().Draw(t, "fraction"), at: recordtest.Moments().Draw(t, "at"),
		lasts: time.Duration(rapid.Int64Range(0, 1<<33).Draw(t, "lasts")) * time.Second,
		slot:  storage.Slot{Number: rapid.Uint64().Draw(t, "slot"), Generation: rapid.Uint64().Draw(t, "generation")},
		id:    [4]byte(recordtest.Bytes(4).Draw(t, "id")), sized: rapid.SliceOf(rapid.Byte()).Draw(t, "sized"), text: rapid.String().Draw(t, "text"),
		texts: rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "texts"), list: drawList(t, "list"), short: drawList(t, "short"),
		optional: rapid.Ptr(rapid.Uint32(), true).Draw(t, "optional"), rest: rapid.SliceOf(rapid.Byte()).Draw(t, "rest"),
	}
	if r.version > 1 {
		r.newer = rapid.Uint32().Draw(t, "newer")
	}
	return r
}

func drawList(t *rapid.T, name string) (list [][2]byte) {
	for range rapid.IntRange(0, 4).Draw(t, name) {
		list = append(list, [2]byte(recordtest.Bytes(2).Draw(t, name+"'s element")))
	}
	return list
}

// What no record writes is damage.
func TestCodecRefuses(t *testing.T) {
	t.Parallel()
	type codec = rows.Codec
	for name, c := range map[string]struct {
		data   []byte
		fields func(*struct{}, *codec)
	}{
		"another version":       {[]byte{2}, func(_ *struct{}, c *codec) { c.Version(1) }},
		"version 0 of several":  {[]byte{0}, func(_ *struct{}, c *codec) { c.VersionUpTo(3, 3) }},
		"a later version":       {[]byte{4}, func(_ *struct{}, c *codec) { c.VersionUpTo(3, 3) }},
		"a number below":        {[]byte{1}, func(_ *struct{}, c *codec) { rows.Between(c, new(byte), 2, 3) }},
		"a number above":        {[]byte{4}, func(_ *struct{}, c *codec) { rows.Between(c, new(byte), 2, 3) }},
		"a flag that is 2":      {[]byte{2}, func(_ *struct{}, c *codec) { c.Bool(new(bool)) }},
		"a time before 1970":    {[]byte{0x80, 0, 0, 0, 0, 0, 0, 0}, func(_ *struct{}, c *codec) { c.Time(new(time.Time)) }},
		"a duration too long":   {[]byte{0, 0, 0, 3, 0, 0, 0, 0}, func(_ *struct{}, c *codec) { c.Seconds(new(time.Duration)) }},
		"another label":         {[]byte("lapel"), func(_ *struct{}, c *codec) { c.Label("label") }},
		"a length too large":    {[]byte{0, 0, 0, 2, 'a'}, func(_ *struct{}, c *codec) { c.Text(new(string)) }},
		"a count too large":     {[]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, func(_ *struct{}, c *codec) { c.Texts(new([]string)) }},
		"a byte too many":       {[]byte{1, 0}, func(_ *struct{}, c *codec) { c.Version(1) }},
		"what fields refuses":   {[]byte{1}, func(_ *struct{}, c *codec) { c.Version(1); c.Refuse(true) }},
		"what was refused once": {[]byte{1, 1}, func(_ *struct{}, c *codec) { c.Version(2); c.Version(1) }},
	} {
		if err := rows.Decode(c.data, new(struct{}), c.fields); !errors.Is(err, rows.ErrDamaged) {
			t.Errorf("Decode(%s): got %v, want %v", name, err, rows.ErrDamaged)
		}
	}
}

// A record is written and read without memory of the codec's own.
func TestCodecAllocates(t *testing.T) {
	if testing.CoverMode() != "" {
		return // counters keep the compiler from calling fields directly
	}
	r := &record{version: 2, kind: 3}
	buffer := make([]byte, 0, 256)
	if got := testing.AllocsPerRun(100, func() { rows.EncodeTo(buffer, r, (*record).fields) }); got != 0 {
		t.Errorf("EncodeTo(buffer, r): got %v allocations, want 0", got)
	}
	stored := rows.EncodeTo(buffer, r, (*record).fields)
	if got := testing.AllocsPerRun(100, func() { _ = rows.Decode(stored, r, (*record).fields) }); got != 0 {
		t.Errorf("Decode(stored, r): got %v allocations, want 0", got)
	}
}
