package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// traced are the calls that are recorded: what may change a file or a folder or
// make it durable, and what carries requests and answers.
const traced = "read,write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,sendfile,splice,copy_file_range," +
	"fsync,fdatasync,sync,syncfs,sync_file_range,msync,mmap,ftruncate,fallocate," +
	"openat,renameat,renameat2,unlinkat,mkdirat,linkat,symlinkat,rename,unlink,link,open,creat,truncate"

// patience is how long the server may take to start.
const patience = time.Minute

// recorder makes the record of one session.
type recorder struct {
	hush string // path of the program
	dir  string // where the record goes
	data string
	seed uint64
	kind kind
	fail int // of each thread, which fdatasync fails; 0 for none
}

// kind is what a session records.
type kind string

const (
	// kindKilled is of two lives that are killed in the middle of work.
	kindKilled kind = "killed"
	// kindSlow is of one life in which secrets expire, and claims are extended.
	kindSlow kind = "slow"
	// kindFailing is of two lives. The first one ends by itself after a failed sync.
	kindFailing kind = "failing"
)

// kindOf returns the kind of a session by its number.
func kindOf(session int) kind {
	switch {
	case session == 0:
		return kindSlow
	case session%2 == 1:
		return kindFailing
	default:
		return kindKilled
	}
}

// life is a running server under strace.
type life struct {
	url    string
	pid    int // of the server itself
	strace *exec.Cmd
	log    *bytes.Buffer
}

// start starts the server. strace starts it, so that nothing is missed and
// nothing needs the right to look into a running process.
func (r *recorder) start(ctx context.Context, number int) (*life, error) {
	trace := filepath.Join(r.dir, fmt.Sprintf(lifeName, number))
	//nolint:gosec // the operator of this command says what to run
	l := &life{log: &bytes.Buffer{}, strace: exec.CommandContext(ctx, "strace", "-f", "--seccomp-bpf", "-ttt", "-y", "-xx",
		"-s", "4194304", "-e", "signal=none", "-e", "trace="+traced, "-o", trace)}
	if r.fail > 0 && number == 1 {
		l.strace.Args = append(l.strace.Args, "-e", fmt.Sprintf("inject=fdatasync:error=EIO:when=%d", r.fail))
	}
	l.strace.Args = append(l.strace.Args, "--",
		r.hush, "serve", "--listen=127.0.0.1:0", "--data="+r.data, "--rate-limits=off", "--log-level=warn")
	l.strace.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, err := l.strace.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := l.strace.Start(); err != nil {
		return nil, fmt.Errorf("starting strace: %w", err)
	}
	served := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(io.TeeReader(out, l.log))
		for lines.Scan() {
			if _, url, found := strings.Cut(lines.Text(), "serving on "); found {
				served <- url
			}
		}
		close(served)
	}()
	select {
	case url, ok := <-served:
		if !ok {
			_ = l.strace.Wait()
			return nil, fmt.Errorf("%w: it wrote: %s", errNotServing, l.log)
		}
		l.url = url
	case <-time.After(patience):
		_ = l.strace.Process.Kill()
		return nil, errNotServing
	}
	l.pid, err = serverOf(trace)
	return l, err
}

var errNotServing = errors.New("hush serve under strace did not come to serve")

// serverOf reads the server's process id, with which the record begins.
func serverOf(trace string) (int, error) {
	in, err := os.Open(trace)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	line, err := bufio.NewReader(in).ReadString(' ')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(line))
}

// kill ends the server, whatever it is doing, and its record.
func (l *life) kill() error {
	err := syscall.Kill(l.pid, syscall.SIGKILL)
	_ = l.strace.Wait() // it ends as the server did
	return err
}

const (
	// recordsMost is how often a session is recorded at most, and failsMost one with a
	// failed sync, which must hit a certain one.
	recordsMost = 4
	failsMost   = 30
	// failFirst is the first fdatasync of a thread that fails, so that a start does not,
	// and failRange how many more are drawn from.
	failFirst = 10
	failRange = 12
)

// errMissed reports that no sync failed, or not one that the session is to show.
var errMissed = errors.New("the record has no failed sync of the kind that it must have")

// recordWhole records until the record can be read and leads to the folder that the
// server left, and returns how often it began anew. Under load strace may leave out
// the line on which a call began. Where the kill cut that call short, no other line
// tells of it, and the folder has a write that the record lacks. Such a record says
// nothing of the promises. strace counts the syncs of each thread, so which of them fails
// is not known before; want says which is wanted.
func (r *recorder) recordWhole(ctx context.Context, want hits) (repeated int, err error) {
	most := recordsMost
	if r.kind == kindFailing {
		most = failsMost
	}
	for ; ; repeated++ {
		if r.kind == kindFailing {
			r.fail = failFirst + int((r.seed+uint64(repeated))%failRange)
		}
		err := r.record(ctx)
		if err == nil {
			err = r.check(want)
		}
		again := errors.Is(err, errTrace) || errors.Is(err, errLeft) || errors.Is(err, errMissed)
		if !again || repeated+1 == most {
			return repeated, err
		}
		if err := errors.Join(os.RemoveAll(r.dir), os.RemoveAll(r.data)); err != nil {
			return repeated, err
		}
	}
}

// check reads the record.
func (r *recorder) check(want hits) error {
	s, err := load(r.dir, dropNothing)
	if err == nil && r.kind == kindFailing && !want(s.disk) {
		return errMissed
	}
	return err
}

// record runs the server under load until it is killed or ends, twice unless the session
// is slow. The second life uses the slots that the first has left.
func (r *recorder) record(ctx context.Context) error {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	work := newWorkload(r.seed)
	for number := 1; number <= 2; number++ {
		l, err := r.start(ctx, number)
		work.failures = r.fail > 0 && number == 1
		if work.failures && errors.Is(err, errNotServing) {
			return errMissed
		}
		if err != nil {
			return err
		}
		if r.kind == kindSlow {
			work.expire(ctx, l.url)
		} else {
			work.run(ctx, l.url, func() { _ = syscall.Kill(l.pid, syscall.SIGKILL) })
		}
		if err := l.kill(); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		if err := r.keep(fmt.Sprintf(leftName, number)); err != nil {
			return err
		}
		if r.kind == kindSlow {
			break
		}
	}
	if len(work.wrong) > 0 {
		return fmt.Errorf("%w: %s", errAnswer, work.wrong[0])
	}
	a := about{Data: r.data, Kind: r.kind}
	for _, k := range work.kept {
		a.Secrets = append(a.Secrets, *k)
	}
	content, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, aboutName), content, 0o600)
}

// keep copies the files of the data folder into the record.
func (r *recorder) keep(name string) error {
	if err := os.Mkdir(filepath.Join(r.dir, name), 0o700); err != nil {
		return err
	}
	from, err := os.OpenRoot(r.data)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenRoot(filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	defer to.Close()
	return fs.WalkDir(from.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err // the folder, or the socket of the operator's commands
		}
		content, err := from.ReadFile(path)
		if err != nil {
			return err
		}
		return to.WriteFile(path, content, 0o600)
	})
}
