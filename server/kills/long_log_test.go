package kills_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/storage/spentlog"
	"hush/vault/spent"
)

var (
	longEntries = servertest.TimesFlag("longlog.entries", 2_000, 50_000, "how many entries TestLongLog replays")
	longSecrets = servertest.TimesFlag("longlog.secrets", 80, 400, "how many secrets its backup has, of which half have ended")
)

// appendEnds appends n entries: the ends of every second slot up to slots, and of
// what the backup does not have. One of ten is not about a secret.
func appendEnds(t *testing.T, dir string, n, slots int) {
	t.Helper()
	log, err := spentlog.Open(dir, spentlog.Options{})
	if err != nil {
		t.Fatalf("spentlog.Open: got %v, want nil", err)
	}
	defer log.Close()
	id, _ := log.Position()
	batch := make([]spentlog.Entry, 0, 10_000)
	for i := range n {
		e := spentlog.Entry{Time: time.Now(), Kind: byte(spent.KindSecretRevealed)}
		number := uint64(i)*2 + 1
		if number > uint64(slots) {
			number += 1 << 20 // of secrets that are younger than the backup
		}
		e.Row = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, number), 1)
		if i%10 == 9 && number > uint64(slots) {
			e.Kind, e.Row = byte(spent.KindSessionEnded), append(binary.BigEndian.AppendUint64(nil, number), make([]byte, 24)...)
		}
		if batch = append(batch, e); len(batch) < cap(batch) && i < n-1 {
			continue
		}
		if err := log.Append(batch...); err != nil {
			t.Fatalf("Append: got %v, want nil", err)
		}
		batch = batch[:0]
	}
	if now, last := log.Position(); now != id || last != uint64(n) {
		t.Fatalf("Position: got %d, want %d", last, n)
	}
}

// tellCost runs hush and tells what it took.
func tellCost(t *testing.T, path string, args ...string) string {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = []string{}
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("hush %s: got %v, want success\n%s", args[0], err, out)
	}
	usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("hush %s took %s and at most %d MiB", args[0], time.Since(began).Round(10*time.Millisecond), usage.Maxrss>>10)
	return string(out)
}

// A long log is replayed in one restore, and the service starts beside it.
func TestLongLog(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about data folders")
	dir := t.TempDir()
	data, log, backup := filepath.Join(dir, "data"), filepath.Join(dir, "spent"), filepath.Join(dir, "backup")
	path := servertest.Build(t)
	flags := []string{"--spent-log", log, "--rate-limits=off", "--max-network-bytes=100GiB"}
	p := servertest.StartProcess(t, path, data, flags...)
	d := servertest.Drivers(t, p.Server, nil)[0]
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range longSecrets.Count() / 8 {
				apitest.MustConceal(t, d, apitest.Terms{Secret: "the text"})
			}
		})
	}
	all.Wait()
	if err := p.Terminate(t); err != nil {
		t.Fatalf("SIGTERM: got %v, want exit code 0", err)
	}
	tellCost(t, path, "admin", "backup", "--data", data, "--plain", "-o", backup)
	appendEnds(t, log, longEntries.Count(), longSecrets.Count())
	restored := filepath.Join(dir, "restored")
	if err := os.Mkdir(restored, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(data, "root.key"), filepath.Join(restored, "root.key")); err != nil {
		t.Fatal(err)
	}
	told := tellCost(t, path, "admin", "restore", backup, "--data", restored, "--spent-log", log)
	var waiting, ended int
	before, _, found := strings.Cut(told, " secrets can be opened")
	if !found {
		t.Fatalf("hush admin restore: got %q, want it to say how many secrets can be opened", told)
	}
	_, err := fmt.Sscanf(told[strings.LastIndex(before, "\n")+1:], "hush: %d secrets can be opened; %d had ended since", &waiting, &ended)
	if made := longSecrets.Count() / 8 * 8; err != nil || waiting+ended != made || min(waiting, ended) < made/3 {
		t.Errorf("hush admin restore: got %d that wait and %d that ended (%v), want about half of %d each", waiting, ended, err, made)
	}
	began := time.Now()
	p = servertest.StartProcess(t, path, restored, flags...)
	t.Logf("hush serve took %s to serve", time.Since(began).Round(10*time.Millisecond))
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0", err)
	}
}
