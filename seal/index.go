package seal

const (
	// indexKeysSize is the number of bytes of the index keys.
	indexKeysSize = 5 * subkeySize
	// The field of the sealed index keys.
	indexLabel = "index keys"
	indexRow   = "system"
)

func (x *indexKeys) list() []*hidden[[]byte] {
	return []*hidden[[]byte]{&x.network, &x.address, &x.challenge, &x.shrimp, &x.topic}
}

// SealIndex encrypts the index keys under the root key of that kid, for
// Arrangement.Index. It returns ErrWrongRootKey if r lacks that key.
//
//	network 32 │ address 32 │ altcha 32 │ shrimp 32 │ topic 32
func (r Ring) SealIndex(kid [4]byte) ([]byte, error) {
	set := r.state().set.Load()
	key := set.find(kid)
	if key == nil {
		return nil, ErrWrongRootKey
	}
	plain := make([]byte, 0, indexKeysSize)
	defer func() { clear(plain) }()
	for _, one := range set.index.list() {
		plain = append(plain, (*one)()...)
	}
	next := *set
	next.current = key
	return next.sealField(indexLabel, []byte(indexRow), plain), nil
}

// openIndex opens a result of SealIndex into memory of s.
func (s *keysState) openIndex(set *keySet, sealed []byte) (index indexKeys, err error) {
	plain, err := set.openField(indexLabel, []byte(indexRow), sealed)
	if err != nil {
		return index, err
	}
	defer clear(plain)
	if len(plain) != indexKeysSize {
		return index, ErrSealBroken
	}
	memory := s.memory
	s.memory = nil
	if len(memory) < indexKeysSize {
		memory = make([]byte, indexKeysSize)
	}
	copy(memory, plain)
	for _, one := range index.list() {
		*one = hide(memory[:subkeySize:subkeySize])
		memory = memory[subkeySize:]
	}
	return index, nil
}
