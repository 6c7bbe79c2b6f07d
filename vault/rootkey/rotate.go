package rootkey

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"hush/seal"
	"hush/storage"
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
	if len(listed.Needed()) >= seal.RootKeysMost-1 {
		return kid, &RefusedError{fmt.Sprintf("%d root keys are in use: retire some with \"hush keys retire\" first", len(listed.Needed()))}
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
func (r *RootKeys) next(listed rows.RootKeys, want string) (kid [4]byte, err error) {
	// A file that only the start of the service may read was read then.
	unread := r.file.Reload(r.keys)
	unlisted := r.unlisted(listed)
	if len(unlisted) == 0 && unread != nil {
		return kid, &RefusedError{unread.Error()}
	}
	if len(unlisted) == 0 && want == "" {
		if err := r.file.Create(r.keys); err != nil {
			return kid, &RefusedError{err.Error()}
		}
		unlisted = r.unlisted(listed)
	}
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
		return kid, &RefusedError{fmt.Sprintf("the root key file has no key %q that is not in use yet", want)}
	}
	return kid, &RefusedError{"the root key file has more than one key that is not in use yet: name one of " + strings.Join(names, ", ")}
}

func (r *RootKeys) unlisted(listed rows.RootKeys) [][4]byte {
	return slices.DeleteFunc(r.keys.Ring().KIDs(), func(kid [4]byte) bool { return listed.Find(kid) != nil })
}

// makeCurrent stores that a root key is the current one, and uses it.
func (r *RootKeys) makeCurrent(ctx context.Context, kid [4]byte, index []byte) error {
	var listed rows.RootKeys
	now := r.clock.Now()
	err := r.store.Update(ctx, func(tx storage.Tx) (err error) {
		if listed, err = rows.GetRootKeys(tx); err != nil {
			return err
		}
		if err := r.admitNodes(tx); err != nil {
			return err
		}
		if listed.Find(kid) != nil {
			return &RefusedError{"the root key is in use already"}
		}
		for i, k := range listed.Keys {
			if k.State == rows.RootKeyCurrent {
				listed.Keys[i].State = rows.RootKeyOld
			}
		}
		listed.Index = index
		listed.Keys = append(listed.Keys, rows.RootKey{
			Verifier: [seal.VerifierSize]byte(r.keys.Ring().VerifierOf(kid)), Since: now, State: rows.RootKeyCurrent,
		})
		if err := rows.PutRootKeys(tx, listed); err != nil {
			return err
		}
		return rows.WriteKeyAudit(tx, now, rows.AuditKeyRotated, kid)
	})
	if err != nil {
		return fmt.Errorf("storing the list of root keys: %w", err)
	}
	return listed.Arrange(r.keys)
}

// admitNodes returns a RefusedError while another node serves the store: it may
// lack the root key. It also refuses while a node may be of a release that does not
// know of several root keys.
func (r *RootKeys) admitNodes(tx storage.Tx) error {
	if rows.FormatOf(tx) < rows.FormatRootKeys {
		return &RefusedError{"the store has a format without several root keys: upgrade all nodes first"}
	}
	nodes, err := r.store.Nodes(tx)
	if err != nil {
		return err
	}
	var others []string
	for _, node := range nodes {
		if node.Live && !node.Self {
			others = append(others, fmt.Sprintf("%q (number %d)", node.Name, node.Number))
		}
	}
	if len(others) > 0 {
		return &RefusedError{"other nodes serve the store, and may lack the root key: give all of them the key file, and stop " + strings.Join(others, ", ") + " until this is done"}
	}
	return nil
}
