package vault_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/guess"
	"hush/vault/refusal"
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

const (
	plaintext  = "plaintext-canary-7f3a"
	passphrase = "passphrase-canary-91be"
)

func newVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{Kit: vaulttest.New(t, vaulttest.Options{Manual: true}), shares: map[seal.Token][32]byte{}}
	v.live = v.MustConceal(t, caller.Caller{}, plaintext, secret.Wish{})
	v.locked = v.MustConceal(t, caller.Caller{}, plaintext, secret.Wish{Passphrase: passphrase})
	v.revealed = v.MustConceal(t, caller.Caller{}, plaintext, secret.Wish{Passphrase: passphrase})
	v.burned = v.MustConceal(t, caller.Caller{}, plaintext, secret.Wish{})
	v.lapsed = v.MustConceal(t, caller.Caller{}, plaintext, secret.Wish{TTL: new(time.Minute)})
	v.ended = []secret.Concealed{v.revealed, v.burned, v.lapsed}
	for _, kept := range append([]secret.Concealed{v.live, v.locked}, v.ended...) {
		v.shares[kept.Secret.Key] = shareOf(t, v.Kit, kept.Secret.Key)
	}
	v.before = v.CopyDir(t)
	v.Clock.Advance(time.Minute)
	v.MustReveal(t, caller.Caller{}, v.revealed.Secret.Key, passphrase)
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
		content := everything(t, dir)
		for _, kept := range append([]secret.Concealed{v.live, v.locked}, v.ended...) {
			for _, secret := range []string{plaintext, passphrase, kept.Secret.Key.Expose()[:25], kept.Metadata.Key.Expose()[:25]} {
				for _, form := range spellings(secret) {
					want(t, "data folder holds a canary", bytes.Contains(content, []byte(form)), false)
				}
			}
		}
		want(t, "data folder holds the root key", bytes.Contains(content, v.RootKey.Text()[:64]), false)
	}
	// With the root key and what the rows are called, as if those were links.
	thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: v.before, RootKey: &v.RootKey})
	for _, kept := range []secret.Concealed{v.live, v.locked, v.revealed} {
		row, receipt := kept.Secret.Key.RowKey(seal.KindSecret), kept.Metadata.Key.RowKey(seal.KindMetadata)
		for _, guess := range []string{string(row[:]), hex.EncodeToString(row[6:])[:31], string(receipt[:])} {
			wantErr(t, "RevealSecret(row key)", revealErr(t, thief, caller.Caller{}, guess, passphrase), refusal.ErrNotFound)
		}
	}
}

// spellings are the forms in which something may stand in a file or a log.
func spellings(s string) []string {
	return []string{
		s, hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s))),
		base64.StdEncoding.EncodeToString([]byte(s))[:len(s)], base64.URLEncoding.EncodeToString([]byte(s))[:len(s)],
	}
}

// The attack: the thief has the folder and even the links, but not the root
// key. A start with another key is refused, and forcing it opens nothing.
func TestTheftWithoutRootKey(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	folder, err := bolt.OpenFolder(v.before)
	want(t, "OpenFolder(copy)", err, nil)
	defer folder.Close()
	store, shares, err := folder.Open(bolt.Options{})
	want(t, "Open(copy)", err, nil)
	other := seal.NewKeys(seal.NewRootKey())
	_, err = vault.Open(t.Context(), vault.Options{Store: store, Shares: shares, Keys: other, Now: v.Clock.Now})
	wantErr(t, "Open(copy, other root key)", err, seal.ErrWrongRootKey)
	for key, share := range v.shares {
		row := key.RowKey(seal.KindSecret)
		record := get(t, store, vault.BucketSecret, row[:])
		offset, err := vault.SealedOffset(record)
		want(t, "SealedOffset(record)", err, nil)
		opened, err := other.SecretKeys().Key(key, row, share, [32]byte{}).Open(record[21:offset], record[offset:])
		wantErr(t, "Open(link, share, other root key)", err, seal.ErrSealBroken)
		want(t, "Open(link, share, other root key)", len(opened), 0)
	}
}

// The attack: the thief has a link only. It opens once, and its sender sees
// it; a passphrase leaves five tries; what ended is gone.
func TestTheftOfALink(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	thief := vaulttest.Caller(66)
	want(t, "RevealSecret(live)", v.MustReveal(t, thief, v.live.Secret.Key, ""), plaintext)
	wantErr(t, "RevealSecret(live, again)", revealErr(t, v.Kit, thief, v.live.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	wantState(t, v.Kit, v.live.Metadata.Key, secret.StateReceived)
	for left := 4; left >= 0; left-- {
		wantPassphrase(t, "RevealSecret(locked)", revealErr(t, v.Kit, thief, v.locked.Secret.Key.Expose(), "guess"), &refusal.PassphraseError{TriesLeft: left, RetryAfter: guess.PauseAfter(secret.NetworkTries-left, secret.NetworkTries)})
	}
	wantErr(t, "RevealSecret(locked)", revealErr(t, v.Kit, thief, v.locked.Secret.Key.Expose(), passphrase), refusal.ErrLocked)
	for _, kept := range v.ended {
		wantErr(t, "RevealSecret(ended)", revealErr(t, v.Kit, thief, kept.Secret.Key.Expose(), passphrase), refusal.ErrNotFound)
	}
}

// The attack: the thief has everything, but the folder was copied after the
// secret ended. Old pages of the database may still hold the ciphertext; here
// the thief gets the whole old database. Without the share it stays shut.
func TestTheftOfEverythingAfter(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	for _, kept := range v.ended {
		wantShareGone(t, v.after, v.shares[kept.Secret.Key])
	}
	for _, other := range []secret.Concealed{v.live, v.locked} { // the search does find shares
		share := v.shares[other.Secret.Key]
		want(t, "share of a live secret is in a file", holds(t, v.after, share[:]), true)
	}
	tryAll := func(dir string, gone ...error) {
		thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: dir, RootKey: &v.RootKey})
		for _, kept := range v.ended {
			err := revealErr(t, thief, caller.Caller{}, kept.Secret.Key.Expose(), passphrase)
			want(t, "RevealSecret(ended) is refused", err != nil && (errors.Is(err, gone[0]) || errors.Is(err, gone[len(gone)-1])), true)
		}
	}
	oldDatabase := filepath.Join(t.TempDir(), "mixed")
	want(t, "CopyFS(after)", os.CopyFS(oldDatabase, os.DirFS(v.after)), nil)
	want(t, "Chmod(mixed)", os.Chmod(oldDatabase, 0o700), nil)
	database, err := os.ReadFile(filepath.Join(v.before, "hush.db"))
	want(t, "ReadFile(old database)", err, nil)
	want(t, "WriteFile(old database)", os.WriteFile(filepath.Join(oldDatabase, "hush.db"), database, 0o600), nil)
	tryAll(v.after, refusal.ErrNotFound)
	tryAll(oldDatabase, vault.ErrFault, refusal.ErrNotFound)
}

// The attack: the thief has everything, and the copy is from before. No service
// can promise anything then: the secret opens, unseen, with the passphrase if
// there is one, and so does what has ended since.
func TestTheftOfEverythingBefore(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	thief := vaulttest.New(t, vaulttest.Options{Manual: true, Dir: v.before, RootKey: &v.RootKey})
	for _, kept := range []secret.Concealed{v.locked, v.revealed} {
		wantErr(t, "RevealSecret(copy, guess)", revealErr(t, thief, caller.Caller{}, kept.Secret.Key.Expose(), "guess"), refusal.ErrPassphrase)
		want(t, "RevealSecret(copy, passphrase)", thief.MustReveal(t, caller.Caller{}, kept.Secret.Key, passphrase), plaintext)
	}
	for _, kept := range []secret.Concealed{v.live, v.burned, v.lapsed} {
		want(t, "RevealSecret(copy)", thief.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), plaintext)
	}
	wantState(t, v.Kit, v.live.Metadata.Key, secret.StateNew)
}
