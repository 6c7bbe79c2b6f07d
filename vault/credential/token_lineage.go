package credential

import (
	"slices"
	"time"

	"hush/vault/caller"
	"hush/vault/rows"
)

// A token made with a token has that as its parent: it does not outlive its parent,
// and is revoked with it. Otherwise a stolen token of an hour could make one that
// stays for ever.

// lineage is what the tokens of an account are when another one is added.
type lineage []OwnToken

// maker returns the token that a caller came with, nil for a session and for the
// operator. It returns rows.ErrInconsistent if the account has no such token: without a
// parent, the new one would have no bound.
func (l lineage) maker(c caller.Caller) (*OwnToken, error) {
	if c.Anonymous() || c.FromSession() {
		return nil, nil
	}
	at := slices.IndexFunc(l, func(t OwnToken) bool { return t.row == c.Row() })
	if at < 0 {
		return nil, rows.ErrInconsistent
	}
	return &l[at], nil
}

// parentOf returns the parent of a token, nil if it has none or if that is gone.
func (l lineage) parentOf(t *TokenRecord) *OwnToken {
	at := slices.IndexFunc(l, func(other OwnToken) bool { return t.parent != (PublicID{}) && other.Record.id == t.parent })
	if at < 0 {
		return nil
	}
	return &l[at]
}

// comesFrom reports whether a token was made with the token of that id, or with one
// that was.
func (l lineage) comesFrom(t *TokenRecord, id PublicID) bool {
	for range l { // no chain is longer
		if t.parent == id {
			return true
		}
		next := l.parentOf(t)
		if next == nil {
			return false
		}
		t = next.Record
	}
	return false
}

// withChildren returns tokens and all that were made with them.
func (l lineage) withChildren(ending []OwnToken) []OwnToken {
	return slices.DeleteFunc(slices.Clone(l), func(t OwnToken) bool {
		return !slices.ContainsFunc(ending, func(e OwnToken) bool { return t.row == e.row || l.comesFrom(t.Record, e.Record.id) })
	})
}

// place gives a new token its parent, and bounds its life. by is the token that makes
// it, old the one that it replaces; both may be nil. A successor takes over the parent
// and, unless it was given a life of its own, the expiry of what it replaces.
func (l lineage) place(t *TokenRecord, by, old *OwnToken) error {
	if old != nil {
		t.parent = old.Record.parent
		if t.expires.IsZero() {
			t.expires = old.Record.expires
		}
	}
	switch {
	case by == nil || old != nil && by.row == old.row:
	case old == nil:
		t.parent = by.Record.id
	case l.comesFrom(by.Record, old.Record.id):
		return &caller.PolicyError{Field: "rotate", Text: "An API token cannot replace a token that it comes from: sign in for that, or use the older token."}
	case !l.comesFrom(old.Record, by.Record.id):
		t.parent = by.Record.id
	}
	for _, bound := range []*OwnToken{by, l.parentOf(t)} {
		if bound != nil {
			t.expires = sooner(t.expires, bound.Record.expires)
		}
	}
	return nil
}

// sooner returns the earlier of two times, of which zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// admitParent returns an error if a node of the store cannot read tokens with parents
// yet.
func admitParent(tx *rows.Tx, t *TokenRecord) error {
	if t.parent != (PublicID{}) && tx.Format() < rows.FormatClaims {
		return &caller.PolicyError{Text: "API tokens can be made with an API token once all nodes of the service are upgraded: sign in instead."}
	}
	return nil
}
