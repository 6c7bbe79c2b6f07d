package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/server/servertest"
	"hush/storage"
	"hush/vault/keylist"
	"hush/vault/vaulttest"
)

// operations is the folder of the operator's documents.
const operations = "../../docs/operations/"

// keepItPages are pages about what keeps a service, with the sections of one that has
// several, in the order in which TestKeepIt follows them.
func keepItPages() [][2]string {
	return [][2]string{
		{"backup.md", "Backups"}, {"doctor.md", "Doctor and compact"}, {"backup.md", "The spent log"}, {"backup.md", "Restore"},
		{"root-keys.md", "Root keys"}, {"upgrades.md", "Upgrades and formats"}, {"audit.md", "Audit export"},
	}
}

// TestKeepIt runs the commands of these pages as they stand there, on folders of the
// test, and compares what the document shows of what they print.
func TestKeepIt(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about data folders")
	var sessions []dialogue
	for _, page := range keepItPages() {
		sessions = append(sessions, sectionSessions(t, operations+page[0], page[1])...)
	}
	if len(sessions) < 15 {
		t.Fatalf("Keep it: got %d commands, want 15 or more", len(sessions))
	}
	k := newUpkeep(t)
	c := &transcript{url: shownURL, dir: k.dir, environment: []string{selfAsHush(t)}, known: map[string]string{}, messages: true, loose: true}
	c.fill = func(_ *testing.T, s dialogue) string { return k.places().Replace(s.command) }
	for _, s := range sessions {
		k.prepare(t, s.command)
		if k.serve(t, s.command) {
			continue
		}
		s.want = k.places().Replace(s.want)
		c.run(t, s)
	}
}

// upkeep is a machine with a service and other disks, in one folder.
type upkeep struct {
	dir    string
	server *servertest.Server
	flags  []string // of the service
}

func newUpkeep(t *testing.T) *upkeep {
	t.Helper()
	k := &upkeep{dir: t.TempDir()}
	for _, folder := range []string{"etc", "mnt/backup", "mnt/other", "mnt/new"} {
		vaulttest.Want(t, "MkdirAll("+folder+")", os.MkdirAll(filepath.Join(k.dir, folder), 0o700), nil)
	}
	k.start(t)
	return k
}

// places puts the folders of the test in the place of those of the document.
func (k *upkeep) places() *strings.Replacer {
	return strings.NewReplacer("/var/lib/hush", k.data(), "/mnt/", k.dir+"/mnt/", "/etc/hush/", k.dir+"/etc/")
}

func (k *upkeep) data() string { return filepath.Join(k.dir, "data") }

func (k *upkeep) start(t *testing.T) {
	t.Helper()
	k.stop(t)
	k.server = servertest.StartOn(t, k.data(), append(k.flags, servertest.InFolder)...)
}

func (k *upkeep) stop(t *testing.T) {
	t.Helper()
	if k.server != nil {
		k.server.Stop(t)
	}
	k.server = nil
}

// serve does what a command says that starts the service, and reports whether it
// is one.
func (k *upkeep) serve(t *testing.T, command string) bool {
	t.Helper()
	if flags, ok := strings.CutPrefix(command, "hush serve "); ok {
		k.flags = strings.Fields(k.places().Replace(flags))
	} else if command != "systemctl restart hush" {
		return false
	}
	k.start(t)
	k.flags = slices.DeleteFunc(k.flags, func(flag string) bool { return flag == "--spent-log-begin" })
	return true
}

// prepare brings about what the document says around a command.
func (k *upkeep) prepare(t *testing.T, command string) {
	t.Helper()
	key, own := filepath.Join(k.dir, "etc/root.key"), filepath.Join(k.data(), "root.key")
	words := strings.Fields(strings.TrimPrefix(command, "hush admin "))
	switch strings.Join(words[:min(2, len(words))], " ") {
	case "hush serve":
		if strings.Contains(command, "--spent-log-begin") { // the log is lost
			k.stop(t)
			vaulttest.Want(t, "RemoveAll(log)", os.RemoveAll(filepath.Join(k.dir, "mnt/other")), nil)
		}
	case "backup verify": // with a copy of the root key
		content, err := os.ReadFile(own)
		vaulttest.Want(t, "copying root.key", errors.Join(err, os.WriteFile(filepath.Join(k.dir, "root.key"), content, 0o400)), nil)
	case "doctor --data", "compact --check", "compact --data", "migrate --check":
		k.stop(t)
	case "keygen --add": // the operator's file
		k.stop(t)
		vaulttest.Want(t, "Rename(root.key)", os.Rename(own, key), nil)
		k.flags = append(k.flags, "--root-key-file", key)
		k.start(t)
	case "keys retire":
		k.later(t)
	case "audit export":
		k.tryPassword(t)
	}
}

// later makes the last rotation of the root key an hour older.
func (k *upkeep) later(t *testing.T) {
	t.Helper()
	k.stop(t)
	s, err := servertest.OpenFolder(t.Context(), k.data(), nil, nil)
	vaulttest.Want(t, "opening the folder", err, nil)
	err = s.Update(t.Context(), func(tx storage.Tx) error {
		listed, err := keylist.GetRootKeys(tx)
		if err != nil {
			return err
		}
		current := listed.Find(listed.Current().KID())
		current.Since = current.Since.Add(-time.Hour)
		return keylist.PutRootKeys(tx, listed)
	})
	vaulttest.Want(t, "Update()", errors.Join(err, s.Release()), nil)
	k.start(t)
}

// tryPassword leaves a row for the audit trail to show, once.
func (k *upkeep) tryPassword(t *testing.T) {
	t.Helper()
	if k.server != nil {
		return
	}
	k.start(t)
	servertest.Operator{T: t, Data: k.data()}.Account("clerk@example.com")
	if err := servertest.SignIn(t, k.server, "clerk@example.com", "a wrong password"); err == nil {
		t.Error("CreateSession(wrong password): got nil, want an error")
	}
}
