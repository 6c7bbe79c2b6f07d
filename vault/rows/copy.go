package rows

import (
	"crypto/sha256"
	"strings"

	"hush/storage"
)

// CopiedSystem returns the rows of the bucket system that a copy of the store
// has, by their names. The counters of all nodes are added up in one row; audit
// sequences keep their nodes, like the rows that they number. The verifier and
// the copy's record are not among them.
func CopiedSystem(tx storage.Tx) (map[string][]byte, error) {
	copied := map[string][]byte{}
	err := tx.Range(BucketSystem, nil, nil, func(key, value []byte) error {
		switch name := string(key); {
		case name == SystemVerifier, name == SystemCopy, name == SystemSpent, name == SystemSpentBegun, isCounts(name):
		default:
			copied[name] = append([]byte{}, value...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	counts, err := GetCounts(tx)
	if err == nil && counts != (Counts{}) {
		copied[SystemCounts] = counts.Encode()
	}
	return copied, err
}

// isCounts reports whether a row of the bucket system has the counters of a
// node.
func isCounts(name string) bool {
	rest, ok := strings.CutPrefix(name, SystemCounts)
	return ok && (rest == "" || strings.HasPrefix(rest, " "))
}

// SystemHash returns a hash of the bucket system without what a copy changes in
// its source. Every process that serves a store changes it: the first sweep
// moves the clock's mark.
func SystemHash(tx storage.Tx) ([]byte, error) {
	var w Writer
	err := tx.Range(BucketSystem, nil, nil, func(key, value []byte) error {
		if name := string(key); name != SystemVerifier && name != SystemCopy {
			w.Sized(key)
			w.Sized(value)
		}
		return nil
	})
	sum := sha256.Sum256(w)
	return sum[:], err
}
