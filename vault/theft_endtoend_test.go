package vault_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/seal"
	"hush/seal/chunked"
	"hush/seal/endtoend"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// sealedSecret is an end-to-end encrypted secret, with what its devices know.
type sealedSecret struct {
	secret.Concealed
	content *secret.SealedContent
	keys    endtoend.Keys
	share   [storage.ShareSize]byte
	record  []byte // as stored while it waited
}

// sealedVictim is a vault with end-to-end encrypted secrets in each state.
type sealedVictim struct {
	*vaulttest.Kit
	live, locked             sealedSecret
	revealed, burned, lapsed sealedSecret
	before, after            string // copies of the folder
}

func newSealedVictim(t *testing.T) *sealedVictim {
	t.Helper()
	v := &sealedVictim{Kit: vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})}
	v.live, v.locked = v.mustConceal(t, "", secret.Terms{}), v.mustConceal(t, vaulttest.Passphrase, secret.Terms{})
	v.revealed, v.burned = v.mustConceal(t, vaulttest.Passphrase, secret.Terms{}), v.mustConceal(t, "", secret.Terms{})
	v.lapsed = v.mustConceal(t, "", secret.Terms{TTL: new(time.Minute)})
	v.before = v.CopyDir(t)
	v.Clock.Advance(time.Minute)
	got, err := v.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, v.revealed.Secret.Key.Expose(), vaulttest.Prove(v.revealed.keys))
	vaulttest.Want(t, "RevealSecret(key)", err, nil)
	vaulttest.Want(t, "the device's content", vaulttest.MustOpen(t, v.revealed.keys, got.Content), vaulttest.Plaintext)
	v.MustBurn(t, caller.Caller{}, v.burned.Metadata.Key, "")
	v.MustSweep(t)
	v.after = v.CopyDir(t)
	return v
}

func (v *sealedVictim) mustConceal(t *testing.T, passphrase string, terms secret.Terms) (s sealedSecret) {
	t.Helper()
	s.content, s.keys = vaulttest.MustSeal(t, vaulttest.Plaintext, passphrase)
	terms.Sealed = s.content
	s.Concealed = v.MustConceal(t, caller.Caller{}, "", terms)
	s.share, s.record = vaulttest.ShareOf(t, v.Kit, s.Secret.Key), vaulttest.SecretRow(t, v.Kit, s.Secret.Key)
	return s
}

func (v *sealedVictim) all() []sealedSecret {
	return []sealedSecret{v.live, v.locked, v.revealed, v.burned, v.lapsed}
}

// open opens a secret in a thief's copy and returns its text.
func (s sealedSecret) open(t *testing.T, k *vaulttest.Kit, o secret.Opening) (string, error) {
	t.Helper()
	got, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, s.Secret.Key.Expose(), o)
	if err != nil {
		vaulttest.Want(t, "content with an error", got.Content == "" && got.Value == "", true)
		return "", err
	}
	return vaulttest.MustOpen(t, s.keys, got.Content), nil
}

// key derives the key of the server's own seal, as a thief does who has the root
// key.
func (s sealedSecret) key(t *testing.T, keys *seal.Keys, share, hash [32]byte) seal.SecretKey {
	t.Helper()
	key, err := keys.SecretKeys().Key(keys.KID(), s.Secret.Key, s.Secret.Key.RowKey(seal.KindSecret), share, hash)
	vaulttest.Want(t, "Key()", err, nil)
	return key
}

// The attack: the thief has the data folder and the root key, before a secret is
// opened and after. No file has its text, its passphrase, a proof, or the content as
// the sender's device sent it.
func TestEndToEndTheftOfTheFolder(t *testing.T) {
	t.Parallel()
	v := newSealedVictim(t)
	for _, dir := range []string{v.before, v.after} {
		files := vaulttest.FolderBytes(t, dir)
		for _, s := range v.all() {
			link, proof := s.keys.LinkProof(), s.keys.Proof()
			for name, canary := range map[string][]byte{
				"text": []byte(vaulttest.Plaintext), "passphrase": []byte(vaulttest.Passphrase), "link proof": link[:], "proof": proof[:],
				"hash of the proof": []byte(s.content.ProofHash), "content": []byte(s.content.Content[:48]), "key": []byte(s.Secret.Key.Expose()[:25]),
			} {
				for _, form := range vaulttest.Spellings(string(canary)) {
					vaulttest.Want(t, "data folder holds a "+name, bytes.Contains(files, []byte(form)), false)
				}
			}
		}
	}
	vaulttest.Want(t, "the copy holds the hash of a link's proof", bytes.Contains(vaulttest.FolderBytes(t, v.before), []byte(v.live.content.LinkProofHash)), true)
}

// The attack: the server's operator has the folder from before, the root key and the
// key in the link, which the server knows. Without the link secret not even the
// server's own seal opens: the hash of the proof is a part of its key.
func TestEndToEndTheftByTheOperator(t *testing.T) {
	t.Parallel()
	v := newSealedVictim(t)
	thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: v.before, RootKey: &v.RootKey})
	for _, s := range v.all() {
		offset := vaulttest.SealedOffset(s.record)
		linkHash := [32]byte([]byte(s.content.LinkProofHash))
		for name, hash := range map[string][32]byte{"zeros": {}, "the link's hash": linkHash, "the link's hash, hashed": sha256.Sum256(linkHash[:])} {
			_, err := s.key(t, thief.Keys, s.share, hash).OpenUnpadded(s.record[21:offset], s.record[offset:])
			vaulttest.WantErr(t, "OpenUnpadded("+name+")", err, seal.ErrSealBroken)
		}
		_, err := s.open(t, thief, secret.Opening{LinkProof: s.content.LinkProofHash, Proof: s.content.ProofHash})
		vaulttest.WantErr(t, "RevealSecret(the hashes that the sender sent)", err, refusal.ErrLink)
	}
}

// The attack: the operator also keeps what a running server sees of a creation and
// a reveal: the content, the hashes and both proofs. Neither of them decrypts.
func TestEndToEndTheftFromTheRunningServer(t *testing.T) {
	t.Parallel()
	v := newSealedVictim(t)
	link, proof := v.revealed.keys.LinkProof(), v.revealed.keys.Proof()
	for name, key := range map[string][]byte{
		"link proof": link[:], "proof": proof[:], "hash of the link's proof": []byte(v.revealed.content.LinkProofHash), "hash of the proof": []byte(v.revealed.content.ProofHash),
	} {
		opened, err := chunked.Open(key, []byte("hush.v1 content"), []byte(v.revealed.content.Content))
		vaulttest.Want(t, "Open(content, "+name+") opens", err == nil || len(opened) > 0, false)
	}
}

// The attack: the thief has whole links, the root key and the folder, copied after
// the secrets were opened, burned or expired. Nothing opens, with an old copy of the
// database either.
func TestEndToEndTheftOfEverythingAfter(t *testing.T) {
	t.Parallel()
	v := newSealedVictim(t)
	files := vaulttest.FolderBytes(t, v.after)
	for _, s := range []sealedSecret{v.revealed, v.burned, v.lapsed} {
		vaulttest.Want(t, "share of an ended secret is in a file", bytes.Contains(files, s.share[:]), false)
	}
	vaulttest.Want(t, "share of a live secret is in a file", bytes.Contains(files, v.live.share[:]), true)
	oldDatabase := filepath.Join(t.TempDir(), "mixed")
	vaulttest.Want(t, "CopyFS(after)", os.CopyFS(oldDatabase, os.DirFS(v.after)), nil)
	vaulttest.Want(t, "Chmod(mixed)", os.Chmod(oldDatabase, 0o700), nil)
	database, err := os.ReadFile(filepath.Join(v.before, "hush.db"))
	vaulttest.Want(t, "ReadFile(old database)", err, nil)
	vaulttest.Want(t, "WriteFile(old database)", os.WriteFile(filepath.Join(oldDatabase, "hush.db"), database, 0o600), nil)
	for _, dir := range []string{v.after, oldDatabase} {
		thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: dir, RootKey: &v.RootKey})
		for _, s := range []sealedSecret{v.revealed, v.burned, v.lapsed} {
			_, err := s.open(t, thief, vaulttest.Prove(s.keys))
			vaulttest.Want(t, "RevealSecret(ended) is refused", errors.Is(err, refusal.ErrNotFound) || errors.Is(err, rows.ErrInconsistent), true)
		}
	}
}

// The attack: the thief has a whole link, the root key and the folder from before.
// Then the secret opens, unseen, as any other does. A passphrase still has to be
// guessed, and the copy can be asked without end.
func TestEndToEndTheftOfEverythingBefore(t *testing.T) {
	t.Parallel()
	v := newSealedVictim(t)
	thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: v.before, RootKey: &v.RootKey})
	guess := vaulttest.Prove(v.revealed.keys)
	guess.Proof = caller.Text(bytes.Repeat([]byte{1}, 32))
	_, err := v.revealed.open(t, thief, guess)
	vaulttest.WantErr(t, "RevealSecret(copy, guess)", err, refusal.ErrPassphrase)
	for _, s := range v.all() {
		text, err := s.open(t, thief, vaulttest.Prove(s.keys))
		vaulttest.Want(t, "RevealSecret(copy)", err, nil)
		vaulttest.Want(t, "text of the copy", text, vaulttest.Plaintext)
	}
	vaulttest.WantState(t, v.Kit, v.live.Metadata.Key, receipt.StateNew)
}

// The attack: the thief has the verifier, from an old copy of the database, the whole
// link, the root key, and every share that is left, and guesses the passphrase. With
// the share the verifier tells a right guess from a wrong one. Once the share is gone,
// it tells nothing: the right passphrase looks like any other.
func TestEndToEndStolenVerifierTestsNoPassphrase(t *testing.T) {
	t.Parallel()
	v := newSealedVictim(t)
	keys, s := seal.NewKeys(v.RootKey), v.revealed
	right, wrong := [32]byte([]byte(s.content.ProofHash)), sha256.Sum256([]byte("guess"))
	verifier := s.key(t, keys, s.share, right).Verifier()
	vaulttest.Want(t, "the old database holds the verifier", bytes.Contains(s.record, verifier[:]), true)
	vaulttest.Want(t, "Matches(share, right passphrase)", s.key(t, keys, s.share, right).Matches(verifier), true)
	vaulttest.Want(t, "Matches(share, wrong passphrase)", s.key(t, keys, s.share, wrong).Matches(verifier), false)

	left, err := os.ReadFile(filepath.Join(v.after, "shares"))
	vaulttest.Want(t, "ReadFile(shares)", err, nil)
	vaulttest.Want(t, "the share is gone", bytes.Contains(left, s.share[:]), false)
	for at := 0; at+storage.ShareSize <= len(left); at += 8 {
		share := [storage.ShareSize]byte(left[at:])
		if s.key(t, keys, share, right).Matches(verifier) {
			t.Errorf("Matches(bytes at %d, right passphrase): got true, want false: the share is gone", at)
		}
	}
	vaulttest.Want(t, "Matches(no share, right passphrase)", s.key(t, keys, [32]byte{}, right).Matches(verifier), false)
}
