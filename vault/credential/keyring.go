package credential

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// PairsMost is the maximum number of key pairs of an account, and thus the
// number of seals of an entry. One of them is reserved for the password.
const PairsMost = 20

// OpenPair returns the key that opens the entries that the caller's credential
// may list. It returns ErrUnauthenticated for a caller without an account.
func (cr *Credentials) OpenPair(c caller.Caller) (caller.PairID, seal.AccountKey, error) {
	if c.Anonymous() {
		return caller.PairID{}, seal.AccountKey{}, refusal.ErrUnauthenticated
	}
	own := c.Key()
	key, err := cr.keys.UnwrapAccountKey(own.Secret, own.Label, own.Wrapped)
	if err != nil {
		return caller.PairID{}, seal.AccountKey{}, fmt.Errorf("unwrapping an account's key: %w", errors.Join(err, rows.ErrInconsistent))
	}
	return own.Pair, key, nil
}

// OwnPair is a key pair with its id.
type OwnPair struct {
	ID     caller.PairID
	record *PairRecord
}

// getPairs loads an account's key pairs, the main one first, then the oldest.
func getPairs(tx storage.Tx, id caller.AccountID) (list []OwnPair, err error) {
	err = tx.Range(BucketPair, id[:], rows.PrefixEnd(id[:]), func(key, value []byte) error {
		if len(key) != len(id)+len(caller.PairID{}) {
			return rows.ErrDamaged
		}
		record, err := decodePair(slices.Clone(value))
		list = append(list, OwnPair{caller.PairID(key[len(id):]), record})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading an account's keys: %w", err)
	}
	slices.SortStableFunc(list, func(a, b OwnPair) int {
		switch {
		case a.record.main == b.record.main:
			return a.record.created.Compare(b.record.created)
		case a.record.main:
			return -1
		default:
			return 1
		}
	})
	return list, nil
}

// LivePairs returns the pairs that an account's entries are sealed to: at most
// PairsMost, none for an account without a password or token.
func LivePairs(tx storage.Tx, id caller.AccountID) ([]Pair, error) {
	owned, err := getPairs(tx, id)
	if err != nil {
		return nil, err
	}
	live := make([]Pair, 0, len(owned))
	for _, p := range owned[:min(len(owned), PairsMost)] {
		live = append(live, Pair{p.ID, p.record.public})
	}
	return live, nil
}

// getMainPair loads the pair that the password holds, or returns nil.
func getMainPair(tx storage.Tx, id caller.AccountID) (*OwnPair, error) {
	owned, err := getPairs(tx, id)
	if err != nil || len(owned) == 0 || !owned[0].record.main {
		return nil, err
	}
	return &owned[0], nil
}

func putPair(tx *rows.Tx, id caller.AccountID, pair caller.PairID, r *PairRecord) error {
	return tx.Put(BucketPair, pairKey(id, pair), r.encode())
}

// PutMainPair adds the pair held by an account's first password.
func (cr *Credentials) PutMainPair(tx *rows.Tx, id caller.AccountID, key seal.AccountKey, h seal.WrappingSecret, now time.Time) error {
	present, err := getMainPair(tx, id)
	if err != nil {
		return err
	}
	if present != nil {
		return fmt.Errorf("account with a second main pair: %w", rows.ErrInconsistent)
	}
	pair := NewPairID()
	return putPair(tx, id, pair, &PairRecord{
		created: now, public: key.Public(), main: true,
		wrapped: cr.keys.WrapAccountKey(h, WrapLabel(id, pair, heldByPassword), key),
	})
}

// OpenMainPair returns the pair that the password holds. Every account with a
// password has one.
func (cr *Credentials) OpenMainPair(tx *rows.Tx, id caller.AccountID, h seal.WrappingSecret) (*OwnPair, seal.AccountKey, error) {
	main, err := getMainPair(tx, id)
	if err != nil {
		return nil, seal.AccountKey{}, err
	}
	if main == nil {
		return nil, seal.AccountKey{}, fmt.Errorf("account without a main pair: %w", rows.ErrInconsistent)
	}
	key, err := cr.keys.UnwrapAccountKey(h, WrapLabel(id, main.ID, heldByPassword), main.record.wrapped)
	if err != nil {
		return nil, seal.AccountKey{}, fmt.Errorf("unwrapping the main pair: %w", errors.Join(err, rows.ErrInconsistent))
	}
	return main, key, nil
}

// RenewMainPair wraps the main pair's key with the current root key, unless that is
// so already. main and key are those that OpenMainPair returned for the password of
// h.
func (cr *Credentials) RenewMainPair(tx *rows.Tx, id caller.AccountID, main *OwnPair, h seal.WrappingSecret, key seal.AccountKey) error {
	if cr.keys.Ring().IsCurrent(main.record.wrapped) {
		return nil
	}
	main.record.wrapped = cr.keys.WrapAccountKey(h, WrapLabel(id, main.ID, heldByPassword), key)
	return putPair(tx, id, main.ID, main.record)
}

// RewrapMainPair moves the main pair from one password to the next. Everything
// that it opens stays open.
func (cr *Credentials) RewrapMainPair(tx *rows.Tx, id caller.AccountID, old, next seal.WrappingSecret) error {
	main, key, err := cr.OpenMainPair(tx, id, old)
	if err != nil {
		return err
	}
	main.record.wrapped = cr.keys.WrapAccountKey(next, WrapLabel(id, main.ID, heldByPassword), key)
	return putPair(tx, id, main.ID, main.record)
}

// ReplaceMainPair gives an account with a lost password another main pair. It
// deletes the old one unless a token or a session holds it.
func (cr *Credentials) ReplaceMainPair(tx *rows.Tx, id caller.AccountID, key seal.AccountKey, h seal.WrappingSecret, now time.Time) error {
	if err := DropMainPair(tx, id); err != nil {
		return err
	}
	if err := evictOldestPair(tx, id); err != nil {
		return err
	}
	return cr.PutMainPair(tx, id, key, h, now)
}

// DropMainPair takes the main pair from a lost password, if there is one, and
// deletes it unless a token or a session holds it.
func DropMainPair(tx *rows.Tx, id caller.AccountID) error {
	main, err := getMainPair(tx, id)
	if err != nil || main == nil {
		return err
	}
	main.record.main, main.record.wrapped = false, nil
	if err := putPair(tx, id, main.ID, main.record); err != nil {
		return err
	}
	return dropPair(tx, id, main.ID)
}

// checkPairLimit returns TooManyError if the other pairs leave no place for the
// main one. One place is reserved for that.
func checkPairLimit(tx *rows.Tx, id caller.AccountID) error {
	owned, err := getPairs(tx, id)
	if err != nil {
		return err
	}
	others := len(owned)
	if others > 0 && owned[0].record.main {
		others--
	}
	if others >= PairsMost {
		return &refusal.TooManyError{What: "API tokens that the operator made or imported", Limit: PairsMost - 1}
	}
	return nil
}

// evictOldestPair makes place for a main pair if there is none: it deletes the
// oldest pair if there are too many. Holders of that pair can still open
// earlier entries.
func evictOldestPair(tx *rows.Tx, id caller.AccountID) error {
	owned, err := getPairs(tx, id)
	if err != nil {
		return err
	}
	for _, p := range owned[:max(0, len(owned)+1-PairsMost)] {
		if err := tx.Delete(BucketPair, pairKey(id, p.ID)); err != nil {
			return err
		}
	}
	return nil
}

// dropPair deletes a pair once nothing holds it: neither the password nor a
// token nor a session.
func dropPair(tx *rows.Tx, id caller.AccountID, pair caller.PairID) error {
	record, err := rows.Load(tx, BucketPair, pairKey(id, pair), decodePair)
	if errors.Is(err, refusal.ErrNotFound) {
		return nil
	}
	if err != nil || record.main {
		return err
	}
	held, err := isHeld(tx, id, pair)
	if err != nil || held {
		return err
	}
	return tx.Delete(BucketPair, pairKey(id, pair))
}

func isHeld(tx storage.Tx, id caller.AccountID, pair caller.PairID) (bool, error) {
	tokens, err := GetTokens(tx, id)
	if err != nil {
		return false, err
	}
	sessions, err := GetSessions(tx, id)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(tokens, func(t OwnToken) bool { return t.Record.Pair == pair }) ||
		slices.ContainsFunc(sessions, func(s OwnSession) bool { return s.Record.Pair == pair }), nil
}

// EndPairs deletes all pairs of a destroyed account.
func EndPairs(tx *rows.Tx, id caller.AccountID) error {
	owned, err := getPairs(tx, id)
	if err != nil {
		return err
	}
	for _, p := range owned {
		if err := tx.Delete(BucketPair, pairKey(id, p.ID)); err != nil {
			return err
		}
	}
	return nil
}
