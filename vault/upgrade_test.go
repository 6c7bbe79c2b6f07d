package vault_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/storage"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/keylist"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// formatKey is the row of the format.
func formatKey() []byte { return []byte{0xff, 1} }

// headerVersion returns the version of the shares file of a folder.
func headerVersion(t *testing.T, dir string) byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "shares"))
	vaulttest.Want(t, "ReadFile(shares)", err, nil)
	return content[8]
}

// downgrade closes a kit and makes its folder one of the first format, as the
// first release creates it.
func downgrade(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	vaulttest.Put(t, k.Store, cluster.BucketNode, formatKey(), nil)
	k.Close(t)
	shares, err := os.OpenFile(filepath.Join(k.Dir, "shares"), os.O_RDWR, 0)
	vaulttest.Want(t, "OpenFile(shares)", err, nil)
	defer shares.Close()
	header := make([]byte, 64)
	_, err = shares.ReadAt(header, 0)
	vaulttest.Want(t, "ReadAt(shares)", err, nil)
	header[8] = 1
	binary.LittleEndian.PutUint32(header[60:], crc32.Checksum(header[:60], crc32.MakeTable(crc32.Castagnoli)))
	_, err = shares.WriteAt(header, 0)
	vaulttest.Want(t, "WriteAt(shares)", err, nil)
}

// wantUpgraded fails the test unless the folder of a kit has the newest format,
// and the log says that it was upgraded so often.
func wantUpgraded(t *testing.T, k *vaulttest.Kit, log string, times int) {
	t.Helper()
	stored, err := cluster.DecodeFormat(vaulttest.Get(t, k.Store, cluster.BucketNode, formatKey()))
	vaulttest.Want(t, "DecodeFormat()", err, nil)
	vaulttest.Want(t, "format of the folder", stored, cluster.FormatRecord{Format: rows.FormatNewest(), Release: rows.FormatNewest().FirstRelease()})
	vaulttest.Want(t, "version of the shares file", headerVersion(t, k.Dir), 2)
	if got := strings.Count(log, "upgraded the format of the data"); got != times {
		t.Errorf("lines about an upgrade: got %d, want %d: %s", got, times, log)
	}
}

// A folder of the first format gets the newest at the next start, and one line of
// the log says so. A new folder has the newest, and its log says nothing.
func TestUpgradeFolder(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	wantUpgraded(t, k, log.String(), 0)
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	downgrade(t, k)
	k.Reopen(t)
	wantUpgraded(t, k, log.String(), 1)
	for _, part := range []string{"from=1", fmt.Sprintf("to=%d", rows.FormatNewest()), "first_release=" + rows.FormatNewest().FirstRelease()} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("log of an upgrade: got %q, want %q in it", log.String(), part)
		}
	}
	k.Reopen(t)
	wantUpgraded(t, k, log.String(), 1)
	vaulttest.Want(t, "RevealSecret(of the first format)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), "x")
}

// barredShares fail to bar older releases.
type barredShares struct{ storage.Shares }

var errBar = errors.New("bar")

func (barredShares) BarOlder(context.Context) error { return errBar }

// Older releases are barred first: where that fails nothing has the new format,
// and where the process ends after it, the next start goes on.
func TestUpgradeBarsFirst(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	vaulttest.Put(t, k.Store, cluster.BucketNode, formatKey(), nil)
	opts := k.VaultOptions()
	opts.Shares = barredShares{k.Shares}
	_, err := vault.Open(t.Context(), opts)
	vaulttest.WantErr(t, "vault.Open(shares that cannot be barred)", err, errBar)
	if got := vaulttest.Get(t, k.Store, cluster.BucketNode, formatKey()); got != nil {
		t.Errorf("format of the store: got %x, want none", got)
	}
	vaulttest.Want(t, "version of the shares file", headerVersion(t, k.Dir), 2)
	k.Reopen(t)
	wantUpgraded(t, k, log.String(), 1)
}

// A folder that a newer release wrote is refused, with the release that it takes,
// and nothing changes: not even where the verifier is one that only that release
// can read.
func TestNewerFolderIsRefused(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true})
	vaulttest.Put(t, k.Store, cluster.BucketNode, formatKey(), cluster.FormatRecord{Format: 99, Release: "9.9.9"}.Encode())
	vaulttest.Put(t, k.Store, rows.BucketSystem, []byte(keylist.SystemVerifier), []byte("another"))
	before := vaulttest.FolderBytes(t, k.Dir)
	_, err := vault.Open(t.Context(), k.VaultOptions())
	var outdated *cluster.FormatError
	if !errors.As(err, &outdated) || !errors.Is(err, refusal.ErrUnavailable) {
		t.Fatalf("vault.Open(newer format): got %v, want a FormatError", err)
	}
	for _, part := range []string{"format 99", "since hush 9.9.9", fmt.Sprintf("formats up to %d", rows.FormatNewest()), "upgrade to hush 9.9.9 or later"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("vault.Open(newer format): got %q, want %q in it", err, part)
		}
	}
	if after := vaulttest.FolderBytes(t, k.Dir); !bytes.Equal(after, before) {
		t.Error("vault.Open(newer format): got a changed folder, want nothing changed")
	}
}

// Nodes decide on the format of a store that they share, so its first start leaves
// that open.
func TestInitSharedLeavesFormatOpen(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true})
	err := k.Store.Update(t.Context(), func(tx storage.Tx) error {
		if err := tx.Delete(cluster.BucketNode, formatKey()); err != nil {
			return err
		}
		for _, name := range []string{keylist.SystemVerifier, cluster.SystemMark} {
			if err := tx.Delete(rows.BucketSystem, []byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	vaulttest.Want(t, "Update()", err, nil)
	vaulttest.Want(t, "InitShared()", vault.InitShared(t.Context(), k.Store, k.Keys, k.Clock.Now()), nil)
	if got := vaulttest.Get(t, k.Store, cluster.BucketNode, formatKey()); got != nil {
		t.Errorf("format of the store: got %x, want none", got)
	}
}
