package claim_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// thief opens a copy of a folder with its root key, at a time.
func thief(t *testing.T, k *vaulttest.Kit, dir string) *vaulttest.Kit {
	t.Helper()
	return vaulttest.New(t, vaulttest.Options{Manual: true, Dir: dir, RootKey: &k.RootKey, Start: k.Clock.Now()})
}

// mixed returns a copy of a folder with the database of another.
func mixed(t *testing.T, folder, database string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mixed")
	vaulttest.Want(t, "CopyFS()", os.CopyFS(dir, os.DirFS(folder)), nil)
	vaulttest.Want(t, "Chmod()", os.Chmod(dir, 0o700), nil)
	old, err := os.ReadFile(filepath.Join(database, "hush.db"))
	vaulttest.Want(t, "ReadFile(hush.db)", err, nil)
	vaulttest.Want(t, "WriteFile(hush.db)", os.WriteFile(filepath.Join(dir, "hush.db"), old, 0o600), nil)
	return dir
}

// The attack: the thief has the link, the root key, and a copy of the folder from
// within the two minutes. The claim is nowhere in it, and nothing opens without the
// claim: not by the service, and not with the stored share at hand.
func TestTheftWhileAClaimLasts(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	before := k.CopyDir(t)
	k.MustRevealClaimed(t, kept.Secret.Key, mine())
	vaulttest.AwaitShred(t, k)
	during := k.CopyDir(t)
	content := vaulttest.FolderBytes(t, during)
	for _, form := range append(vaulttest.Spellings(string(mine())), text) {
		vaulttest.Want(t, "folder holds the claim or the text", bytes.Contains(content, []byte(form)), false)
	}
	for name, dir := range map[string]string{"copy": during, "shares of the copy, older database": mixed(t, during, before)} {
		stolen := thief(t, k, dir)
		for _, by := range []caller.Text{"", others()} {
			got, err := stolen.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: by})
			vaulttest.Want(t, "RevealSecret("+name+") fails", err != nil, true)
			vaulttest.Want(t, "RevealSecret("+name+")", got, secret.Revealed{})
		}
		stolen.Close(t)
	}
	row := kept.Secret.Key.RowKey(seal.KindSecret)
	record := vaulttest.Get(t, k.Store, claim.BucketClaim, row[:])
	slot, owner, _, err := claim.Holding().Find(row[:], record)
	vaulttest.Want(t, "Find()", err, nil)
	vaulttest.Want(t, "kind of the share's owner", owner.Kind, shares.KindClaim)
	share, err := k.Shares.Get(t.Context(), slot)
	vaulttest.Want(t, "Get(share of the claim)", err, nil)
	offset := 21 + int(record[20])
	for name, hash := range map[string][32]byte{"no claim": {}, "the stored hash": [32]byte(record[21+17:])} {
		opener, err := k.Keys.SecretKeys().Key(k.Keys.KID(), kept.Secret.Key, row, share, hash)
		vaulttest.Want(t, "Key()", err, nil)
		_, err = opener.Open(record[21:offset], record[offset:])
		vaulttest.WantErr(t, "Open(link, share, root key, "+name+")", err, seal.ErrSealBroken)
	}
	// The same with the claim opens, so the attempts above are the right ones.
	vaulttest.Want(t, "RevealSecret(copy, claim)", thief(t, k, during).MustRevealClaimed(t, kept.Secret.Key, mine()), text)
}

// The attack: the thief has all that, and even the claim, but the folder was
// copied after the claim had ended; or the database is older than that, or was
// never compacted, and the shares are not.
func TestTheftAfterAClaim(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *vaulttest.Kit, secret.Concealed){
		"acknowledged": func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			k.MustAcknowledge(t, kept.Secret.Key, mine())
		},
		"lapsed": func(t *testing.T, k *vaulttest.Kit, _ secret.Concealed) {
			t.Helper()
			k.Clock.Advance(claim.Lifetime)
			vaulttest.Want(t, "Lapse()", k.MustLapse(t), 1)
			k.Clock.Set(vaulttest.StartTime().Add(time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
			kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
			k.MustRevealClaimed(t, kept.Secret.Key, mine())
			row := kept.Secret.Key.RowKey(seal.KindSecret)
			slot, _, _, err := claim.Holding().Find(row[:], vaulttest.Get(t, k.Store, claim.BucketClaim, row[:]))
			vaulttest.Want(t, "Find()", err, nil)
			share, err := k.Shares.Get(t.Context(), slot)
			vaulttest.Want(t, "Get(share of the claim)", err, nil)
			during := k.CopyDir(t)
			vaulttest.Want(t, "share while the claim lasts", bytes.Contains(vaulttest.FolderBytes(t, during), share[:]), true)
			end(t, k, kept)
			after := k.CopyDir(t)
			vaulttest.Want(t, "share after the end", bytes.Contains(vaulttest.FolderBytes(t, after), share[:]), false)
			_, err = k.Shares.Get(t.Context(), slot)
			vaulttest.WantErr(t, "Get(share after the end)", err, storage.ErrShareGone)

			clock := vaulttest.Options{Manual: true, RootKey: &k.RootKey, Start: vaulttest.StartTime()}
			clock.Dir = after
			vaulttest.New(t, clock).WantNotRevealed(t, "copy", kept.Secret.Key, mine())
			clock.Dir = mixed(t, after, during)
			_, err = vaulttest.New(t, clock).Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: mine()})
			vaulttest.WantErr(t, "RevealSecret(claim, older database)", err, rows.ErrInconsistent)
		})
	}
}
