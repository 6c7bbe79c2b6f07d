package transfer

import (
	"crypto/sha256"
	"strings"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/keylist"
	"hush/vault/rows"
	"hush/vault/spent"
)

// copiedSystem returns the rows of the bucket system that a copy of the store
// has, by their names. The counters of all nodes are added up in one row; audit
// sequences keep their nodes, like the rows that they number. The verifier and
// the copy's record are not among them.
func copiedSystem(tx storage.Tx) (map[string][]byte, error) {
	copied := map[string][]byte{}
	err := tx.Range(rows.BucketSystem, nil, nil, func(key, value []byte) error {
		switch name := string(key); {
		case name == keylist.SystemVerifier, name == cluster.SystemCopy, name == spent.SystemLog, name == spent.SystemBegun, isCounts(name):
		default:
			copied[name] = append([]byte{}, value...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	counts, err := counter.Get(tx)
	if err == nil && counts != (counter.Counts{}) {
		copied[counter.SystemCounts] = counts.Encode()
	}
	return copied, err
}

// isCounts reports whether a row of the bucket system has the counters of a
// node.
func isCounts(name string) bool {
	rest, ok := strings.CutPrefix(name, counter.SystemCounts)
	return ok && (rest == "" || strings.HasPrefix(rest, " "))
}

// systemHash returns a hash of the bucket system without what a copy changes in
// its source. Every process that serves a store changes it: the first sweep
// moves the clock's mark.
func systemHash(tx storage.Tx) ([]byte, error) {
	var w rows.Writer
	err := tx.Range(rows.BucketSystem, nil, nil, func(key, value []byte) error {
		if name := string(key); name != keylist.SystemVerifier && name != cluster.SystemCopy {
			w.Sized(key)
			w.Sized(value)
		}
		return nil
	})
	sum := sha256.Sum256(w)
	return sum[:], err
}
