package kills_test

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"hush/server/servertest"
)

// An operator puts an old copy of the data folder back, of whatever moment. No start
// serves it: what has ended since would come back. A backup of the copy is restored
// with the log instead, and keeps every promise. The folder itself is served after
// each kill.
func TestOlderFolderIsRefused(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about data folders")
	dir, seed := t.TempDir(), uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	l := &loss{
		path: servertest.Build(t), data: filepath.Join(dir, "data"), spent: filepath.Join(dir, "spent"),
		random: rand.New(rand.NewPCG(seed, 0)),
	}
	for n := range 8 {
		random := rand.New(rand.NewPCG(seed, uint64(n)+1))
		l.clients = append(l.clients, &lossClient{secrets: newLedger(n), owner: &accountLedger{client: n, random: random}, random: random, unsure: map[*entry]bool{}})
	}
	before := takenBackup{path: filepath.Join(dir, "copy.backup")}
	old := filepath.Join(dir, "old")
	for range 3 {
		l.live(t)
	}
	if err := exec.Command("cp", "-a", l.data, old).Run(); err != nil {
		t.Fatalf("cp -a: got %v, want nil", err)
	}
	before.began = time.Now()
	for range 3 {
		l.live(t)
	}
	revealed, burned, revoked := l.ended()
	t.Logf("revealed %d, burned %d, revoked %d", revealed, burned, revoked)
	if t.Failed() {
		t.FailNow()
	}
	serve := []string{"serve", "--listen=127.0.0.1:0", "--data", old, "--spent-log", l.spent}
	// The folder looks like a copy, even where there is no log; see TestCopiedFolder.
	servertest.Call(t, []string{}, "", append(serve, "--moved")...).Want(t, "serve on an old copy", 1, "the data is older than its spent log", "hush admin backup", "hush admin restore")
	servertest.Call(t, []string{}, "", "admin", "account", "list", "--data", old).Want(t, "admin on an old copy", 1, "the data is older than its spent log")
	servertest.Call(t, []string{}, "", "admin", "backup", "--data", old, "--plain", "-o", before.path).Want(t, "admin backup of an old copy", 0)
	l.restore(t, before, l.lose(t), filepath.Join(dir, "restored"))
}
