package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/cluster"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// checkFormat returns what "hush admin migrate --check" says about a folder, which it
// must not change.
func checkFormat(t *testing.T, dir string, code int) (found struct {
	Format          rows.Format
	Opens, Upgrades bool
}) {
	t.Helper()
	before := vaulttest.FolderBytes(t, dir)
	shown := servertest.Call(t, nil, "", "admin", "migrate", "--check", "--json", "--data", dir).Want(t, "admin migrate --check --json", code)
	if err := json.Unmarshal([]byte(shown.Stdout), &found); err != nil {
		t.Fatalf("hush admin migrate --check --json: got %q and %v, want JSON", shown.Stdout, err)
	}
	if !bytes.Equal(vaulttest.FolderBytes(t, dir), before) {
		t.Error("hush admin migrate --check: got a changed folder, want nothing changed")
	}
	return found
}

// An operator looks at the folder of an old release, upgrades it, and cannot do
// either to one of a newer release.
func TestMigrate(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	dir := thaw(t, "0.1.0")
	if got := checkFormat(t, dir, command.ExitOK); got.Format != 1 || !got.Opens || !got.Upgrades {
		t.Errorf("hush admin migrate --check of an old folder: got %+v, want format 1 that is upgraded", got)
	}
	servertest.Call(t, nil, "", "admin", "migrate", "--check", "--data", dir).Want(t, "admin migrate --check", command.ExitOK)
	servertest.Call(t, nil, "", "admin", "migrate", "--data", dir).Want(t, "admin migrate", command.ExitOK, "upgraded the format of the data", fmt.Sprintf("hush: the data has format %d now", rows.FormatNewest()))
	if got := checkFormat(t, dir, command.ExitOK); got.Format != rows.FormatNewest() || !got.Opens || got.Upgrades {
		t.Errorf("hush admin migrate --check after an upgrade: got %+v, want the newest format", got)
	}
	again := servertest.Call(t, nil, "", "admin", "migrate", "--data", dir).Want(t, "admin migrate", command.ExitOK, fmt.Sprintf("hush: the data has format %d already", rows.FormatNewest()))
	if strings.Contains(again.Stderr, "upgraded") {
		t.Errorf("hush admin migrate again: got %q, want no upgrade", again.Stderr)
	}
	setFormat(t, dir, cluster.FormatRecord{Format: 99, Release: "9.9.9"})
	if got := checkFormat(t, dir, command.ExitFailure); got.Format != 99 || got.Opens || got.Upgrades {
		t.Errorf("hush admin migrate --check of a newer folder: got %+v, want format 99 that does not open", got)
	}
	servertest.Call(t, nil, "", "admin", "migrate", "--data", dir).Want(t, "admin migrate", command.ExitFailure, "upgrade to hush 9.9.9 or later")
	servertest.Call(t, nil, "", "admin", "migrate", "--json", "--data", dir).Want(t, "admin migrate --json", command.ExitUsage, "--json needs --check")
	servertest.Call(t, nil, "", "admin", "migrate", "--check", "--data", dir+"/missing").Want(t, "admin migrate --check", command.ExitFailure, "there is no data folder")
}

// The check counts the rows that an earlier release wrote in a form of its own.
func TestMigrateCountsOlderRows(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	dir := thaw(t, "0.1.0")
	s, err := servertest.OpenFolder(t.Context(), dir, nil, nil)
	vaulttest.Want(t, "opening the folder", err, nil)
	var accounts int
	err = s.Update(t.Context(), func(tx storage.Tx) error {
		accounts = 0
		var first, older []byte
		err := tx.Range(account.BucketAccount, nil, nil, func(key, value []byte) error {
			if accounts++; accounts == 1 {
				first, older = bytes.Clone(key), bytes.Clone(value)
			}
			return nil
		})
		if err != nil {
			return err
		}
		older[0]--
		return tx.Put(account.BucketAccount, first, older)
	})
	vaulttest.Want(t, "Update()", err, nil)
	vaulttest.Want(t, "close()", s.Release(), nil)
	want := fmt.Sprintf("1 of the %d rows in bucket \"account\" are as an earlier release wrote them", accounts)
	if got := servertest.Call(t, nil, "", "admin", "migrate", "--check", "--data", dir).Want(t, "admin migrate --check", command.ExitOK); !strings.Contains(got.Stdout, want) {
		t.Errorf("hush admin migrate --check: got %q, want %q in it", got.Stdout, want)
	}
}

// What is restored has the newest format, even if nothing in it was ended: earlier
// releases do not open it, and the check does not say that they do.
func TestMigrateCheckAfterRestore(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	old, to := thaw(t, "0.1.0"), t.TempDir()
	file, data := filepath.Join(to, "old.backup"), filepath.Join(to, "data")
	servertest.Call(t, nil, "", "admin", "backup", "--plain", "-o", file, "--data", old).Want(t, "admin backup", command.ExitOK)
	if got := checkFormat(t, old, command.ExitOK); got.Format != 1 {
		t.Errorf("hush admin migrate --check after a backup: got %+v, want format 1", got)
	}
	servertest.Call(t, nil, "", "admin", "restore", file, "--accept-resurrection", "--data", data, "--root-key-file", filepath.Join(old, "root.key")).
		Want(t, "admin restore", command.ExitOK, "upgraded the format of the data: earlier releases no longer open it")
	if got := checkFormat(t, data, command.ExitOK); got.Format != rows.FormatNewest() || got.Upgrades {
		t.Errorf("hush admin migrate --check after a restore: got %+v, want the newest format", got)
	}
}

// A folder in use is not looked at, and the refusal says what to do.
func TestMigrateCheckBesideService(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	s := servertest.Start(t, servertest.InFolder)
	for _, args := range [][]string{{"admin", "migrate", "--check"}, {"admin", "migrate"}} {
		servertest.Call(t, nil, "", append(args, "--data", s.Data)...).Want(t, strings.Join(args, " "), command.ExitFailure, "in use by another hush: stop that one first")
	}
	servertest.Call(t, nil, "", "admin", "compact", "--data", s.Data).Want(t, "admin compact", command.ExitFailure, "in use by another hush: stop that one first")
}
