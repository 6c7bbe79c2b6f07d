package kills_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/storage/disktest"
	"hush/testtier"
)

// logDisk is a small disk for a spent log.
type logDisk struct{ dir, filler string }

// newLogDisk mounts a disk of 4 MiB, which has room for three steps of a log.
func newLogDisk(t *testing.T) *logDisk {
	t.Helper()
	dir := disktest.Small(t, "4m")
	return &logDisk{dir, filepath.Join(dir, "filler")}
}

// fill takes what the disk has left.
func (d *logDisk) fill(t *testing.T) {
	t.Helper()
	file, err := os.Create(d.filler)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	block := make([]byte, 4096)
	for err == nil {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("Write(filler): got %v, want %v", err, syscall.ENOSPC)
	}
}

func (d *logDisk) free(t *testing.T) {
	t.Helper()
	if err := os.Remove(d.filler); err != nil {
		t.Fatal(err)
	}
}

// fullLog is a service whose log is on a disk of its own.
type fullLog struct {
	disk              *logDisk
	path, data, spent string
	waiting, ended    []apitest.Answer
}

func (f *fullLog) start(t *testing.T) (*servertest.Process, *accountServer) {
	t.Helper()
	return startAccountServer(t, f.path, f.data, "--spent-log", f.spent)
}

// wantRefused checks that nothing ends, that what was refused is still there, and
// that everything else works.
func (f *fullLog) wantRefused(t *testing.T, s *accountServer) {
	t.Helper()
	for i, d := range servertest.Drivers(t, s.Server, nil) {
		kept := f.waiting[i%len(f.waiting)]
		d.Reveal(t.Context(), kept.SecretKey, "").Want(t, d.Name()+" reveal on a full log", apitest.OutcomeUnavailable)
		d.Burn(t.Context(), kept.MetadataKey, "").Want(t, d.Name()+" burn on a full log", apitest.OutcomeUnavailable)
		if got := d.Metadata(t.Context(), kept.MetadataKey).Want(t, d.Name()+" metadata on a full log", apitest.OutcomeOK); got.State == "received" || got.State == "burned" {
			t.Errorf("%s metadata of a refused secret: got state %q, want a live one", d.Name(), got.State)
		}
		f.waiting = append(f.waiting, apitest.MustConceal(t, d, apitest.Terms{Secret: "the text"}))
	}
}

// reveal opens the first secret that waits, within some seconds.
func (f *fullLog) reveal(t *testing.T, s *accountServer) {
	t.Helper()
	d := servertest.Drivers(t, s.Server, nil)[0]
	got := d.Reveal(t.Context(), f.waiting[0].SecretKey, "")
	for range 100 {
		if got.Outcome != apitest.OutcomeUnavailable {
			break
		}
		time.Sleep(100 * time.Millisecond)
		got = d.Reveal(t.Context(), f.waiting[0].SecretKey, "")
	}
	got.WantValue(t, "reveal with free space", "the text")
	f.ended, f.waiting = append(f.ended, f.waiting[0]), f.waiting[1:]
}

// exhaust shares and opens until the log takes no more.
func (f *fullLog) exhaust(t *testing.T, s *accountServer) {
	t.Helper()
	d := servertest.Drivers(t, s.Server, nil)[0]
	var mu sync.Mutex
	var full atomic.Bool
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 3000 {
				if full.Load() {
					return
				}
				made := d.Conceal(t.Context(), apitest.Terms{Secret: "the text"})
				if made.Outcome != apitest.OutcomeOK {
					t.Errorf("conceal: got %s, want %s", made.Outcome, apitest.OutcomeOK)
					return
				}
				got := d.Reveal(t.Context(), made.SecretKey, "")
				mu.Lock()
				switch got.Outcome {
				case apitest.OutcomeOK:
					f.ended = append(f.ended, made)
				case apitest.OutcomeUnavailable:
					f.waiting = append(f.waiting, made)
					full.Store(true)
				default:
					t.Errorf("reveal: got %s, want %s or %s", got.Outcome, apitest.OutcomeOK, apitest.OutcomeUnavailable)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if !full.Load() {
		t.Fatal("reveals on a full disk: got no refusal, want the log to be full")
	}
}

// The disk of the spent log is full. Nothing ends, nothing is lost, everything else
// works, and with free space the service goes on by itself; also when it is started
// or killed meanwhile. A restore goes by that log.
func TestFullSpentLog(t *testing.T) {
	servertest.RunOnce(t, "about data folders")
	testtier.Full(t, "fills a disk")
	disk, dir := newLogDisk(t), t.TempDir()
	f := &fullLog{disk: disk, path: servertest.Build(t), data: filepath.Join(dir, "data"), spent: filepath.Join(disk.dir, "spent")}
	p, s := f.start(t)
	for i, d := range servertest.Drivers(t, s.Server, nil) {
		f.waiting = append(f.waiting, apitest.MustConceal(t, d, apitest.Terms{Secret: "the text"}))
		if i == 0 {
			f.reveal(t, s)
		}
	}
	early := append([]apitest.Answer(nil), f.waiting...)
	began := filepath.Join(dir, "early.backup")
	servertest.Call(t, []string{}, "", "admin", "backup", "--data", f.data, "--plain", "-o", began).Want(t, "admin backup", 0)
	if err := p.Terminate(t); err != nil {
		t.Fatalf("SIGTERM: got %v, want exit code 0", err)
	}

	// A start on a full disk, with room for three entries: too few to end anything.
	segments, err := filepath.Glob(filepath.Join(f.spent, "*.spent"))
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments: got %v %v, want one", segments, err)
	}
	if err := os.Truncate(segments[0], 64*5); err != nil {
		t.Fatal(err)
	}
	disk.fill(t)
	p, s = f.start(t)
	f.wantRefused(t, s)
	disk.free(t)
	f.reveal(t, s)

	// The log fills up while it is written.
	disk.fill(t)
	f.exhaust(t, s)
	f.wantRefused(t, s)
	p.Kill(t)
	p, s = f.start(t)
	f.wantRefused(t, s)
	disk.free(t)
	f.reveal(t, s)
	disk.fill(t)
	t.Logf("%d ended, %d wait", len(f.ended), len(f.waiting))
	p.Kill(t)

	f.restore(t, dir, began, early)
}

// restore restores the early backup, with the log and its full disk.
func (f *fullLog) restore(t *testing.T, dir, backup string, early []apitest.Answer) {
	t.Helper()
	l := &loss{path: f.path, data: f.data}
	key := l.lose(t)
	f.data = filepath.Join(dir, "restored")
	if err := errors.Join(os.Mkdir(f.data, 0o700), os.WriteFile(filepath.Join(f.data, "root.key"), key, 0o400)); err != nil {
		t.Fatal(err)
	}
	servertest.Call(t, []string{}, "", "admin", "restore", backup, "--data", f.data, "--spent-log", f.spent).Want(t, "admin restore", 0)
	f.disk.free(t)
	p, s := f.start(t)
	d := servertest.Drivers(t, s.Server, nil)[0]
	gone := map[string]bool{}
	for _, e := range f.ended {
		gone[e.SecretKey] = true
	}
	for _, e := range early {
		got := d.Reveal(context.WithoutCancel(t.Context()), e.SecretKey, "")
		if gone[e.SecretKey] {
			got.Want(t, fmt.Sprintf("reveal of %s, which had ended", e.MetadataKey), apitest.OutcomeUnknown)
			continue
		}
		got.WantValue(t, "reveal of what waited", "the text")
	}
	for _, e := range f.ended[len(f.ended)-10:] {
		d.Reveal(t.Context(), e.SecretKey, "").Want(t, "reveal of what had ended", apitest.OutcomeUnknown)
	}
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
}
