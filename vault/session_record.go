package vault

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"hush/storage"
)

// How long sessions last, from the study of what others got wrong
// (R-SES-1): without use, and at all.
const (
	SessionIdle     = 2 * time.Hour
	SessionLifetime = 24 * time.Hour
	// RememberedIdle and RememberedLifetime are for sessions of people who
	// asked to stay signed in.
	RememberedIdle     = 7 * 24 * time.Hour
	RememberedLifetime = 30 * 24 * time.Hour
)

// sessionsMost is how many sessions an account may have; the oldest ends for a
// new one.
const sessionsMost = 100

const sessionVersion = 1

// publicID names a session or token to its account. It opens nothing.
type publicID [8]byte

func newPublicID() publicID { return publicID(newPairID()) }

// String is the id as it is shown: 16 characters 0-9 and a-f.
func (id publicID) String() string { return hex.EncodeToString(id[:]) }

// sessionRecord is a browser that somebody signed in with.
//
//	version 1 │ account id 16 │ public id 8 │ created 8 │ used 8 │ remembered? 1
//	│ pair id 8 │ masked network (4, text) │ wrapped key (4, bytes)
type sessionRecord struct {
	account       AccountID
	id            publicID
	created, used time.Time
	remembered    bool
	pair          pairID
	network       string
	wrapped       []byte // the pair's private half, for the session's id
}

func (r *sessionRecord) encode() []byte {
	w := make(writer, 0, 160)
	w.byte(sessionVersion)
	w.bytes(r.account[:])
	w.bytes(r.id[:])
	w.time(r.created)
	w.time(r.used)
	w.bool(r.remembered)
	w.bytes(r.pair[:])
	w.text(r.network)
	w.sized(r.wrapped)
	return w
}

func decodeSession(data []byte) (*sessionRecord, error) {
	in := reader{rest: data}
	var r sessionRecord
	in.version(sessionVersion)
	in.into(r.account[:])
	in.into(r.id[:])
	r.created, r.used, r.remembered = in.time(), in.time(), in.bool()
	in.into(r.pair[:])
	r.network, r.wrapped = in.text(), in.sized()
	return &r, in.end()
}

// latest is when the session ends however much it is used.
func (r *sessionRecord) latest() time.Time {
	if r.remembered {
		return r.created.Add(RememberedLifetime)
	}
	return r.created.Add(SessionLifetime)
}

// ends is when the session ends if it was last used at the given time.
func (r *sessionRecord) ends(used time.Time) time.Time {
	idle := SessionIdle
	if r.remembered {
		idle = RememberedIdle
	}
	end, latest := used.Add(idle), r.latest()
	if latest.Before(end) {
		return latest
	}
	return end
}

// describe shows a session that was last used at the given time.
func (r *sessionRecord) describe(used time.Time, current bool) Session {
	return Session{
		ID: r.id.String(), Created: r.created, Used: used, Expires: r.latest(),
		Network: r.network, Current: current, Remembered: r.remembered,
	}
}

// sessionsKey is a session's row in the list of its account: newer ones come
// first.
func (r *sessionRecord) sessionsKey() []byte {
	key := make([]byte, 0, len(r.account)+8+len(r.id))
	key = append(key, r.account[:]...)
	key = append(key, bigEndian(^millis(r.created))...)
	return append(key, r.id[:]...)
}

// getSession loads a session, or returns ErrNotFound.
func getSession(tx storage.Tx, row [32]byte) (*sessionRecord, error) {
	data, err := tx.Get(bucketSession, row[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return decodeSession(data)
}

// ownSession is a session with its row.
type ownSession struct {
	row    [32]byte
	record *sessionRecord
}

// getSessions loads an account's sessions, newest first, with those whose end
// the sweeper has not seen yet.
func getSessions(tx storage.Tx, id AccountID) (list []ownSession, err error) {
	owned, err := ownRows(tx, bucketSessions, id)
	if err != nil {
		return nil, err
	}
	for _, row := range owned {
		record, err := getSession(tx, row)
		if err != nil {
			return nil, fmt.Errorf("session that its account lists: %w", missing(err))
		}
		list = append(list, ownSession{row, record})
	}
	return list, nil
}

// ownRows reads an account's list of sessions or tokens.
func ownRows(tx storage.Tx, bucket string, id AccountID) (list [][32]byte, err error) {
	err = tx.Range(bucket, id[:], prefixEnd(id[:]), func(_, value []byte) error {
		if len(value) != 32 {
			return errDamaged
		}
		list = append(list, [32]byte(value))
		return nil
	})
	return list, err
}

// missing turns ErrNotFound into a fault where a row has to be there.
func missing(err error) error {
	if errors.Is(err, ErrNotFound) {
		return errFault
	}
	return err
}

// putSession adds a session to its account.
func putSession(tx storage.Tx, row [32]byte, r *sessionRecord) error {
	if err := tx.Put(bucketSession, row[:], r.encode()); err != nil {
		return err
	}
	if err := tx.Put(bucketSessions, r.sessionsKey(), row[:]); err != nil {
		return err
	}
	if err := tally(tx, tallied{countSessions, +1}); err != nil {
		return err
	}
	return putDue(tx, r.ends(r.used), dueSession, row[:])
}

// deleteSession ends a session. Its row in the index of what is due stays: it
// finds nothing.
func deleteSession(tx storage.Tx, s ownSession) error {
	if err := tx.Delete(bucketSession, s.row[:]); err != nil {
		return err
	}
	if err := tx.Delete(bucketSessions, s.record.sessionsKey()); err != nil {
		return err
	}
	if err := tally(tx, tallied{countSessions, -1}); err != nil {
		return err
	}
	return dropPair(tx, s.record.account, s.record.pair)
}
