package rootkey

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hush/vault/audit"
	"hush/vault/keylist"
	"hush/vault/rows"
)

// Retire ends the use of an old root key that nothing depends on, and then takes it
// out of the file. It reports false if the file is the operator's, who removes the
// line. It returns a RefusedError that says what depends on the key.
func (r *RootKeys) Retire(ctx context.Context, name string) (removed bool, err error) {
	r.changing.Lock()
	defer r.changing.Unlock()
	kid, err := parseKID(name)
	if err != nil {
		return false, err
	}
	listed, err := r.listed(ctx)
	if err != nil {
		return false, err
	}
	if again, err := r.admitRetire(ctx, listed, kid); err != nil || again {
		if err != nil {
			return false, err
		}
		return r.remove(kid) // an earlier call was interrupted
	}
	if err := r.markRetired(ctx, kid); err != nil {
		return false, fmt.Errorf("storing the list of root keys: %w", err)
	}
	r.log.Info("a root key is retired", "key", name)
	r.Wake() // Progress has nothing to count any more
	return r.remove(kid)
}

// markRetired stores that nothing needs an old root key any more.
func (r *RootKeys) markRetired(ctx context.Context, kid [4]byte) error {
	now := r.clock.Now()
	return r.store.Update(ctx, func(tx *rows.Tx) error {
		listed, err := keylist.GetRootKeys(tx)
		if err != nil {
			return err
		}
		k := listed.Find(kid)
		if k == nil || k.State != keylist.RootKeyOld {
			return nil // another node was faster
		}
		k.State = keylist.RootKeyRetired
		if err := keylist.PutRootKeys(tx, listed); err != nil {
			return err
		}
		return audit.WriteKey(tx, now, audit.KeyRetired, kid)
	})
}

func (r *RootKeys) remove(kid [4]byte) (removed bool, err error) {
	if r.file == nil {
		return false, nil
	}
	removed, err = r.file.Remove(kid)
	if err != nil {
		return false, fmt.Errorf("the root key is retired, and is still in its file: %w", err)
	}
	return removed, nil
}

func parseKID(name string) (kid [4]byte, err error) {
	decoded, err := hex.DecodeString(name)
	if err != nil || len(decoded) != len(kid) {
		return kid, errNotAName() // which may be the key itself
	}
	return [4]byte(decoded), nil
}

func errNotAName() *RefusedError {
	return &RefusedError{"that is not the name of a root key: it has 8 hexadecimal digits, as \"hush admin keys list\" shows them"}
}

// admitRetire returns a RefusedError unless the root key may be retired. again
// reports that it is.
func (r *RootKeys) admitRetire(ctx context.Context, listed keylist.RootKeys, kid [4]byte) (again bool, err error) {
	name, k := hex.EncodeToString(kid[:]), listed.Find(kid)
	switch {
	case k == nil:
		return false, &RefusedError{"the data does not list the root key " + name}
	case k.State == keylist.RootKeyRetired:
		return true, nil
	case k.State == keylist.RootKeyCurrent:
		return false, &RefusedError{fmt.Sprintf("the root key %s is the current one: run \"hush admin keys rotate\" first", name)}
	}
	if wait := settleTime - r.clock.Now().Sub(listed.Current().Since); wait > 0 {
		return false, &RefusedError{fmt.Sprintf("another root key took the place of %s a moment ago: try again in %v", name, wait.Round(time.Second))}
	}
	if err := r.admitRemoval(ctx, listed); err != nil {
		return false, err
	}
	uses, damaged, err := r.count(ctx, listed)
	switch {
	case err != nil:
		return false, err
	case damaged > 0:
		return false, &RefusedError{fmt.Sprintf("rows cannot be read (%d), and may depend on the root key %s: run \"hush admin doctor\"", damaged, name)}
	case len(uses[kid]) > 0:
		r.Wake() // for what no pass has found yet
		return false, inUse(name, uses[kid])
	}
	return false, nil
}

// admitRemoval returns a RefusedError if the nodes or the file could not do without an
// old root key.
func (r *RootKeys) admitRemoval(ctx context.Context, listed keylist.RootKeys) error {
	if r.file != nil {
		if inFile, err := r.file.Reload(r.keys); err == nil {
			if err := hasNeeded(inFile, listed); err != nil {
				return err
			}
		}
	}
	return r.settleNodes(ctx, listed.Current().KID())
}

// inUse names what depends on a root key, and how each kind ends.
func inUse(name string, uses map[keylist.SealedKind]int) *RefusedError {
	texts := make([]string, 0, len(uses))
	for _, kind := range slices.Sorted(maps.Keys(uses)) {
		texts = append(texts, fmt.Sprintf("%s (%d, %s)", kind, uses[kind], Ends(kind)))
	}
	return &RefusedError{fmt.Sprintf("the root key %s is still needed: %s", name, strings.Join(texts, ", "))}
}

// Ends says how things of a kind stop depending on an old root key.
func Ends(kind keylist.SealedKind) string {
	switch kind {
	case keylist.SealedSecrets, keylist.SealedReceipts:
		return "until they are gone"
	case keylist.SealedClaims:
		return "gone within two minutes, or a day for files"
	case keylist.SealedUploads:
		return "until they are finished, or end"
	case keylist.SealedRequests:
		return "until their collect links are used, or they are forgotten"
	case keylist.SealedMails:
		return "gone within a day"
	case keylist.SealedEpochs:
		return "gone with the secrets of their time"
	case keylist.SealedPasswords, keylist.SealedPairs:
		return "until their owners sign in, or the passwords are reset"
	case keylist.SealedTokens:
		return "until they are used or revoked"
	case keylist.SealedSessions:
		return "until they are used or end"
	case keylist.SealedFields, keylist.SealedFiles:
		return "the service seals them anew"
	}
	return "unknown"
}
