package vault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hush/storage"
)

const (
	// tokensMost is how many API tokens an account may have.
	tokensMost = 20
	// tokenNameMost is the longest name of a token, in characters.
	tokenNameMost = 64
	// tokenNameDefault is the name of the token that programs are given which
	// know of one only.
	tokenNameDefault = "default"
)

const tokenVersion = 1

// tokenRecord is an API token.
//
//	version 1 │ account id 16 │ public id 8 │ scopes 1 │ created 8 │ expires 8
//	│ used 8 │ pair id 8 │ name (4, text) │ wrapped key (4, bytes)
type tokenRecord struct {
	account                AccountID
	id                     publicID
	scopes                 Scopes
	created, expires, used time.Time // expires and used may be zero: never
	pair                   pairID
	name                   string
	wrapped                []byte // the pair's private half, for the token
}

func (r *tokenRecord) encode() []byte {
	w := make(writer, 0, 160)
	w.byte(tokenVersion)
	w.bytes(r.account[:])
	w.bytes(r.id[:])
	w.byte(byte(r.scopes))
	w.time(r.created)
	w.time(r.expires)
	w.time(r.used)
	w.bytes(r.pair[:])
	w.text(r.name)
	w.sized(r.wrapped)
	return w
}

func decodeToken(data []byte) (*tokenRecord, error) {
	in := reader{rest: data}
	var r tokenRecord
	in.version(tokenVersion)
	in.into(r.account[:])
	in.into(r.id[:])
	r.scopes = Scopes(in.byte())
	r.created, r.expires, r.used = in.time(), in.time(), in.time()
	in.into(r.pair[:])
	r.name, r.wrapped = in.text(), in.sized()
	return &r, in.end()
}

func (r *tokenRecord) expired(now time.Time) bool {
	return !r.expires.IsZero() && !now.Before(r.expires)
}

// describe shows a token that was last used at the given time.
func (r *tokenRecord) describe(used time.Time) APIToken {
	return APIToken{
		ID: r.id.String(), Name: r.name, Scopes: r.scopes,
		Created: r.created, Expires: r.expires, Used: used,
	}
}

// tokensKey is a token's row in the list of its account: older ones come
// first.
func (r *tokenRecord) tokensKey() []byte {
	key := make([]byte, 0, len(r.account)+8+len(r.id))
	key = append(key, r.account[:]...)
	key = append(key, bigEndian(millis(r.created))...)
	return append(key, r.id[:]...)
}

// getToken loads a token, or returns ErrNotFound.
func getToken(tx storage.Tx, row [32]byte) (*tokenRecord, error) {
	data, err := tx.Get(bucketToken, row[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return decodeToken(data)
}

// ownToken is a token with its row.
type ownToken struct {
	row    [32]byte
	record *tokenRecord
}

// getTokens loads an account's tokens, oldest first, with those whose end the
// sweeper has not seen yet.
func getTokens(tx storage.Tx, id AccountID) (list []ownToken, err error) {
	owned, err := ownRows(tx, bucketTokens, id)
	if err != nil {
		return nil, err
	}
	for _, row := range owned {
		record, err := getToken(tx, row)
		if err != nil {
			return nil, fmt.Errorf("token that its account lists: %w", missing(err))
		}
		list = append(list, ownToken{row, record})
	}
	return list, nil
}

// putToken adds a token to its account. It returns ErrDuplicate if its name is
// in use, unless it may rotate: then the one of that name ends. It returns
// TooManyError if there are too many.
func putToken(tx storage.Tx, t ownToken, rotate bool) error {
	present, err := getTokens(tx, t.record.account)
	if err != nil {
		return err
	}
	ending := present[:0:0]
	for _, other := range present {
		named := other.record.name == t.record.name
		if named && !rotate && !other.record.expired(t.record.created) {
			return ErrDuplicate
		}
		if named || other.record.expired(t.record.created) {
			ending = append(ending, other)
		}
	}
	if len(present)-len(ending) >= tokensMost {
		return &TooManyError{What: "API tokens", Limit: tokensMost}
	}
	if err := t.put(tx); err != nil {
		return err
	}
	// Those that end go last: the new token may hold the pair of one of them.
	return deleteTokens(tx, ending)
}

func (t ownToken) put(tx storage.Tx) error {
	if err := tx.Put(bucketToken, t.row[:], t.record.encode()); err != nil {
		return err
	}
	if err := tx.Put(bucketTokens, t.record.tokensKey(), t.row[:]); err != nil {
		return err
	}
	if t.record.expires.IsZero() {
		return nil
	}
	return putDue(tx, t.record.expires, dueToken, t.row[:])
}

// deleteTokens ends tokens. What asks for their end at a time stays: it finds
// nothing.
func deleteTokens(tx storage.Tx, list []ownToken) error {
	for _, t := range list {
		if err := tx.Delete(bucketToken, t.row[:]); err != nil {
			return err
		}
		if err := tx.Delete(bucketTokens, t.record.tokensKey()); err != nil {
			return err
		}
		if err := dropPair(tx, t.record.account, t.record.pair); err != nil {
			return err
		}
	}
	return nil
}

// draft checks what is asked for and returns the record that it makes, as far
// as it says.
func (n NewToken) draft(now time.Time) (*tokenRecord, error) {
	name := strings.TrimSpace(n.Name)
	if name == "" {
		name = tokenNameDefault
	}
	if err := checkTokenName(name); err != nil {
		return nil, err
	}
	if n.Scopes&^ScopesAll != 0 {
		return nil, &InvalidError{Field: "scopes", Text: "has one that does not exist"}
	}
	r := &tokenRecord{id: newPublicID(), scopes: n.Scopes, created: now, name: name}
	if r.scopes == 0 {
		r.scopes = ScopesAll
	}
	if n.TTL == nil {
		return r, nil
	}
	if *n.TTL < MinimumTTL {
		return nil, &InvalidError{Field: "ttl", Text: "must be at least a minute"}
	}
	r.expires = now.Add(n.TTL.Truncate(time.Second))
	return r, nil
}

func checkTokenName(name string) error {
	if utf8.RuneCountInString(name) > tokenNameMost {
		return &InvalidError{Field: "name", Text: fmt.Sprintf("is longer than %d characters", tokenNameMost)}
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(name) || slices.ContainsFunc([]rune(name), unprintable) {
		return &InvalidError{Field: "name", Text: "has a character that cannot be printed"}
	}
	return nil
}
