package cluster

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"hush/vault/rows"
)

// BucketNode has number 2 -> NodeRecord, number 2 ‖ 1 -> BeatRecord, 0xff 0 ‖
// work 1 -> LeaseRecord, and 0xff 1 -> FormatRecord. It exists only in a store
// that several nodes may share. The heartbeat is a row of its own, so that
// transactions that check the node do not conflict with it.
const BucketNode = "node"

// NodeMost is the maximum number of nodes at a time. No number begins with
// 0xff.
const NodeMost = 1024

const (
	nodeVersion = 1
	beatVersion = 2
)

// The maximum lengths in bytes of what describes a node.
const (
	nodeNameMost    = 255
	nodeReleaseMost = 64
)

// Instance identifies one run of a node. It is random.
type Instance [16]byte

func newInstance() (id Instance) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

// NodeRecord is the holder of a node's number.
//
//	version 1 │ instance 16 │ started 8 │ oldest format 4 │ newest format 4
//	│ name (4, text) │ release (4, text)
type NodeRecord struct {
	Instance Instance
	Started  time.Time
	Formats  Formats
	Name     string // that the operator gave, or of the machine; not unique
	Release  string // the program's version
}

// Encode encodes a node.
func (r NodeRecord) Encode() []byte {
	w := make(rows.Writer, 0, 41+len(r.Name)+len(r.Release))
	w.Byte(nodeVersion)
	w.Bytes(r.Instance[:])
	w.Time(r.Started)
	w.Uint32(uint32(r.Formats.Oldest))
	w.Uint32(uint32(r.Formats.Newest))
	w.Text(r.Name)
	w.Text(r.Release)
	return w
}

// DecodeNode decodes a node.
func DecodeNode(data []byte) (NodeRecord, error) {
	in := rows.NewReader(data)
	var r NodeRecord
	in.Version(nodeVersion)
	in.Into(r.Instance[:])
	r.Started = in.Time()
	r.Formats = Formats{rows.Format(in.Uint32()), rows.Format(in.Uint32())}
	r.Name, r.Release = in.Text(), in.Text()
	return r, in.End()
}

// BeatRecord is a node's last heartbeat. It has two forms. The older one says nothing
// of root keys, and is written as long as a node may run that reads no other: until
// the store has the format FormatRootKeys.
//
//	version 1 │ time 8 │ milliseconds that the store's clock is ahead, signed 8
//
//	version 2 │ time 8 │ milliseconds 8 │ seals since 8 │ keys 1 × kid 4
type BeatRecord struct {
	Time   time.Time
	Offset time.Duration // whole milliseconds
	// SealsSince is when the node began to seal with the first of Keys: zero if it
	// has done so since it joined.
	SealsSince time.Time
	// Keys are the kids of the root keys that the node holds, first the one that it
	// seals with; none if it does not say.
	Keys [][4]byte
}

// Encode encodes a heartbeat: in the older form if it says nothing of root keys.
func (r BeatRecord) Encode() []byte {
	w := make(rows.Writer, 0, 26+4*len(r.Keys))
	if len(r.Keys) == 0 {
		w.Byte(beatVersion - 1)
	} else {
		w.Byte(beatVersion)
	}
	w.Time(r.Time)
	w.Uint64(uint64(r.Offset.Milliseconds()))
	if len(r.Keys) == 0 {
		return w
	}
	w.Time(r.SealsSince)
	w.Byte(byte(len(r.Keys)))
	for _, kid := range r.Keys {
		w.Bytes(kid[:])
	}
	return w
}

// DecodeBeat decodes a heartbeat.
func DecodeBeat(data []byte) (BeatRecord, error) {
	in := rows.NewReader(data)
	var r BeatRecord
	version := in.UpTo(beatVersion)
	r.Time = in.Time()
	offset := int64(in.Uint64())
	const most = math.MaxInt64 / int64(time.Millisecond)
	in.Refuse(offset > most || offset < -most)
	r.Offset = time.Duration(offset) * time.Millisecond
	if version == beatVersion {
		r.SealsSince = in.Time()
		r.Keys = make([][4]byte, in.Byte())
		for i := range r.Keys {
			in.Into(r.Keys[i][:])
		}
		in.Refuse(len(r.Keys) == 0)
	}
	return r, in.End()
}

func nodeKey(number uint16) []byte { return binary.BigEndian.AppendUint16(nil, number) }

func beatKey(number uint16) []byte { return append(nodeKey(number), 1) }

// nodesEnd is the first key of BucketNode that is not about a number.
func nodesEnd() []byte { return []byte{0xff} }

// short returns a text as valid UTF-8, cut after a number of bytes.
func short(text string, most int) string {
	text = strings.ToValidUTF8(text, "?")
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// CheckNodeRow returns ErrDamaged for a row of BucketNode that cannot be read.
func CheckNodeRow(key, value []byte) error {
	var err error
	switch {
	case string(key) == string(formatKey()):
		_, err = DecodeFormat(value)
	case len(key) == 3 && key[0] == 0xff:
		_, err = DecodeLease(value)
	case len(key) == 3:
		_, err = DecodeBeat(value)
	case len(key) == 2:
		_, err = DecodeNode(value)
	default:
		return rows.ErrDamaged
	}
	return err
}
