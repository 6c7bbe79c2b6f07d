package vault_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/guess"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// victim is a vault with secrets in each state that a thief may find.
type victim struct {
	*vaulttest.Kit
	live, locked             secret.Concealed
	revealed, burned, lapsed secret.Concealed
	ended                    []secret.Concealed // the last three
	shares                   map[seal.Token][storage.ShareSize]byte
	before, after            string // copies of the folder
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{Kit: vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true}), shares: map[seal.Token][32]byte{}}
	v.live = v.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	v.locked = v.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{Passphrase: vaulttest.Passphrase})
	v.revealed = v.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{Passphrase: vaulttest.Passphrase})
	v.burned = v.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	v.lapsed = v.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{TTL: new(time.Minute)})
	v.ended = []secret.Concealed{v.revealed, v.burned, v.lapsed}
	for _, kept := range append([]secret.Concealed{v.live, v.locked}, v.ended...) {
		v.shares[kept.Secret.Key] = vaulttest.ShareOf(t, v.Kit, kept.Secret.Key)
	}
	v.before = v.CopyDir(t)
	v.Clock.Advance(time.Minute)
	v.MustReveal(t, caller.Caller{}, v.revealed.Secret.Key, vaulttest.Passphrase)
	v.MustBurn(t, caller.Caller{}, v.burned.Metadata.Key, "")
	v.MustSweep(t)
	v.after = v.CopyDir(t)
	return v
}

// The attack: the thief has the data folder, with or without the root key, and
// no link. Nothing in any file is a link or leads to one.
func TestTheftOfTheFolder(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	for _, dir := range []string{v.before, v.after} {
		content := vaulttest.FolderBytes(t, dir)
		for _, kept := range append([]secret.Concealed{v.live, v.locked}, v.ended...) {
			for _, secret := range []string{vaulttest.Plaintext, vaulttest.Passphrase, kept.Secret.Key.Expose()[:25], kept.Metadata.Key.Expose()[:25]} {
				for _, form := range vaulttest.Spellings(secret) {
					vaulttest.Want(t, "data folder holds a canary", bytes.Contains(content, []byte(form)), false)
				}
			}
		}
		vaulttest.Want(t, "data folder holds the root key", bytes.Contains(content, v.RootKey.Text()[:64]), false)
	}
	// With the root key and what the rows are called, as if those were links.
	thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: v.before, RootKey: &v.RootKey})
	for _, kept := range []secret.Concealed{v.live, v.locked, v.revealed} {
		row, metadataRow := kept.Secret.Key.RowKey(seal.KindSecret), kept.Metadata.Key.RowKey(seal.KindMetadata)
		for _, guess := range []string{string(row[:]), hex.EncodeToString(row[6:])[:31], string(metadataRow[:])} {
			vaulttest.WantErr(t, "RevealSecret(row key)", vaulttest.RevealErr(t, thief, caller.Caller{}, guess, vaulttest.Passphrase), refusal.ErrNotFound)
		}
	}
}

// The attack: the thief has the folder and even the links, but not the root
// key. A start with another key is refused, and forcing it opens nothing.
func TestTheftWithoutRootKey(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	folder, err := bolt.OpenFolder(v.before)
	vaulttest.Want(t, "OpenFolder(copy)", err, nil)
	defer folder.Close()
	store, shares, err := folder.Open(bolt.Options{Small: true})
	vaulttest.Want(t, "Open(copy)", err, nil)
	other := seal.NewKeys(seal.NewRootKey())
	_, err = vault.Open(t.Context(), vault.Options{Store: store, Shares: shares, Keys: other, Now: v.Clock.Now})
	vaulttest.WantErr(t, "Open(copy, other root key)", err, seal.ErrWrongRootKey)
	for key, share := range v.shares {
		row := key.RowKey(seal.KindSecret)
		record := vaulttest.Get(t, store, secret.BucketSecret, row[:])
		offset := vaulttest.SealedOffset(record)
		opener, err := other.SecretKeys().Key(other.KID(), key, row, share, [32]byte{})
		vaulttest.Want(t, "Key(other root key)", err, nil)
		opened, err := opener.Open(record[21:offset], record[offset:])
		vaulttest.WantErr(t, "Open(link, share, other root key)", err, seal.ErrSealBroken)
		vaulttest.Want(t, "Open(link, share, other root key)", len(opened), 0)
	}
}

// The attack: the thief has a link only. It opens once, and its sender sees
// it; a passphrase leaves five tries; what ended is gone.
func TestTheftOfALink(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	thief := vaulttest.Caller(66)
	vaulttest.Want(t, "RevealSecret(live)", v.MustReveal(t, thief, v.live.Secret.Key, ""), vaulttest.Plaintext)
	vaulttest.WantErr(t, "RevealSecret(live, again)", vaulttest.RevealErr(t, v.Kit, thief, v.live.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	vaulttest.WantState(t, v.Kit, v.live.Metadata.Key, receipt.StateReceived)
	for left := 4; left >= 0; left-- {
		vaulttest.WantPassphrase(t, "RevealSecret(locked)", vaulttest.RevealErr(t, v.Kit, thief, v.locked.Secret.Key.Expose(), "guess"), &refusal.PassphraseError{TriesLeft: left, RetryAfter: guess.PauseAfter(passphrase.NetworkTries-left, passphrase.NetworkTries)})
	}
	vaulttest.WantErr(t, "RevealSecret(locked)", vaulttest.RevealErr(t, v.Kit, thief, v.locked.Secret.Key.Expose(), vaulttest.Passphrase), refusal.ErrLocked)
	for _, kept := range v.ended {
		vaulttest.WantErr(t, "RevealSecret(ended)", vaulttest.RevealErr(t, v.Kit, thief, kept.Secret.Key.Expose(), vaulttest.Passphrase), refusal.ErrNotFound)
	}
}

// The attack: the thief has everything, but the folder was copied after the
// secret ended. Old pages of the database may still hold the ciphertext; here
// the thief gets the whole old database. Without the share it stays shut.
func TestTheftOfEverythingAfter(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	for _, kept := range v.ended {
		share := v.shares[kept.Secret.Key]
		vaulttest.Want(t, "share of an ended secret is in a file", bytes.Contains(vaulttest.FolderBytes(t, v.after), share[:]), false)
	}
	for _, other := range []secret.Concealed{v.live, v.locked} { // the search does find shares
		share := v.shares[other.Secret.Key]
		vaulttest.Want(t, "share of a live secret is in a file", bytes.Contains(vaulttest.FolderBytes(t, v.after), share[:]), true)
	}
	tryAll := func(dir string, gone ...error) {
		thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: dir, RootKey: &v.RootKey})
		for _, kept := range v.ended {
			err := vaulttest.RevealErr(t, thief, caller.Caller{}, kept.Secret.Key.Expose(), vaulttest.Passphrase)
			vaulttest.Want(t, "RevealSecret(ended) is refused", err != nil && (errors.Is(err, gone[0]) || errors.Is(err, gone[len(gone)-1])), true)
		}
	}
	oldDatabase := filepath.Join(t.TempDir(), "mixed")
	vaulttest.Want(t, "CopyFS(after)", os.CopyFS(oldDatabase, os.DirFS(v.after)), nil)
	vaulttest.Want(t, "Chmod(mixed)", os.Chmod(oldDatabase, 0o700), nil)
	database, err := os.ReadFile(filepath.Join(v.before, "hush.db"))
	vaulttest.Want(t, "ReadFile(old database)", err, nil)
	vaulttest.Want(t, "WriteFile(old database)", os.WriteFile(filepath.Join(oldDatabase, "hush.db"), database, 0o600), nil)
	tryAll(v.after, refusal.ErrNotFound)
	tryAll(oldDatabase, rows.ErrInconsistent, refusal.ErrNotFound)
}

// The attack: the thief has everything, and the copy is from before. No service
// can promise anything then: the secret opens, unseen, with the passphrase if
// there is one, and so does what has ended since.
func TestTheftOfEverythingBefore(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: v.before, RootKey: &v.RootKey})
	for _, kept := range []secret.Concealed{v.locked, v.revealed} {
		vaulttest.WantErr(t, "RevealSecret(copy, guess)", vaulttest.RevealErr(t, thief, caller.Caller{}, kept.Secret.Key.Expose(), "guess"), refusal.ErrPassphrase)
		vaulttest.Want(t, "RevealSecret(copy, passphrase)", thief.MustReveal(t, caller.Caller{}, kept.Secret.Key, vaulttest.Passphrase), vaulttest.Plaintext)
	}
	for _, kept := range []secret.Concealed{v.live, v.burned, v.lapsed} {
		vaulttest.Want(t, "RevealSecret(copy)", thief.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), vaulttest.Plaintext)
	}
	vaulttest.WantState(t, v.Kit, v.live.Metadata.Key, receipt.StateNew)
}
