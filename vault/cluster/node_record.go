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
// work 1 -> leaseRecord, and 0xff 1 -> FormatRecord. It exists only in a store
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

func (r *NodeRecord) fields(c *rows.Codec) {
	c.Version(nodeVersion)
	c.Bytes(r.Instance[:])
	c.Time(&r.Started)
	c.Uint32((*uint32)(&r.Formats.Oldest))
	c.Uint32((*uint32)(&r.Formats.Newest))
	c.Text(&r.Name)
	c.Text(&r.Release)
}

// Encode encodes a node.
func (r NodeRecord) Encode() []byte {
	return rows.Encode(41+len(r.Name)+len(r.Release), &r, (*NodeRecord).fields)
}

// DecodeNode decodes a node.
func DecodeNode(data []byte) (r NodeRecord, err error) {
	err = rows.Decode(data, &r, (*NodeRecord).fields)
	return r, err
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

func (r *BeatRecord) fields(c *rows.Codec) {
	version := c.VersionUpTo(beatVersion, r.version())
	c.Time(&r.Time)
	offset := r.Offset.Milliseconds()
	c.Int64(&offset)
	const most = math.MaxInt64 / int64(time.Millisecond)
	c.Refuse(offset > most || offset < -most)
	r.Offset = time.Duration(offset) * time.Millisecond
	if version == beatVersion {
		c.Time(&r.SealsSince)
		for kid := range rows.ShortList(c, &r.Keys) {
			c.Bytes(kid[:])
		}
		c.Refuse(len(r.Keys) == 0)
	}
}

// version returns that of the older form if the heartbeat says nothing of root keys.
func (r *BeatRecord) version() byte {
	if len(r.Keys) == 0 {
		return beatVersion - 1
	}
	return beatVersion
}

// Encode encodes a heartbeat.
func (r BeatRecord) Encode() []byte {
	return rows.Encode(26+4*len(r.Keys), &r, (*BeatRecord).fields)
}

// DecodeBeat decodes a heartbeat.
func DecodeBeat(data []byte) (r BeatRecord, err error) {
	err = rows.Decode(data, &r, (*BeatRecord).fields)
	return r, err
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
		_, err = decodeLease(value)
	case len(key) == 3:
		_, err = DecodeBeat(value)
	case len(key) == 2:
		_, err = DecodeNode(value)
	default:
		return rows.ErrDamaged
	}
	return err
}
