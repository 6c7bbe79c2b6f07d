package rootkey

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/keylist"
	"hush/vault/rows"
)

// Rotate makes another root key the current one, and returns its kid. want names a
// key that only the file has; without it the only such key is used, and if there is
// none, a new one is made. What can be sealed anew follows in the background. It
// returns a RefusedError if the key cannot be used.
func (r *RootKeys) Rotate(ctx context.Context, want string) (kid [4]byte, err error) {
	r.changing.Lock()
	defer r.changing.Unlock()
	if r.file == nil {
		return kid, &RefusedError{"a store in memory keeps its root key"}
	}
	listed, err := r.listed(ctx)
	if err != nil {
		return kid, err
	}
	if n := len(listed.Needed()); n >= seal.RootKeysMost-1 {
		return kid, &RefusedError{fmt.Sprintf("%d root keys are in use: retire some with \"hush admin keys retire\" first", n)}
	}
	if kid, err = r.next(listed, want); err != nil {
		return kid, err
	}
	index, err := r.keys.Ring().SealIndex(kid)
	if err != nil {
		return kid, fmt.Errorf("sealing the index keys: %w", err)
	}
	if err := r.makeCurrent(ctx, kid, index); err != nil {
		return kid, err
	}
	r.log.Info("another root key is the current one", "key", hex.EncodeToString(kid[:]))
	r.Wake()
	return kid, nil
}

// next returns the root key that is to be the current one.
func (r *RootKeys) next(listed keylist.RootKeys, want string) (kid [4]byte, err error) {
	inFile, unread := r.file.Reload(r.keys)
	if unread != nil {
		inFile = r.keys.Ring().KIDs() // a file that only the start of the service may read was read then
	}
	if err := hasNeeded(inFile, listed); err != nil {
		return kid, err
	}
	unlisted := unlistedOf(inFile, listed)
	switch {
	case len(unlisted) == 0 && unread != nil:
		return kid, &RefusedError{unread.Error()}
	case len(unlisted) == 0 && want == "":
		return r.create()
	}
	if kid, err = choose(unlisted, want); err != nil {
		return kid, err
	}
	if r.keys.Ring().VerifierOf(kid) == nil {
		return kid, fullRing()
	}
	return kid, nil
}

// create makes a root key in the file.
func (r *RootKeys) create() (kid [4]byte, err error) {
	before := r.keys.Ring().KIDs()
	if len(before) >= seal.RootKeysMost {
		return kid, fullRing()
	}
	if err := r.file.Create(r.keys); err != nil {
		return kid, &RefusedError{err.Error()}
	}
	return choose(slices.DeleteFunc(r.keys.Ring().KIDs(), func(kid [4]byte) bool { return slices.Contains(before, kid) }), "")
}

// fullRing is the error of a process that has no room for another root key.
func fullRing() error {
	return &RefusedError{fmt.Sprintf("this process holds %d root keys, retired ones included, which is the most: restart it, and try again", seal.RootKeysMost)}
}

// hasNeeded returns a RefusedError unless the root keys in the file are all that the
// next start needs.
func hasNeeded(inFile [][4]byte, listed keylist.RootKeys) error {
	for _, k := range listed.Needed() {
		if kid := k.KID(); !slices.Contains(inFile, kid) {
			return &RefusedError{fmt.Sprintf("the root key file lacks the root key %x, which is still needed: put its line back first", kid)}
		}
	}
	return nil
}

// unlistedOf returns the root keys of the file that the store does not list.
func unlistedOf(inFile [][4]byte, listed keylist.RootKeys) [][4]byte {
	return slices.DeleteFunc(slices.Clone(inFile), func(kid [4]byte) bool { return listed.Find(kid) != nil })
}

// choose returns the root key that is meant.
func choose(unlisted [][4]byte, want string) (kid [4]byte, err error) {
	if want == "" && len(unlisted) == 1 {
		return unlisted[0], nil
	}
	names := make([]string, 0, len(unlisted))
	for _, one := range unlisted {
		name := hex.EncodeToString(one[:])
		if name == want {
			return one, nil
		}
		names = append(names, name)
	}
	if want != "" {
		if _, err := parseKID(want); err != nil {
			return kid, err
		}
		return kid, &RefusedError{fmt.Sprintf("the root key file has no key %q that is not in use yet", want)}
	}
	return kid, &RefusedError{"the root key file has more than one key that is not in use yet: name one of " + strings.Join(names, ", ")}
}

// makeCurrent stores that a root key is the current one, and uses it.
func (r *RootKeys) makeCurrent(ctx context.Context, kid [4]byte, index []byte) error {
	var listed keylist.RootKeys
	now := r.clock.Now()
	err := r.store.Update(ctx, func(tx *rows.Tx) (err error) {
		if listed, err = keylist.GetRootKeys(tx); err != nil {
			return err
		}
		if err := r.admitNodes(tx, kid); err != nil {
			return err
		}
		if listed.Find(kid) != nil {
			return &RefusedError{"the root key is in use already"}
		}
		for i, k := range listed.Keys {
			if k.State == keylist.RootKeyCurrent {
				listed.Keys[i].State = keylist.RootKeyOld
			}
		}
		listed.Index = index
		listed.Keys = append(forgetRetired(listed.Keys, r.keys.Ring()), keylist.RootKey{
			Verifier: [seal.VerifierSize]byte(r.keys.Ring().VerifierOf(kid)), Since: now, State: keylist.RootKeyCurrent,
		})
		if err := keylist.PutRootKeys(tx, listed); err != nil {
			return err
		}
		return audit.WriteKey(tx, now, audit.KeyRotated, kid)
	})
	if err != nil {
		return fmt.Errorf("storing the list of root keys: %w", err)
	}
	return listed.Arrange(r.keys)
}

// forgetRetired returns the listed root keys without the one that was retired first, if
// there is no room for another. A key that this process holds stays, so that its line,
// should the file still have it, is not taken for a new key.
func forgetRetired(listed []keylist.RootKey, held seal.Ring) []keylist.RootKey {
	if len(listed) < keylist.RootKeysMost {
		return listed
	}
	for i := 1; i < len(listed); i++ { // the first one says which values do not name their key
		if kid := listed[i].KID(); listed[i].State == keylist.RootKeyRetired && held.VerifierOf(kid) == nil {
			return slices.Delete(listed, i, i+1)
		}
	}
	return listed
}
