package rootkey_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/feedback"
	"hush/vault/keylist"
	"hush/vault/rootkey"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// small is a vault with a root key file and nothing in it.
type small struct {
	*vaulttest.Kit
	file *keyFile
}

func newSmall(t *testing.T) *small {
	t.Helper()
	root := seal.NewRootKey()
	file := &keyFile{roots: []seal.RootKey{root}}
	return &small{vaulttest.New(t, vaulttest.Options{RootKey: &root, KeyFile: file, Manual: true}), file}
}

func (s *small) rotate(t *testing.T) [4]byte {
	t.Helper()
	kid, err := s.Vault.RootKeys.Rotate(t.Context(), "")
	vaulttest.Want(t, "Rotate()", err, nil)
	vaulttest.Want(t, "Beat()", s.Vault.Beat(t.Context()), nil)
	return kid
}

func (s *small) retire(t *testing.T, kid [4]byte) {
	t.Helper()
	s.Clock.Advance(time.Hour)
	_, err := s.Vault.RootKeys.Retire(t.Context(), hexOf(kid))
	vaulttest.Want(t, "Retire()", err, nil)
}

// refused wants a refusal that says something and changes neither list nor file.
func (s *small) refused(t *testing.T, what, want string, do func() error) {
	t.Helper()
	current, lines := s.Keys.KID(), len(s.file.roots)
	err := do()
	if _, ok := errors.AsType[*rootkey.RefusedError](err); !ok || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want a refusal with %q", what, err, want)
	}
	vaulttest.Want(t, "KID() after "+what, s.Keys.KID(), current)
	vaulttest.Want(t, "lines after "+what, len(s.file.roots), lines)
}

func (s *small) tryRotate(t *testing.T) func() error {
	t.Helper()
	return func() error {
		_, err := s.Vault.RootKeys.Rotate(t.Context(), "")
		return err
	}
}

// The operator added a key, restarted the service, and removed the line again. Nothing
// may be sealed with that key: no start after this one has it.
func TestRotateToAKeyThatLeftTheFile(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.file.operator = true
	s.file.roots = append(s.file.roots, seal.NewRootKey())
	s.file.Refresh(s.Keys)
	s.file.roots = s.file.roots[:1]
	s.refused(t, "Rotate(key that left the file)", "add a key first", s.tryRotate(t))
}

// The operator replaced the line instead of adding one. A rotation or retirement on top
// of that would make the next start fail, and hide why.
func TestFileWithoutANeededKey(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.file.operator = true
	first, second := s.file.roots[0], seal.NewRootKey()
	s.file.roots = []seal.RootKey{second}
	s.refused(t, "Rotate(file without the current key)", "lacks the root key "+hexOf(first.KID()), s.tryRotate(t))
	s.file.roots = []seal.RootKey{first, second}
	s.rotate(t)
	s.Clock.Advance(time.Hour)
	s.file.roots = []seal.RootKey{first}
	s.refused(t, "Retire(file without the current key)", "lacks the root key "+hexOf(second.KID()), func() error {
		_, err := s.Vault.RootKeys.Retire(t.Context(), hexOf(first.KID()))
		return err
	})
}

// A process holds 8 root keys, those that it retired included. It refuses another one
// before it puts it into the file, and says what to do.
func TestRotateUntilTheProcessIsFull(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	for range seal.RootKeysMost - 1 {
		old := s.Keys.KID()
		s.rotate(t)
		s.retire(t, old)
	}
	s.refused(t, "Rotate(full process)", "restart it", s.tryRotate(t))
	s.file.roots = append(s.file.roots, seal.NewRootKey())
	s.refused(t, "Rotate(full process, key of the operator)", "restart it", s.tryRotate(t))
	s.Keys = s.file.keys()
	s.Reopen(t)
	s.rotate(t)
}

// The list of root keys is full after many years. The next rotation forgets the key that
// was retired first, but never the first of all, whose values do not name it.
func TestRotateWithAFullList(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.Vault.Close()
	s.Vault = nil
	index, err := s.Keys.Ring().SealIndex(s.Keys.KID())
	vaulttest.Want(t, "SealIndex()", err, nil)
	full := keylist.RootKeys{Index: s.named(t, index)}
	for i := range keylist.RootKeysMost - 1 {
		full.Keys = append(full.Keys, keylist.RootKey{Verifier: [seal.VerifierSize]byte{1, byte(i)}, State: keylist.RootKeyRetired})
	}
	full.Keys = append(full.Keys, keylist.RootKey{Verifier: [seal.VerifierSize]byte(s.Keys.Verifier()), State: keylist.RootKeyCurrent})
	vaulttest.Put(t, s.Store, rows.BucketSystem, []byte(keylist.SystemVerifier), full.Encode())
	s.Keys = s.file.keys()
	s.Reopen(t)
	next := s.rotate(t)
	listed, err := keylist.DecodeRootKeys(vaulttest.Get(t, s.Store, rows.BucketSystem, []byte(keylist.SystemVerifier)))
	vaulttest.Want(t, "DecodeRootKeys()", err, nil)
	vaulttest.Want(t, "listed keys", len(listed.Keys), keylist.RootKeysMost)
	vaulttest.Want(t, "first key", listed.Keys[0].KID(), [4]byte{1, 0})
	vaulttest.Want(t, "second key", listed.Keys[1].KID(), [4]byte{1, 2})
	vaulttest.Want(t, "current key", listed.Current().KID(), next)
	s.Keys = s.file.keys()
	s.Reopen(t)
}

// named returns sealed index keys with the name of their key, as that of one that is
// not the first.
func (s *small) named(t *testing.T, index []byte) []byte {
	t.Helper()
	kid := s.Keys.KID()
	return append(kid[:], index...)
}

// A request sealed a value before the rotation, and stores it after the pass that
// followed. Another pass finds it, without a restart.
func TestStoredAfterThePass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := startNode(t, vaulttest.NewMemoryCluster(t), "a", vaulttest.StartTime())
		n.file.operator = false
		vaulttest.MustException(t, n.Kit, caller.Caller{}, feedback.Exception{Message: "exception-canary"})
		before := (&vaulttest.Member{Kit: n.Kit}).RowsOf(t, feedback.BucketException)
		old := n.Keys.KID()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			n.Vault.RootKeys.ResealUntil(ctx)
		}()
		n.rotate(t)
		time.Sleep(time.Second) // for the pauses of a pass
		synctest.Wait()
		n.wantOldFields(t, old, 0)
		for key, value := range before {
			vaulttest.Put(t, n.Store, feedback.BucketException, []byte(key), value)
		}
		n.wantOldFields(t, old, 1)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		n.wantOldFields(t, old, 0)
		stop()
		<-ended
	})
}

// wantOldFields compares how many fields need an old root key, as metrics tell it.
func (n *keyNode) wantOldFields(t *testing.T, old [4]byte, want int) {
	t.Helper()
	list, err := n.Vault.RootKeys.List(t.Context())
	vaulttest.Want(t, "List()", err, nil)
	vaulttest.Want(t, "old key", list.Keys[1].KID, old)
	vaulttest.Want(t, "fields under the old key", list.Keys[1].Uses[keylist.SealedFields], want)
	_, uses := n.Vault.RootKeys.Progress()
	vaulttest.Want(t, "fields under old keys in metrics", uses[string(keylist.SealedFields)], want)
}
