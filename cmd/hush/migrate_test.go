package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hush/cmd/hush/command"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// checkFormat returns what "hush migrate --check" says about a folder, which it must
// not change.
func checkFormat(t *testing.T, dir string, code int) (found struct {
	Format          rows.Format
	Opens, Upgrades bool
}) {
	t.Helper()
	before := vaulttest.FolderBytes(t, dir)
	shown := call(t, nil, "", "migrate", "--check", "--json", "--data", dir).want(t, "migrate --check --json", code)
	if err := json.Unmarshal([]byte(shown.stdout), &found); err != nil {
		t.Fatalf("hush migrate --check --json: got %q and %v, want JSON", shown.stdout, err)
	}
	if !bytes.Equal(vaulttest.FolderBytes(t, dir), before) {
		t.Error("hush migrate --check: got a changed folder, want nothing changed")
	}
	return found
}

// An operator looks at the folder of an old release, upgrades it, and cannot do
// either to one of a newer release.
func TestMigrate(t *testing.T) {
	t.Parallel()
	runOnce(t, "a data folder")
	dir := thaw(t, "0.1.0")
	if got := checkFormat(t, dir, command.ExitOK); got.Format != 1 || !got.Opens || !got.Upgrades {
		t.Errorf("hush migrate --check of an old folder: got %+v, want format 1 that is upgraded", got)
	}
	call(t, nil, "", "migrate", "--check", "--data", dir).want(t, "migrate --check", command.ExitOK)
	call(t, nil, "", "migrate", "--data", dir).want(t, "migrate", command.ExitOK, "upgraded the format of the data")
	if got := checkFormat(t, dir, command.ExitOK); got.Format != rows.FormatNewest() || !got.Opens || got.Upgrades {
		t.Errorf("hush migrate --check after an upgrade: got %+v, want the newest format", got)
	}
	again := call(t, nil, "", "migrate", "--data", dir).want(t, "migrate", command.ExitOK)
	if strings.Contains(again.stderr, "upgraded") {
		t.Errorf("hush migrate again: got %q, want no upgrade", again.stderr)
	}
	setFormat(t, dir, rows.FormatRecord{Format: 99, Release: "9.9.9"})
	if got := checkFormat(t, dir, command.ExitFailure); got.Format != 99 || got.Opens || got.Upgrades {
		t.Errorf("hush migrate --check of a newer folder: got %+v, want format 99 that does not open", got)
	}
	call(t, nil, "", "migrate", "--data", dir).want(t, "migrate", command.ExitFailure, "upgrade to hush 9.9.9 or later")
	call(t, nil, "", "migrate", "--json", "--data", dir).want(t, "migrate --json", command.ExitUsage, "--json needs --check")
	call(t, nil, "", "migrate", "--check", "--data", dir+"/missing").want(t, "migrate --check", command.ExitFailure, "there is no data folder")
}
