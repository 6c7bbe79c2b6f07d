package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/backup"
	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/storage"
	"hush/testtier"
	"hush/vault/cluster"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// setFormat changes the format of a data folder that no process holds.
func setFormat(t *testing.T, data string, record cluster.FormatRecord) {
	t.Helper()
	s, err := servertest.OpenFolder(context.Background(), data, nil, nil)
	vaulttest.Want(t, "opening the folder", err, nil)
	err = s.Update(t.Context(), func(tx storage.Tx) error {
		return tx.Put(cluster.BucketNode, []byte{0xff, 1}, record.Encode())
	})
	vaulttest.Want(t, "Update()", err, nil)
	vaulttest.Want(t, "close()", s.Release(), nil)
}

// runProgram runs a built program to its end.
func runProgram(t *testing.T, path string, args ...string) servertest.Result {
	t.Helper()
	c := exec.CommandContext(t.Context(), path, args...)
	var stdout, stderr bytes.Buffer
	c.Env, c.Stdout, c.Stderr = []string{}, &stdout, &stderr
	_ = c.Run() // the exit code says it
	return servertest.Result{Code: c.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}

// An operator starts the release before on a folder that this one has upgraded.
// It refuses, says which release it takes, and consumes nothing.
func TestEarlierReleaseRefusesFolder(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	testtier.Full(t, "builds another release")
	before := buildRelease(t, "0.1.9", "hush_previous_format")
	s := servertest.Start(t, servertest.InFolder)
	d := servertest.Drivers(t, s, nil)[0]
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	s.Stop(t)
	content := vaulttest.FolderBytes(t, s.Data)
	for _, args := range [][]string{{"serve", "--listen=127.0.0.1:0"}, {"admin", "account", "list"}} {
		name := strings.Join(args, " ")
		runProgram(t, before, append(args, "--data", s.Data)...).Want(t, name, 1,
			fmt.Sprintf("the store has format %d since hush %s uses it", rows.FormatNewest(), rows.FormatNewest().FirstRelease()),
			"upgrade to hush "+rows.FormatNewest().FirstRelease()+" or later")
		if !bytes.Equal(vaulttest.FolderBytes(t, s.Data), content) {
			t.Errorf("%s of an earlier release: got a changed folder, want nothing changed", name)
		}
	}
	again := servertest.StartOn(t, s.Data)
	servertest.Drivers(t, again, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after the refusal", "kept")
}

// A service and each of the operator's commands refuse a folder that a newer
// release wrote, before they change or create anything.
func TestNewerFolderIsRefused(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	s := servertest.Start(t, servertest.InFolder)
	s.Stop(t)
	setFormat(t, s.Data, cluster.FormatRecord{Format: 99, Release: "9.9.9"})
	servertest.Replace(t, filepath.Join(s.Data, "ballast"), nil)
	content := vaulttest.FolderBytes(t, s.Data)
	dir := t.TempDir()
	other, file := filepath.Join(dir, "other"), filepath.Join(dir, "file")
	servertest.Replace(t, file, []byte("of before"))
	for _, args := range [][]string{
		{"admin", "doctor", "--data", s.Data},
		{"admin", "doctor", "--json", "--data", s.Data},
		{"admin", "compact", "--data", s.Data},
		{"admin", "compact", "--check", "--data", s.Data},
		{"admin", "migrate", "--data", s.Data},
		{"admin", "backup", "--plain", "-o", other, "--data", s.Data},
		{"admin", "keys", "list", "--data", s.Data},
		{"admin", "keys", "rotate", "--data", s.Data},
		{"admin", "keys", "retire", "00000000", "--data", s.Data},
		{"admin", "audit", "export", "-o", file, "--data", s.Data},
		{"serve", "--listen=127.0.0.1:0", "--data", s.Data},
		{"admin", "account", "list", "--data", s.Data},
		{"admin", "account", "create", "a@example.com", "--data", s.Data},
		{"admin", "token", "list", "a@example.com", "--data", s.Data},
		{"admin", "domain", "list", "--data", s.Data},
		{"admin", "place", "list", "--data", s.Data},
		{"admin", "burn", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "--data", s.Data},
		{"admin", "store", "copy", s.Data, other},
		{"admin", "store", "abandon", s.Data},
	} {
		name := strings.Join(args, " ")
		code := command.ExitFailure
		if args[1] == "doctor" {
			code = command.ExitUnable
		}
		servertest.Call(t, nil, "", args...).Want(t, name, code,
			"the store has format 99 since hush 9.9.9 uses it", fmt.Sprintf("reads formats up to %d", rows.FormatNewest()), "upgrade to hush 9.9.9 or later")
		if !bytes.Equal(vaulttest.FolderBytes(t, s.Data), content) {
			t.Errorf("hush %s: got a changed folder, want nothing changed", name)
		}
	}
	if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("target of a refused copy or backup: got %v, want none", err)
	}
	if got, err := os.ReadFile(file); string(got) != "of before" {
		t.Errorf("target of a refused export: got %q and %v, want it unchanged", got, err)
	}
}

// The backup of a newer release is refused, and a restore creates nothing.
func TestNewerBackupIsRefused(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a file")
	dir := t.TempDir()
	file, key, data := filepath.Join(dir, "b"), filepath.Join(dir, "key"), filepath.Join(dir, "data")
	servertest.Call(t, nil, "", "admin", "keygen", key).Want(t, "admin keygen", command.ExitOK)
	var content bytes.Buffer
	w, err := backup.NewWriter(&content, backup.Header{Format: 99, Release: "9.9.9", Time: time.Now()})
	vaulttest.Want(t, "NewWriter()", err, nil)
	vaulttest.Want(t, "Row()", w.Row("bucket of 9.9.9", []byte("key"), []byte("value")), nil)
	_, err = w.End(1, 0)
	vaulttest.Want(t, "End()", err, nil)
	servertest.Replace(t, file, content.Bytes())
	needed := fmt.Sprintf("the backup has format 99, and this release of hush reads formats up to %d: upgrade to hush 9.9.9 or later", rows.FormatNewest())
	for name, args := range map[string][]string{
		"backup verify": {"admin", "backup", "verify", file},
		"with a key":    {"admin", "backup", "verify", "--json", "--root-key-file", key, file},
		"restore":       {"admin", "restore", file, "--burn-all", "--data", data, "--root-key-file", key},
	} {
		servertest.Call(t, nil, "", args...).Want(t, name, command.ExitFailure, needed)
	}
	later := content.Bytes()
	later[11]++ // the version of the file itself, which has no header that this release could read
	servertest.Replace(t, file, later)
	servertest.Call(t, nil, "", "admin", "backup", "verify", file).Want(t, "admin backup verify", command.ExitFailure, "newer release of hush: upgrade hush (format 2)")
	servertest.Call(t, nil, "", "admin", "restore", file, "--burn-all", "--data", data, "--root-key-file", key).Want(t, "admin restore", command.ExitFailure, "newer release of hush: upgrade hush (format 2)")
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("files after refused restores: got %v and %v, want only the backup and the key", left, err)
	}
}
