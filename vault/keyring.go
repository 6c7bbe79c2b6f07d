package vault

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hush/seal"
	"hush/storage"
)

// pairsMost is how many key pairs an account may have, and so to how many an
// entry of its list is sealed. One of them is kept for the password.
const pairsMost = 20

// openPair returns the key that opens what the caller's account lists, as far
// as the caller's credential goes. Callers without an account get
// ErrUnauthenticated.
func (v *Vault) openPair(c Caller) (pairID, seal.AccountKey, error) {
	if c.with == nil {
		return pairID{}, seal.AccountKey{}, ErrUnauthenticated
	}
	key, err := v.keys.UnwrapAccountKey(c.with.holder, c.with.label, c.with.wrapped)
	if err != nil {
		return pairID{}, seal.AccountKey{}, fmt.Errorf("unwrapping an account's key: %w", errors.Join(err, errFault))
	}
	return c.with.pair, key, nil
}

// ownPair is a key pair as its row has it.
type ownPair struct {
	id     pairID
	record *pairRecord
}

// getPairs loads an account's key pairs, the main one first, then the oldest.
func getPairs(tx storage.Tx, id AccountID) (list []ownPair, err error) {
	err = tx.Range(bucketPair, id[:], prefixEnd(id[:]), func(key, value []byte) error {
		if len(key) != len(id)+len(pairID{}) {
			return errDamaged
		}
		record, err := decodePair(slices.Clone(value))
		list = append(list, ownPair{pairID(key[len(id):]), record})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading an account's keys: %w", err)
	}
	slices.SortStableFunc(list, func(a, b ownPair) int {
		if a.record.main != b.record.main {
			return map[bool]int{true: -1, false: 1}[a.record.main]
		}
		return a.record.created.Compare(b.record.created)
	})
	return list, nil
}

// livePairs returns to what an account's entries are sealed: at most pairsMost
// pairs, none for an account without a password or token.
func livePairs(tx storage.Tx, id AccountID) ([]pair, error) {
	owned, err := getPairs(tx, id)
	if err != nil {
		return nil, err
	}
	live := make([]pair, 0, len(owned))
	for _, p := range owned[:min(len(owned), pairsMost)] {
		live = append(live, pair{p.id, p.record.public})
	}
	return live, nil
}

// getMainPair loads the pair that the password holds, or returns nil.
func getMainPair(tx storage.Tx, id AccountID) (*ownPair, error) {
	owned, err := getPairs(tx, id)
	if err != nil || len(owned) == 0 || !owned[0].record.main {
		return nil, err
	}
	return &owned[0], nil
}

func putPair(tx storage.Tx, id AccountID, pair pairID, r *pairRecord) error {
	return tx.Put(bucketPair, pairKey(id, pair), r.encode())
}

// putMainPair adds the pair that an account's first password holds.
func (v *Vault) putMainPair(tx storage.Tx, id AccountID, key seal.AccountKey, h seal.Holder, now time.Time) error {
	present, err := getMainPair(tx, id)
	if err != nil {
		return err
	}
	if present != nil {
		return fmt.Errorf("account with a second main pair: %w", errFault)
	}
	pair := newPairID()
	return putPair(tx, id, pair, &pairRecord{
		created: now, public: key.Public(), main: true,
		wrapped: v.keys.WrapAccountKey(h, wrapLabel(id, pair, heldByPassword), key),
	})
}

// openMainPair returns the pair that the password holds. An account that has a
// password has such a pair.
func (v *Vault) openMainPair(tx storage.Tx, id AccountID, h seal.Holder) (*ownPair, seal.AccountKey, error) {
	main, err := getMainPair(tx, id)
	if err != nil {
		return nil, seal.AccountKey{}, err
	}
	if main == nil {
		return nil, seal.AccountKey{}, fmt.Errorf("account without a main pair: %w", errFault)
	}
	key, err := v.keys.UnwrapAccountKey(h, wrapLabel(id, main.id, heldByPassword), main.record.wrapped)
	if err != nil {
		return nil, seal.AccountKey{}, fmt.Errorf("unwrapping the main pair: %w", errors.Join(err, errFault))
	}
	return main, key, nil
}

// rewrapMainPair gives the main pair from one password to the next. Whatever
// it opens stays open.
func (v *Vault) rewrapMainPair(tx storage.Tx, id AccountID, old, next seal.Holder) error {
	main, key, err := v.openMainPair(tx, id, old)
	if err != nil {
		return err
	}
	main.record.wrapped = v.keys.WrapAccountKey(next, wrapLabel(id, main.id, heldByPassword), key)
	return putPair(tx, id, main.id, main.record)
}

// replaceMainPair gives an account whose password is lost another main pair.
// The one before goes, unless a token or a session holds it.
func (v *Vault) replaceMainPair(tx storage.Tx, id AccountID, key seal.AccountKey, h seal.Holder, now time.Time) error {
	main, err := getMainPair(tx, id)
	if err != nil {
		return err
	}
	if main != nil {
		main.record.main, main.record.wrapped = false, nil
		if err := putPair(tx, id, main.id, main.record); err != nil {
			return err
		}
		if err := dropPair(tx, id, main.id); err != nil {
			return err
		}
	}
	if err := leaveRoom(tx, id); err != nil {
		return err
	}
	return v.putMainPair(tx, id, key, h, now)
}

// checkRoom returns TooManyError if so many pairs besides the main one leave
// no room for it.
func checkRoom(tx storage.Tx, id AccountID) error {
	owned, err := getPairs(tx, id)
	if err != nil {
		return err
	}
	others := len(owned)
	if others > 0 && owned[0].record.main {
		others--
	}
	if others >= pairsMost {
		return &TooManyError{What: "API tokens", Limit: tokensMost}
	}
	return nil
}

// leaveRoom makes room for a main pair where there is none: the oldest pair
// goes if there are too many. What holds it still opens what came before.
func leaveRoom(tx storage.Tx, id AccountID) error {
	owned, err := getPairs(tx, id)
	if err != nil {
		return err
	}
	for _, p := range owned[:max(0, len(owned)+1-pairsMost)] {
		if err := tx.Delete(bucketPair, pairKey(id, p.id)); err != nil {
			return err
		}
	}
	return nil
}

// dropPair deletes a pair once nothing holds it any more: neither the password
// nor a token nor a session.
func dropPair(tx storage.Tx, id AccountID, pair pairID) error {
	data, err := tx.Get(bucketPair, pairKey(id, pair))
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	record, err := decodePair(data)
	if err != nil || record.main {
		return err
	}
	held, err := isHeld(tx, id, pair)
	if err != nil || held {
		return err
	}
	return tx.Delete(bucketPair, pairKey(id, pair))
}

func isHeld(tx storage.Tx, id AccountID, pair pairID) (bool, error) {
	tokens, err := getTokens(tx, id)
	if err != nil {
		return false, err
	}
	sessions, err := getSessions(tx, id)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(tokens, func(t ownToken) bool { return t.record.pair == pair }) ||
		slices.ContainsFunc(sessions, func(s ownSession) bool { return s.record.pair == pair }), nil
}

// endPairs deletes all pairs of an account that is destroyed.
func endPairs(tx storage.Tx, id AccountID) error {
	owned, err := getPairs(tx, id)
	if err != nil {
		return err
	}
	for _, p := range owned {
		if err := tx.Delete(bucketPair, pairKey(id, p.id)); err != nil {
			return err
		}
	}
	return nil
}
