package keylist

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/rows"
)

const (
	rootKeysVersion = 2
	// RootKeysMost is the maximum number of root keys that a store lists, retired ones
	// included: their number is stored in a byte.
	RootKeysMost = math.MaxUint8
)

// SystemVerifier is the row of the bucket system that has the RootKeys of a store.
const SystemVerifier = "verifier"

// RootKeyState is what a root key is to a store. The numbers are stored.
type RootKeyState byte

// The states of a root key.
const (
	RootKeyCurrent RootKeyState = 1 // seals what is new
	RootKeyOld     RootKeyState = 2 // still opens what it sealed
	RootKeyRetired RootKeyState = 3 // opens nothing any more
)

// String returns the name of the state.
func (s RootKeyState) String() string {
	switch s {
	case RootKeyCurrent:
		return "current"
	case RootKeyOld:
		return "old"
	case RootKeyRetired:
		return "retired"
	}
	return "unknown"
}

// RootKey is a root key that a store lists.
type RootKey struct {
	Verifier [seal.VerifierSize]byte
	Since    time.Time // when it became the current one; zero for the store's first
	State    RootKeyState
}

// KID returns the name of the root key.
func (k RootKey) KID() [4]byte { return [4]byte(k.Verifier[:4]) }

// RootKeys are the root keys of a store, in the order of their use. It is what the
// row SystemVerifier holds, which has two forms. The older one is the verifier of
// the only root key:
//
//	kid 4 ‖ HMAC 32
//
// and it stays until another root key takes the place of the first one. Since then:
//
//	version 2 │ index keys (length 4, bytes)
//	│ keys 1 × ( │ verifier 36 │ since 8 │ state 1 )
//
// The first of the keys is the store's first. The index keys are a result of
// seal.Keys.SealIndex. The second form is never 36 bytes long. A program that knows
// only the first form takes it for the verifier of another root key.
type RootKeys struct {
	Index []byte
	Keys  []RootKey
}

// fields carries the second form.
func (r *RootKeys) fields(c *rows.Codec) {
	c.Version(rootKeysVersion)
	c.Sized(&r.Index)
	current := 0
	for k := range rows.ShortList(c, &r.Keys) {
		c.Bytes(k.Verifier[:])
		c.Time(&k.Since)
		rows.Between(c, &k.State, RootKeyCurrent, RootKeyRetired)
		if k.State == RootKeyCurrent {
			current++
		}
	}
	c.Refuse(current != 1 || len(r.Keys) < 2)
}

// Encode encodes the root keys: in the older form as long as there is only one.
func (r RootKeys) Encode() []byte {
	if len(r.Keys) == 1 {
		return slices.Clone(r.Keys[0].Verifier[:])
	}
	return rows.Encode(256, &r, (*RootKeys).fields)
}

// DecodeRootKeys decodes the root keys of either form. Those that it accepts have
// exactly one current key.
func DecodeRootKeys(data []byte) (r RootKeys, err error) {
	if len(data) == seal.VerifierSize {
		return RootKeys{Keys: []RootKey{{Verifier: [seal.VerifierSize]byte(data), State: RootKeyCurrent}}}, nil
	}
	err = rows.Decode(data, &r, (*RootKeys).fields)
	return r, err
}

// GetRootKeys returns the root keys that a store lists, or storage.ErrNotFound if
// the store is not initialised.
func GetRootKeys(tx storage.Tx) (RootKeys, error) {
	stored, err := rows.GetSystem(tx, SystemVerifier)
	if err != nil {
		return RootKeys{}, err
	}
	keys, err := DecodeRootKeys(stored)
	if err != nil {
		return RootKeys{}, fmt.Errorf("reading the list of root keys: %w", err)
	}
	return keys, nil
}

// PutRootKeys stores the root keys.
func PutRootKeys(tx storage.Tx, r RootKeys) error {
	return rows.PutSystem(tx, SystemVerifier, r.Encode())
}

// Current returns the root key that seals.
func (r RootKeys) Current() RootKey {
	return r.Keys[slices.IndexFunc(r.Keys, func(k RootKey) bool { return k.State == RootKeyCurrent })]
}

// Find returns the listed root key of that kid, or nil.
func (r RootKeys) Find(kid [4]byte) *RootKey {
	for i := range r.Keys {
		if r.Keys[i].KID() == kid {
			return &r.Keys[i]
		}
	}
	return nil
}

// Needed returns the root keys without which something may not open: all but the
// retired ones.
func (r RootKeys) Needed() (list []RootKey) {
	for _, k := range r.Keys {
		if k.State != RootKeyRetired {
			list = append(list, k)
		}
	}
	return list
}

// Arrangement returns how seal.Keys use the root keys.
func (r RootKeys) Arrangement() seal.Arrangement {
	return seal.Arrangement{Current: r.Current().KID(), First: r.Keys[0].KID(), Index: r.Index}
}

// Verify returns nil if keys have every root key that is needed. It returns
// seal.ErrWrongRootKey if they have none of them, and otherwise a
// MissingRootKeyError, which is a seal.ErrWrongRootKey too.
func (r RootKeys) Verify(keys *seal.Keys) error {
	var missing [][4]byte
	needed := r.Needed()
	for _, k := range needed {
		if err := keys.Verify(k.Verifier[:]); err != nil {
			missing = append(missing, k.KID())
		}
	}
	switch len(missing) {
	case 0:
		return nil
	case len(needed):
		return seal.ErrWrongRootKey
	}
	return &MissingRootKeyError{KIDs: missing}
}

// Arrange verifies keys and makes them seal and open as the store says.
func (r RootKeys) Arrange(keys *seal.Keys) error {
	if err := r.Verify(keys); err != nil {
		return err
	}
	if err := keys.Ring().Arrange(r.Arrangement()); err != nil {
		return fmt.Errorf("arranging the root keys: %w", err)
	}
	return nil
}

// MissingRootKeyError reports that a root key file lacks some of the root keys that
// a store needs.
type MissingRootKeyError struct{ KIDs [][4]byte }

// Error names the root keys.
func (e *MissingRootKeyError) Error() string {
	names := make([]string, 0, len(e.KIDs))
	for _, kid := range e.KIDs {
		names = append(names, hex.EncodeToString(kid[:]))
	}
	return "the root key file lacks the root key " + strings.Join(names, " and the root key ")
}

// Unwrap returns seal.ErrWrongRootKey.
func (*MissingRootKeyError) Unwrap() error { return seal.ErrWrongRootKey }

// UnlistedRootKeys returns the kids of keys that a store does not list.
func UnlistedRootKeys(tx storage.Tx, keys *seal.Keys) (kids [][4]byte, err error) {
	listed, err := GetRootKeys(tx)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	for _, kid := range keys.Ring().KIDs() {
		if err == nil && listed.Find(kid) == nil {
			kids = append(kids, kid)
		}
	}
	return kids, err
}
