package postgres

import (
	"slices"

	"github.com/tidwall/btree"
)

// rowKey names a row.
type rowKey struct {
	bucket int16
	key    string
}

// change is what a row shall be: a value, or gone.
type change struct {
	value []byte
	gone  bool
}

// overlay holds changes that are not in the database yet, by bucket. The zero
// value and nil are empty.
type overlay struct {
	buckets map[int16]*btree.Map[string, change]
	size    int // bytes that it takes to send, or a little more
	n       int // changes made, those replaced included
}

const changeOverhead = 16

func (o *overlay) set(at rowKey, c change) {
	if o.buckets == nil {
		o.buckets = map[int16]*btree.Map[string, change]{}
	}
	rows := o.buckets[at.bucket]
	if rows == nil {
		rows = new(btree.Map[string, change])
		o.buckets[at.bucket] = rows
	}
	rows.Set(at.key, c)
	o.n++
	o.size += len(at.key) + len(c.value) + changeOverhead
}

func (o *overlay) get(at rowKey) (change, bool) {
	if o == nil || o.buckets[at.bucket] == nil {
		return change{}, false
	}
	return o.buckets[at.bucket].Get(at.key)
}

func (o *overlay) empty() bool { return o == nil || o.n == 0 }

// merge adds what other holds, which is later.
func (o *overlay) merge(other *overlay) {
	for bucket, rows := range other.buckets {
		rows.Scan(func(key string, c change) bool {
			o.set(rowKey{bucket, key}, c)
			return true
		})
	}
}

// keyed is a change and its key.
type keyed struct {
	key string
	change
}

// within returns the changes in r, in order.
func (o *overlay) within(bucket int16, r keyRange) []keyed {
	if o == nil || o.buckets[bucket] == nil {
		return nil
	}
	var found []keyed
	o.buckets[bucket].Ascend(r.from, func(key string, c change) bool {
		if !r.below(key) {
			return false
		}
		found = append(found, keyed{key, c})
		return true
	})
	return found
}

// touches reports whether there is a change in r.
func (o *overlay) touches(bucket int16, r keyRange) bool {
	if o == nil || o.buckets[bucket] == nil {
		return false
	}
	found := false
	o.buckets[bucket].Ascend(r.from, func(key string, _ change) bool {
		found = r.below(key)
		return false
	})
	return found
}

// sortedBuckets returns the buckets that have changes, in order: all nodes
// write in one order, so that they never wait for each other in a circle.
func (o *overlay) sortedBuckets() []int16 {
	all := make([]int16, 0, len(o.buckets))
	for bucket := range o.buckets {
		all = append(all, bucket)
	}
	slices.Sort(all)
	return all
}

// keyRange is the keys from <= key < to, or without an end.
type keyRange struct {
	from, to string
	open     bool
}

func newRange(from, to []byte) keyRange {
	return keyRange{from: string(from), to: string(to), open: to == nil}
}

func (r keyRange) below(key string) bool { return r.open || key < r.to }

// through is r up to key and with it.
func (r keyRange) through(key string) keyRange { return keyRange{from: r.from, to: key + "\x00"} }

// beyond is greater than every key.
var beyond = slices.Repeat([]byte{0xff}, maxKeySize+1)

// end returns the end that the database is asked for.
func (r keyRange) end() []byte {
	if r.open {
		return beyond
	}
	return []byte(r.to)
}

// mergeChanges lays upper over lower, both in order.
func mergeChanges(lower, upper []keyed) []keyed {
	if len(lower) == 0 {
		return upper
	}
	if len(upper) == 0 {
		return lower
	}
	merged := make([]keyed, 0, len(lower)+len(upper))
	for len(lower) > 0 && len(upper) > 0 {
		if lower[0].key < upper[0].key {
			merged, lower = append(merged, lower[0]), lower[1:]
			continue
		}
		if lower[0].key == upper[0].key {
			lower = lower[1:]
		}
		merged, upper = append(merged, upper[0]), upper[1:]
	}
	return append(append(merged, lower...), upper...)
}
