package vault_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/disktest"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// smallDiskKit is a vault on a file system of its own, with a ballast.
func smallDiskKit(t *testing.T, size string, minFree int64) (k *vaulttest.Kit, disk string) {
	t.Helper()
	disk = disktest.Small(t, size)
	return vaulttest.New(t, vaulttest.Options{
		Manual: true, Dir: filepath.Join(disk, "data"), MinFree: minFree, Ballast: true,
	}), disk
}

// fillDisk conceals texts of a size until the vault refuses. Before each one the
// system is asked for the free space.
func fillDisk(t *testing.T, k *vaulttest.Kit, size int) (kept []secret.Concealed) {
	t.Helper()
	text := caller.Text(strings.Repeat("x", size))
	for range 10_000 {
		k.Clock.Advance(time.Second)
		c, err := k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), text, secret.Terms{})
		if errors.Is(err, refusal.ErrUnavailable) {
			return kept
		}
		vaulttest.Want(t, "ConcealSecret(text)", err, nil)
		kept = append(kept, c)
	}
	t.Fatal("10000 secrets: got no refusal, want the disk to be full")
	return nil
}

// The defect: a disk of 48 MiB was filled once, everything on it was opened, and
// the service refused new secrets for good, because the database's file keeps its
// length. What is free inside it is room.
func TestOpenedFolderTakesMore(t *testing.T) {
	size, least := "48m", 200
	if testing.Short() {
		size, least = "24m", 50
	}
	k, _ := smallDiskKit(t, size, 4<<20)
	for round := range 2 {
		kept := fillDisk(t, k, 64<<10)
		if len(kept) < least {
			t.Errorf("secrets in round %d: got %d, want %d and more", round, len(kept), least)
		}
		for _, c := range kept {
			k.MustReveal(t, vaulttest.Caller(2), c.Secret.Key, "")
		}
		k.Clock.Advance(time.Second) // for which the answer of the system is believed
	}
}

// The attack: fill the disk, including the database's last free page, so that
// secrets can no longer be opened or destroyed. The ballast makes room for that
// and for nothing else.
func TestFullDiskRevealsAndBurns(t *testing.T) {
	k, disk := smallDiskKit(t, "32m", 1)
	early := make([]secret.Concealed, 40)
	for i := range early {
		terms := secret.Terms{TTL: new(time.Hour)}
		if i%2 == 1 {
			terms.Passphrase = "right"
		}
		early[i] = k.MustConceal(t, vaulttest.Caller(1), "the text", terms)
	}
	filler := filepath.Join(disk, "filler")
	vaulttest.Want(t, "WriteFile(filler)", os.WriteFile(filler, make([]byte, 12<<20), 0o600), nil)
	fillDisk(t, k, 64<<10)
	fillRest(t, filler)
	fillPages(t, k)
	for i, c := range early[:20] {
		// The first reveal finds no page, and takes the ballast.
		wantBallast(t, k, i == 0)
		if i > 0 {
			wantOrdinaryRefused(t, k)
		}
		passphrase := caller.Text("")
		if i%2 == 1 {
			passphrase = "right"
		}
		if i < 10 {
			vaulttest.Want(t, "RevealSecret(full disk)", k.MustReveal(t, vaulttest.Caller(2), c.Secret.Key, passphrase), "the text")
			continue
		}
		k.MustMetadata(t, vaulttest.Caller(1), c.Metadata.Key)
		vaulttest.Want(t, "BurnSecret(full disk).State", k.MustBurn(t, vaulttest.Caller(1), c.Metadata.Key, passphrase).State, receipt.StateBurned)
	}
	wantOrdinaryRefused(t, k)
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(3), "new", secret.Terms{})
	vaulttest.WantErr(t, "ConcealSecret(full disk)", err, refusal.ErrUnavailable)
	k.Clock.Set(vaulttest.StartTime().Add(time.Hour))
	k.MustSweep(t)
	for _, c := range early[20:] {
		vaulttest.Want(t, "an expired secret is there", vaulttest.SecretRow(t, k, c.Secret.Key) != nil, false)
	}
	vaulttest.AwaitShred(t, k)
	vaulttest.Want(t, "Remove(filler)", os.Remove(filler), nil)
	k.Clock.Advance(time.Second)
	k.MustSweep(t)
	wantBallast(t, k, true)
	k.MustConceal(t, vaulttest.Caller(3), "new", secret.Terms{})
}

// A claim needs a share, for which a full disk may have no slot. The secret is
// revealed all the same, to one caller and without a claim.
func TestFullDiskRevealsWithoutClaims(t *testing.T) {
	k, disk := smallDiskKit(t, "40m", 1)
	early := make([]secret.Concealed, 40)
	for i := range early {
		early[i] = k.MustConceal(t, vaulttest.Caller(1), "the text", secret.Terms{})
	}
	filler := filepath.Join(disk, "filler")
	vaulttest.Want(t, "WriteFile(filler)", os.WriteFile(filler, make([]byte, 12<<20), 0o600), nil)
	fillDisk(t, k, 64<<10)
	fillRest(t, filler)
	fillPages(t, k)
	for {
		if _, err := k.Shares.Put(t.Context(), [storage.ShareSize]byte{1}); err != nil {
			vaulttest.WantErr(t, "Put(share)", err, storage.ErrFull)
			break
		}
	}
	claimed, opening := 0, secret.Opening{Claim: vaulttest.Claim(1)}
	for _, c := range early {
		revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(2), c.Secret.Key.Expose(), opening)
		if err != nil || revealed.Value != "the text" {
			t.Fatalf("RevealSecret(claim, full disk): got %d bytes, %v, want the text", len(revealed.Value), err)
		}
		if revealed.ClaimLeft > 0 {
			claimed++
		}
		_, err = k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(3), c.Secret.Key.Expose(), secret.Opening{Claim: vaulttest.Claim(2)})
		vaulttest.WantErr(t, "RevealSecret(another claim)", err, refusal.ErrNotFound)
	}
	vaulttest.Want(t, "some had no claim", claimed < len(early), true)
}

// fillPages uses up the database's free pages. Hundreds are left when the first
// secret finds no room, because it needed many in a row. Each size has a bucket
// of its own, so that the last one needs single pages, and fewer than a reveal.
func fillPages(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	n := 0
	for _, size := range []int{32 << 10, 8 << 10, 2 << 10, 100} {
		bucket := fmt.Sprintf("filler%d", size)
		for full := false; !full; n++ {
			err := k.Store.Update(t.Context(), func(tx storage.Tx) error {
				return tx.Put(bucket, binary.BigEndian.AppendUint64(nil, uint64(n)), make([]byte, size))
			})
			if full = errors.Is(err, storage.ErrFull); err != nil && !full {
				t.Fatalf("Update(filler): got %v, want nil or %v", err, storage.ErrFull)
			}
		}
	}
}

// wantBallast checks whether the ballast exists.
func wantBallast(t *testing.T, k *vaulttest.Kit, want bool) {
	t.Helper()
	_, err := os.Stat(filepath.Join(k.Dir, "ballast"))
	vaulttest.Want(t, "ballast exists", !errors.Is(err, fs.ErrNotExist), want)
}

// wantOrdinaryRefused tries ten ordinary changes, sign-ins of strangers, while
// the ballast is in use. If one succeeded, they would take its room.
func wantOrdinaryRefused(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	for i := range 10 {
		address := caller.Text(fmt.Sprintf("stranger%d@example.com", i))
		_, err := k.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(4), address, "a password", false)
		vaulttest.WantErr(t, "CreateSession(full disk)", err, refusal.ErrUnavailable)
	}
}

// fillRest writes a file that takes what the disk has left.
func fillRest(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	vaulttest.Want(t, "OpenFile(filler)", err, nil)
	defer file.Close()
	block := make([]byte, 4096)
	for err == nil {
		_, err = file.Write(block)
	}
	vaulttest.WantErr(t, "Write(filler)", err, syscall.ENOSPC)
}
