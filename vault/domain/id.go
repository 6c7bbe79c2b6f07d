package domain

import (
	"crypto/sha256"
	"encoding/hex"

	"hush/vault/caller"
)

// domainID identifies a domain of an account. It is derived from both and never
// changes. As text it is 20 characters 0-9 and a-f.
type domainID [10]byte

func domainIDOf(owner caller.AccountID, name string) domainID {
	sum := sha256.Sum256(append(append([]byte("hush/v1 domain-id\x00"), owner[:]...), name...))
	return domainID(sum[:len(domainID{})])
}

func (id domainID) String() string { return hex.EncodeToString(id[:]) }

func parseDomainID(text string) (id domainID, ok bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(id) {
		return id, false
	}
	return domainID(raw), true
}
