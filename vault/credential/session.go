package credential

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// The buckets of this file.
const (
	BucketSession  = "session"  // seal.SessionID.Row -> SessionRecord
	BucketSessions = "sessions" // account id ‖ ^created (8) ‖ id (8) -> the session's row
)

// The lifetimes of sessions (R-SES-1): without use, and in total.
const (
	SessionIdle     = 2 * time.Hour
	SessionLifetime = 24 * time.Hour
	// RememberedIdle and RememberedLifetime apply to sessions that are to stay
	// signed in.
	RememberedIdle     = 7 * 24 * time.Hour
	RememberedLifetime = 30 * 24 * time.Hour
)

// SessionsMost is the maximum number of sessions of an account; a new one then
// ends the oldest.
const SessionsMost = 100

// The versions of SessionRecord. A session of a device without names has the
// first, which 0.1.0 reads.
const (
	sessionVersion       = 1
	sessionVersionDevice = 2
)

// PublicID identifies a session or token to its account. It opens nothing.
type PublicID [8]byte

// NewPublicID returns a fresh id.
func NewPublicID() PublicID { return PublicID(NewPairID()) }

// String returns the id as shown: 16 characters 0-9 and a-f.
func (id PublicID) String() string { return hex.EncodeToString(id[:]) }

// SessionRecord is a signed-in browser.
//
//	version 2 │ account id 16 │ public id 8 │ created 8 │ used 8 │ remembered? 1
//	│ pair id 8 │ masked network (4, text) │ wrapped key (4, bytes)
//	│ browser (4, text) │ system (4, text)
//
// Version 1 has no browser and no system.
type SessionRecord struct {
	Account       caller.AccountID
	ID            PublicID
	Created, Used time.Time
	Remembered    bool
	Pair          caller.PairID
	Network       string
	Wrapped       []byte // the pair's private half, for the session's id
	Device        caller.Device
}

func (r *SessionRecord) fields(c *rows.Codec) {
	version := c.VersionUpTo(sessionVersionDevice, r.version())
	c.Bytes(r.Account[:])
	c.Bytes(r.ID[:])
	c.Time(&r.Created)
	c.Time(&r.Used)
	c.Bool(&r.Remembered)
	c.Bytes(r.Pair[:])
	c.Text(&r.Network)
	c.Sized(&r.Wrapped)
	if version == sessionVersionDevice {
		c.Text(&r.Device.Browser)
		c.Text(&r.Device.System)
		c.Refuse(r.version() != version)
	}
}

func (r *SessionRecord) version() byte {
	if r.Device == (caller.Device{}) {
		return sessionVersion
	}
	return sessionVersionDevice
}

// encode encodes a session.
func (r *SessionRecord) encode() []byte { return rows.Encode(160, r, (*SessionRecord).fields) }

// decodeSession decodes a session.
func decodeSession(data []byte) (*SessionRecord, error) {
	r := new(SessionRecord)
	return r, rows.Decode(data, r, (*SessionRecord).fields)
}

// latest returns when the session ends regardless of use.
func (r *SessionRecord) latest() time.Time {
	if r.Remembered {
		return r.Created.Add(RememberedLifetime)
	}
	return r.Created.Add(SessionLifetime)
}

// ends returns when the session ends if it was last used at the given time.
func (r *SessionRecord) ends(used time.Time) time.Time {
	idle := SessionIdle
	if r.Remembered {
		idle = RememberedIdle
	}
	end, latest := used.Add(idle), r.latest()
	if latest.Before(end) {
		return latest
	}
	return end
}

// Describe describes a session that was last used at the given time.
func (r *SessionRecord) Describe(used time.Time, current bool) Session {
	return Session{
		ID: r.ID.String(), Created: r.Created, Used: used, Expires: r.latest(),
		Network: r.Network, Device: r.Device, Current: current, Remembered: r.Remembered,
	}
}

// sessionsKey returns a session's row in the list of its account: newer ones
// come first.
func (r *SessionRecord) sessionsKey() []byte {
	key := make([]byte, 0, len(r.Account)+8+len(r.ID))
	key = append(key, r.Account[:]...)
	key = append(key, rows.BigEndian(^rows.Millis(r.Created))...)
	return append(key, r.ID[:]...)
}

// GetSession loads a session, or returns ErrNotFound.
func GetSession(tx storage.Tx, row [32]byte) (*SessionRecord, error) {
	return rows.Load(tx, BucketSession, row[:], decodeSession)
}

// OwnSession is a session with its row.
type OwnSession struct {
	Row    [32]byte
	Record *SessionRecord
}

// GetSessions loads an account's sessions, newest first. It includes expired
// ones that the sweeper has not deleted yet.
func GetSessions(tx storage.Tx, id caller.AccountID) (list []OwnSession, err error) {
	owned, err := ownRows(tx, BucketSessions, id)
	if err != nil {
		return nil, err
	}
	for _, row := range owned {
		record, err := GetSession(tx, row)
		if err != nil {
			return nil, fmt.Errorf("session that its account lists: %w", missing(err))
		}
		list = append(list, OwnSession{row, record})
	}
	return list, nil
}

// ownRows reads an account's list of sessions or tokens.
func ownRows(tx storage.Tx, bucket string, id caller.AccountID) (list [][32]byte, err error) {
	err = tx.Range(bucket, id[:], rows.PrefixEnd(id[:]), func(_, value []byte) error {
		if len(value) != 32 {
			return rows.ErrDamaged
		}
		list = append(list, [32]byte(value))
		return nil
	})
	return list, err
}

// missing turns ErrNotFound into an internal error where a row must exist.
func missing(err error) error {
	if errors.Is(err, refusal.ErrNotFound) {
		return rows.ErrInconsistent
	}
	return err
}
