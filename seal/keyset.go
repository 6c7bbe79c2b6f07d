package seal

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"
)

// RootKeysMost is the maximum number of root keys that Keys hold at one time.
const RootKeysMost = 8

// KeySetSize returns the number of bytes of memory that NewKeySet takes for n root
// keys.
func KeySetSize(n int) int { return n*KeysSize + indexKeysSize }

// keysState is what copies of Keys share.
type keysState struct {
	arrange sync.Mutex
	set     atomic.Pointer[keySet]
	memory  []byte // indexKeysSize bytes for index keys that were stored; nil once taken
}

// keySet is what Keys hold at one time. It never changes.
type keySet struct {
	current *derived
	all     []*derived
	// first is the kid of the first root key of the installation, which need not be
	// here any more. What it sealed does not name its key; see sealed.
	first [kidSize]byte
	index indexKeys
	// stored reports that index came from Arrangement.Index.
	stored bool
}

// NewKeySet derives the working keys of 1 to RootKeysMost root keys. Until Arrange
// says otherwise, the first of them seals and is that of the installation. memory
// has KeySetSize bytes, as for NewKeysIn.
func NewKeySet(roots []RootKey, memory []byte) *Keys {
	var all []*derived
	for _, root := range roots {
		all = append(all, deriveIn(root, memory[:KeysSize:KeysSize]))
		memory = memory[KeysSize:]
	}
	return newKeys(all, memory)
}

func newKeys(all []*derived, memory []byte) *Keys {
	k := &Keys{state: &keysState{memory: memory}}
	k.state.set.Store(&keySet{current: all[0], all: all, first: all[0].kid, index: all[0].index})
	return k
}

// Detached returns keys with the root keys that k holds now, used as now. To arrange
// them changes nothing for k. They are valid as long as k is.
func (k *Keys) Detached() *Keys {
	detached := &Keys{state: &keysState{}}
	detached.state.set.Store(k.state.set.Load())
	return detached
}

// Ring is the root keys of Keys: which of them there are, and how they are used. It
// is safe for concurrent use. Make it with Keys.Ring.
type Ring struct {
	redacted
	state hidden[*keysState]
}

// Ring returns the root keys of k.
func (k *Keys) Ring() Ring { return Ring{state: hide(k.state)} }

// Arrangement says how the root keys of an installation are used. It is stored
// with the data, so that all who use the data agree.
type Arrangement struct {
	// Current is the kid of the root key that seals.
	Current [4]byte
	// First is the kid of the first root key of the installation.
	First [4]byte
	// Index is a result of SealIndex, or empty as long as Current is First.
	Index []byte
}

// Arrange uses the keys as a says. It returns ErrWrongRootKey, and changes
// nothing, if r lacks the current root key, and ErrSealBroken if the index keys do
// not open.
func (r Ring) Arrange(a Arrangement) error {
	state := r.state()
	state.arrange.Lock()
	defer state.arrange.Unlock()
	next := *state.set.Load()
	next.first = a.First
	if next.current = next.find(a.Current); next.current == nil {
		return ErrWrongRootKey
	}
	switch first := next.find(a.First); {
	case next.stored: // index keys never change
	case first != nil:
		next.index = first.index
	default:
		index, err := state.openIndex(&next, a.Index)
		if err != nil {
			return err
		}
		next.index, next.stored = index, true
	}
	state.set.Store(&next)
	return nil
}

// Add adds the working keys of another root key, in memory as for NewKeysIn. They
// seal nothing before Arrange says so. It changes nothing if r has the key, or
// RootKeysMost keys.
func (r Ring) Add(root RootKey, memory []byte) {
	state := r.state()
	state.arrange.Lock()
	defer state.arrange.Unlock()
	next := *state.set.Load()
	if next.find(root.KID()) != nil || len(next.all) == RootKeysMost {
		return
	}
	next.all = append(slices.Clone(next.all), deriveIn(root, memory))
	state.set.Store(&next)
}

// KID identifies the root key that seals: 4 bytes of its digest, stored beside
// sealed values so that a later key can be distinguished.
func (k *Keys) KID() [4]byte { return k.state.set.Load().current.kid }

// KIDs returns the kids of all root keys. The caller owns them.
func (r Ring) KIDs() (kids [][4]byte) {
	for _, key := range r.state().set.Load().all {
		kids = append(kids, key.kid)
	}
	return kids
}

// VerifierOf returns the verifier of the root key of that kid; nil if r lacks it.
func (r Ring) VerifierOf(kid [4]byte) []byte {
	if key := r.state().set.Load().find(kid); key != nil {
		return key.stored()
	}
	return nil
}

// find returns the keys of a kid, or nil.
func (s *keySet) find(kid [kidSize]byte) *derived {
	for _, key := range s.all {
		if key.kid == kid {
			return key
		}
	}
	return nil
}

// The sealed values of the first root key of an installation are as they were
// before there could be others:
//
//	nonce (12) ‖ ciphertext ‖ tag (16)
//
// Those of each other key have its name in front:
//
//	kid (4) ‖ nonce (12) ‖ ciphertext ‖ tag (16)
//
// A first value whose nonce begins with another key's kid, which is one in 2^32,
// is tried under both.
func (s *keySet) named(box []byte) []byte {
	if s.current.kid == s.first {
		return box
	}
	return append(s.current.kid[:len(s.current.kid):len(s.current.kid)], box...)
}

// namedIn returns the keys that a sealed value names, or nil if it names none.
func (s *keySet) namedIn(sealed []byte) *derived {
	for _, key := range s.all {
		if key.kid != s.first && bytes.HasPrefix(sealed, key.kid[:]) {
			return key
		}
	}
	return nil
}

// open calls fn with the keys that sealed a value, and the value without their
// name. It returns ErrSealBroken if they are not here.
func (s *keySet) open(sealed []byte, fn func(*derived, []byte) ([]byte, error)) ([]byte, error) {
	if key := s.namedIn(sealed); key != nil {
		if plain, err := fn(key, sealed[kidSize:]); err == nil {
			return plain, nil
		}
	}
	first := s.find(s.first)
	if first == nil {
		return nil, ErrSealBroken
	}
	return fn(first, sealed)
}

// SealedBy returns the kid of the root key that made a sealed value: what
// SealField, SealMail, SealMetadata, WrapAccountKey or SealEpochKey returned. It
// opens nothing. A value that names no key of r is one of the first key.
func (r Ring) SealedBy(sealed []byte) [4]byte {
	set := r.state().set.Load()
	if key := set.namedIn(sealed); key != nil {
		return key.kid
	}
	return set.first
}

// IsCurrent reports whether the root key that seals made a sealed value, as
// SealedBy returns it.
func (r Ring) IsCurrent(sealed []byte) bool {
	return r.SealedBy(sealed) == r.state().set.Load().current.kid
}
