package credential

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// The buckets of this file.
const (
	BucketToken  = "token"  // seal.APIToken.Row -> TokenRecord
	BucketTokens = "tokens" // account id ‖ created (8) ‖ id (8) -> the token's row
)

const (
	// TokensMost is the maximum number of API tokens of an account.
	TokensMost = 20
	// tokenNameMost is the maximum length of a token's name, in characters.
	tokenNameMost = 64
	// tokenNameDefault is the name of the token for programs that know only
	// one.
	tokenNameDefault = "default"
)

// The versions of TokenRecord. A token without a parent has the first.
const (
	tokenVersion       = 1
	tokenVersionParent = 2
)

// TokenRecord is an API token.
//
//	version 2 │ account id 16 │ public id 8 │ scopes 1 │ created 8 │ expires 8
//	│ used 8 │ pair id 8 │ name (4, text) │ wrapped key (4, bytes) │ parent's public id 8
//
// Version 1 has no parent: a person made the token, or the operator, or it is of a
// time when parents were not noted.
type TokenRecord struct {
	Account                caller.AccountID
	id                     PublicID
	Scopes                 caller.Scopes
	created, expires, Used time.Time // expires and Used may be zero: never
	Pair                   caller.PairID
	name                   string
	Wrapped                []byte   // the pair's private half, for the token
	parent                 PublicID // zero for none
}

func (r *TokenRecord) fields(c *rows.Codec) {
	version := c.VersionUpTo(tokenVersionParent, r.version())
	c.Bytes(r.Account[:])
	c.Bytes(r.id[:])
	rows.Byte(c, &r.Scopes)
	c.Time(&r.created)
	c.Time(&r.expires)
	c.Time(&r.Used)
	c.Bytes(r.Pair[:])
	c.Text(&r.name)
	c.Sized(&r.Wrapped)
	if version == tokenVersionParent {
		c.Bytes(r.parent[:])
		c.Refuse(r.version() != version)
	}
}

func (r *TokenRecord) version() byte {
	if r.parent == (PublicID{}) {
		return tokenVersion
	}
	return tokenVersionParent
}

func (r *TokenRecord) encode() []byte { return rows.Encode(160, r, (*TokenRecord).fields) }

// decodeToken decodes a stored token.
func decodeToken(data []byte) (*TokenRecord, error) {
	r := new(TokenRecord)
	return r, rows.Decode(data, r, (*TokenRecord).fields)
}

// Expired reports whether a token has expired.
func (r *TokenRecord) Expired(now time.Time) bool {
	return !r.expires.IsZero() && !now.Before(r.expires)
}

// Describe describes a token that was last used at the given time.
func (r *TokenRecord) Describe(used time.Time) APIToken {
	shown := APIToken{
		ID: r.id.String(), Name: r.name, Scopes: r.Scopes.Granted(),
		Created: r.created, Expires: r.expires, Used: used,
	}
	if r.parent != (PublicID{}) {
		shown.Parent = r.parent.String()
	}
	return shown
}

// tokensKey returns a token's row in the list of its account: older ones come
// first.
func (r *TokenRecord) tokensKey() []byte {
	key := make([]byte, 0, len(r.Account)+8+len(r.id))
	key = append(key, r.Account[:]...)
	key = append(key, rows.BigEndian(rows.Millis(r.created))...)
	return append(key, r.id[:]...)
}

// GetToken loads a token, or returns ErrNotFound.
func GetToken(tx storage.Tx, row [32]byte) (*TokenRecord, error) {
	return rows.Load(tx, BucketToken, row[:], decodeToken)
}

// OwnToken is a token with its row.
type OwnToken struct {
	row    [32]byte
	Record *TokenRecord
}

// GetTokens loads an account's tokens, oldest first. It includes expired ones
// that the sweeper has not deleted yet.
func GetTokens(tx storage.Tx, id caller.AccountID) (list []OwnToken, err error) {
	owned, err := ownRows(tx, BucketTokens, id)
	if err != nil {
		return nil, err
	}
	for _, row := range owned {
		record, err := GetToken(tx, row)
		if err != nil {
			return nil, fmt.Errorf("token that its account lists: %w", missing(err))
		}
		list = append(list, OwnToken{row, record})
	}
	return list, nil
}

// Draft checks the request and returns the record as far as the request
// determines it.
func (n NewToken) Draft(now time.Time) (*TokenRecord, error) {
	name := strings.TrimSpace(n.Name)
	if name == "" {
		name = tokenNameDefault
	}
	if err := checkTokenName(name); err != nil {
		return nil, err
	}
	if n.Scopes&^caller.ScopesAll != 0 {
		return nil, &refusal.InvalidError{Field: "scopes", Text: "has an unknown scope"}
	}
	r := &TokenRecord{id: NewPublicID(), Scopes: n.Scopes, created: now, name: name}
	if r.Scopes == 0 {
		r.Scopes = caller.ScopesAll
	}
	if n.TTL == nil {
		return r, nil
	}
	if *n.TTL < caller.MinimumTTL {
		return nil, &refusal.InvalidError{Field: "ttl", Text: "must be at least a minute"}
	}
	r.expires = now.Add(n.TTL.Truncate(time.Second))
	return r, nil
}

func checkTokenName(name string) error {
	if utf8.RuneCountInString(name) > tokenNameMost {
		return &refusal.InvalidError{Field: "name", Text: fmt.Sprintf("is longer than %d characters", tokenNameMost)}
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(name) || slices.ContainsFunc([]rune(name), unprintable) {
		return &refusal.InvalidError{Field: "name", Text: "has a character that cannot be printed"}
	}
	return nil
}
