package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	firstDayRoot     = flag.String("firstday.root", "", "a fresh root of Debian for TestFirstDay, which changes it")
	firstDayPackages = flag.String("firstday.packages", "", "the folder with the packages of two versions for TestFirstDay")
)

// firstDayPage has the commands of the first day.
const firstDayPage = operations + "first-day.md"

// TestFirstDay runs the commands of docs/operations/first-day.md as they stand there, and compares what they print: `make check-packages` gives it a fresh
// root and packages of two versions. There is no systemd in the root. So a command
// systemctl of the test does what the installed units say, with
// systemd-socket-activate and the sockets that hush.socket names. The certificate
// comes from a real ACME server. While the service restarts and is upgraded, others
// share secrets. Without a root, only the commands' form is checked.
func TestFirstDay(t *testing.T) {
	sessions := consoleSessions(t, firstDayPage)
	if worst := consoleSessions(t, worstDayPage); len(sessions) < 9 || len(worst) < 40 {
		t.Fatalf("commands: got %d of the first day and %d of the worst, want 9 and 40 or more", len(sessions), len(worst))
	}
	if *firstDayRoot == "" {
		return
	}
	d := newFirstDay(t, *firstDayRoot)
	older, newer := twoPackages(t, *firstDayPackages, filepath.Join(d.root, "root"))
	c := &transcript{
		url: shownURL, dir: d.dir, environment: d.environment(), fill: d.where,
		known: map[string]string{"hush_VERSION_": "hush_" + older + "_", "hush_NEXT_": "hush_" + newer + "_"},
	}
	for _, session := range sessions {
		c.run(t, session)
	}
	if d.restarts != 2 {
		t.Errorf("The first day: got %d restarts, want one by hand and one by the upgrade", d.restarts)
	}
	for _, root := range []string{*firstDayRoot, *worstDayRoot} {
		twoPackages(t, *firstDayPackages, filepath.Join(root, "root"))
	}
	c.known["hush_VERSION_"] = "hush_" + newer + "_"
	(&worstDay{firstDay: d, transcript: c}).run(t)
	if err := d.stop(); err != nil {
		t.Error(err)
	}
}

// twoPackages puts the packages of two versions into the folder of root, and
// returns their versions, the older one first.
func twoPackages(t *testing.T, from, to string) (older, newer string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(from, "hush_*_amd64.deb"))
	if err != nil || len(found) != 2 {
		t.Fatalf("packages in %s: got %q and %v, want two", from, found, err)
	}
	var versions []string
	for _, path := range found { // in order
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if err := os.WriteFile(filepath.Join(to, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		versions = append(versions, strings.Split(name, "_")[1])
	}
	return versions[0], versions[1]
}
