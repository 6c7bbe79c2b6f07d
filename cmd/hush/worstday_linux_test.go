package main

import (
	"errors"
	"flag"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/vault/vaulttest"
)

// worstDayPage has the commands of the worst day.
const worstDayPage = operations + "worst-day.md"

var worstDayRoot = flag.String("worstday.root", "", "another fresh root of Debian for TestFirstDay, for the machine that takes over")

// worstDay goes on after the first day, by the commands of
// docs/operations/worst-day.md as they stand there. The machine is lost, and another root
// takes its place, where the user of the service has another number. Besides the
// secrets that the document shares there are many more, and API tokens.
type worstDay struct {
	*firstDay

	transcript *transcript
	driver     apitest.Driver
	waiting    []apitest.Answer
	ended      map[string]apitest.Answer // revealed or burned after the backup, by the key
	revealed   []string                  // while the backup was made
	kept       string                    // an API token
	revoked    string
}

// worstDayMany is how many secrets wait, are revealed and are burned, each.
const worstDayMany = 20

// run runs the day.
func (w *worstDay) run(t *testing.T) {
	t.Helper()
	w.transcript.messages = true
	// No connection outlives the machine.
	w.driver = apitest.NewV1Driver("v1", w.client(false), "https://"+firstDayHost)
	w.section(t, "Before it")
	w.end(t)
	old := w.root
	w.lose(t)
	w.section(t, "The day")
	w.check(t)
	w.section(t, "A new root key")
	if lines := strings.Count(string(w.read(t, "etc/hush/root.key")), "\n"); lines != 2 {
		t.Errorf("root keys: got %d, want 2", lines)
	}
	w.oldFolder(t, old)
	w.section(t, "An old folder")
	made := readFrozen(t, frozenOldest)
	useFrozenProgram(t, made, w.client(true), "https://"+firstDayHost)
}

// frozenOldest is the release of the folder that is upgraded.
const frozenOldest = "0.1.0"

// section runs the commands of a section of the page.
func (w *worstDay) section(t *testing.T, heading string) {
	t.Helper()
	for _, s := range sectionSessions(t, worstDayPage, heading) {
		switch {
		case strings.HasPrefix(s.command, "systemctl daemon-reload && systemctl restart"):
			w.share(t)
		case strings.HasPrefix(s.command, "ls /mnt/other/hush-backups"):
			w.awaitBackup(t)
		case strings.HasPrefix(s.command, "hush admin keys rotate"):
			w.sharing(func() { w.transcript.run(t, s) })
			continue
		}
		w.transcript.run(t, s)
	}
}

// within runs a command in the machine's root.
func (w *worstDay) within(t *testing.T, command string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), filepath.Join(w.dir, "tools/within"), command)
	c.Env = append(os.Environ(), w.environment()...)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: got %v, want it to run; it wrote:\n%s", command, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *worstDay) read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(w.root, path))
	vaulttest.Want(t, "ReadFile("+path+")", err, nil)
	return content
}

// share shares what the backup is to hold.
func (w *worstDay) share(t *testing.T) {
	t.Helper()
	for range 3 * worstDayMany {
		w.waiting = append(w.waiting, apitest.MustConceal(t, w.driver, apitest.Terms{Secret: "of the backup"}))
	}
	w.kept = w.within(t, "hush admin token create you@example.com --name kept --config /etc/hush/hush.yaml")
	w.revoked = w.within(t, "hush admin token create you@example.com --name revoked --config /etc/hush/hush.yaml")
}

// awaitBackup waits for the backup, while secrets are shared and revealed, and not
// so many that a limit is reached.
func (w *worstDay) awaitBackup(t *testing.T) {
	t.Helper()
	servertest.WaitUntil(t, "the first backup", func() bool {
		time.Sleep(10 * time.Millisecond)
		s := apitest.MustConceal(t, w.driver, apitest.Terms{Secret: "meanwhile"})
		w.driver.Reveal(t.Context(), s.SecretKey, "").WantValue(t, "reveal", "meanwhile")
		w.revealed = append(w.revealed, s.SecretKey)
		found, err := filepath.Glob(filepath.Join(w.root, "mnt/other/hush-backups/*.age"))
		return err == nil && len(found) > 0
	})
}

// end ends two thirds of what the backup holds.
func (w *worstDay) end(t *testing.T) {
	t.Helper()
	w.ended = map[string]apitest.Answer{}
	for i, s := range w.waiting[:2*worstDayMany] {
		if i%2 == 0 {
			w.driver.Reveal(t.Context(), s.SecretKey, "").WantValue(t, "reveal", "of the backup")
			w.ended[s.SecretKey] = apitest.Answer{MetadataKey: s.MetadataKey, State: "received"}
			continue
		}
		w.driver.Burn(t.Context(), s.MetadataKey, "").Want(t, "burn", apitest.OutcomeOK)
		w.ended[s.SecretKey] = apitest.Answer{MetadataKey: s.MetadataKey, State: "burned"}
	}
	w.waiting = w.waiting[2*worstDayMany:]
	w.within(t, "hush admin token revoke you@example.com revoked --config /etc/hush/hush.yaml")
}

// lose loses the machine with its data. Only the other disk is left.
func (w *worstDay) lose(t *testing.T) {
	t.Helper()
	vaulttest.Want(t, "Kill()", w.running.Process.Kill(), nil)
	<-w.exit
	w.running = nil
	w.closeSockets()
	lost, disk := w.root, "mnt/other"
	vaulttest.Want(t, "RemoveAll(data)", os.RemoveAll(filepath.Join(lost, "var/lib/hush")), nil)
	w.boot(*worstDayRoot)
	vaulttest.Want(t, "Rename(disk)", os.Rename(filepath.Join(lost, disk), filepath.Join(w.root, disk)), nil)
	const elsewhere = 54321 // the user of the service there
	err := filepath.WalkDir(filepath.Join(w.root, disk), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, elsewhere, elsewhere))
	})
	vaulttest.Want(t, "Lchown(disk)", err, nil)
}

// check wants what was alive at the backup, and nothing that ended since.
func (w *worstDay) check(t *testing.T) {
	t.Helper()
	for _, s := range w.waiting {
		w.driver.Reveal(t.Context(), s.SecretKey, "").WantValue(t, "reveal of what waited in the backup", "of the backup")
	}
	for _, key := range w.revealed {
		w.driver.Reveal(t.Context(), key, "").Want(t, "reveal of what was revealed during the backup", apitest.OutcomeUnknown)
	}
	for key, s := range w.ended {
		w.driver.Reveal(t.Context(), key, "").Want(t, "reveal of what had ended", apitest.OutcomeUnknown)
		got := w.driver.Metadata(t.Context(), s.MetadataKey).Want(t, "receipt of what had ended", apitest.OutcomeOK)
		if got.State != s.State {
			t.Errorf("receipt of what had ended: got state %q, want %q", got.State, s.State)
		}
	}
	for token, want := range map[string]int{w.kept: http.StatusOK, w.revoked: http.StatusUnauthorized} {
		got := apitest.Call(t, w.client(true), "https://"+firstDayHost, "/hush.v1.AccountService/GetAccount", apitest.Bearer(token), "{}")
		if got.Status != want {
			t.Errorf("GetAccount(token): got %d %s, want %d", got.Status, got.Body, want)
		}
	}
}

// oldFolder switches to a machine with the data folder and the root key of an
// earlier release, which it serves under the same name.
func (w *worstDay) oldFolder(t *testing.T, root string) {
	t.Helper()
	vaulttest.Want(t, "stop()", w.stop(), nil)
	w.closeSockets()
	w.boot(root)
	data := filepath.Join(root, "var/lib/hush")
	vaulttest.Want(t, "CopyFS(frozen folder)", os.CopyFS(data, os.DirFS(thaw(t, frozenOldest))), nil)
	settings := ""
	for line := range strings.Lines(string(w.read(t, "etc/hush/hush.yaml"))) {
		if !strings.HasPrefix(line, "spent-log: ") && !strings.HasPrefix(line, "backup-") {
			settings += line
		}
	}
	w.write("root/etc/hush/hush.yaml", settings, 0o640)
	w.within(t, "install -m 0400 /var/lib/hush/root.key /etc/hush/root.key && rm -r /var/lib/hush/root.key /etc/systemd/system/hush.service.d")
	w.within(t, "chmod 0700 /var/lib/hush && chmod 0600 /var/lib/hush/* && chown -R hush:hush /var/lib/hush")
}
