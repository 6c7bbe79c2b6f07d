package kills_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// The service is killed under load, and so is a compaction after it, at any
// moment. "hush admin doctor" never finds more than warnings, and afterwards each
// secret that still waits opens once.
func TestCompactIsKilled(t *testing.T) {
	servertest.RunOnce(t, "a compaction of a data folder")
	t.Parallel()
	testtier.Full(t, "kills compactions at random")
	path, data := servertest.Build(t), filepath.Join(t.TempDir(), "data")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	ledgers := []*ledger{newLedger(0), newLedger(1), newLedger(2), newLedger(3)}
	killed := 0
	for cycle := range 2 {
		load(t, path, data, ledgers, random)
		wantHealthy(t, path, data)
		for range 6 {
			c := exec.Command(path, "admin", "compact", "--data", data)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(random.Int64N(int64(80*time.Millisecond))), func() { _ = c.Process.Kill() })
			if c.Wait() != nil {
				killed++
			}
			timer.Stop()
			wantHealthy(t, path, data)
		}
		if out, err := exec.Command(path, "admin", "compact", "--data", data).CombinedOutput(); err != nil {
			t.Fatalf("hush admin compact: got %v, want nil\n%s", err, out)
		}
		recheck(t, path, data, ledgers, cycle, cycle == 1)
		if t.Failed() {
			t.Fatalf("cycle %d: got a broken promise, want none; seed %d", cycle+1, seed)
		}
	}
	t.Logf("%d compactions were killed", killed)
}

// wantHealthy fails the test if "hush admin doctor" finds an error.
func wantHealthy(t *testing.T, path, data string) {
	t.Helper()
	c := exec.Command(path, "admin", "doctor", "--data", data)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Errorf("hush admin doctor: got %v, want nil\n%s", err, &out)
	}
}

// Root compacts the folder of the service's user, who can still open every file, and
// who alone can.
func TestCompactKeepsOwnerAndMode(t *testing.T) {
	servertest.RunOnce(t, "a compaction of a data folder")
	t.Parallel()
	servertest.NeedStart(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root: no other user gives files away")
	}
	const user, group = 12345, 23456
	s := servertest.Start(t, servertest.InFolder)
	kept := apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "kept"})
	s.Stop(t)
	for _, name := range []string{"", "hush.db", "shares", "ballast", "root.key", "files"} {
		if err := os.Chown(filepath.Join(s.Data, name), user, group); err != nil {
			t.Fatal(err)
		}
	}
	servertest.Call(t, nil, "", "admin", "compact", "--data", s.Data).Want(t, "admin compact", command.ExitOK)
	entries, err := os.ReadDir(s.Data)
	if err != nil || len(entries) != 5 {
		t.Fatalf("files after compact: got %v and %v, want 5", entries, err)
	}
	for _, e := range entries {
		var stat unix.Stat_t
		err := unix.Lstat(filepath.Join(s.Data, e.Name()), &stat)
		if err != nil || stat.Uid != user || stat.Gid != group || stat.Mode&0o077 != 0 {
			t.Errorf("%s after compact: got owner %d, group %d and mode %04o (%v), want %d, %d and none for others",
				e.Name(), stat.Uid, stat.Gid, stat.Mode&0o777, err, user, group)
		}
	}
	again := servertest.StartOn(t, s.Data)
	servertest.Drivers(t, again, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after compact", "kept")
}
