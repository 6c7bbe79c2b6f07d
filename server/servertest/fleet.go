package servertest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hush/routes/apitest"
	"hush/storage/postgres/postgrestest"
)

// Fleet is three nodes in processes of their own, behind a balancer, on a
// database with a synchronous standby.
type Fleet struct {
	t         *testing.T
	path, key string
	flags     []string
	primary   *postgrestest.Server
	standby   *postgrestest.Server
	address   *postgrestest.Proxy // of the database, whichever server that is
	Balancer  *balancer
	nodes     [FleetSize]*fleetNode
	Pause     time.Duration // between faults
	Victims   []int         // the nodes that fail, in turn

	mu     sync.Mutex
	events []string
	began  time.Time
}

// FleetSize is how many nodes a Fleet has.
const FleetSize = 3

// fleetNode is one process after the other in the same place.
type fleetNode struct {
	number int
	data   string

	mu  sync.Mutex
	cmd *exec.Cmd
}

// StartFleet starts the nodes. prepare fills the database before that, and
// returns the file with its root key.
func StartFleet(t *testing.T, prepare func(url string) (key string), flags ...string) *Fleet {
	t.Helper()
	f := &Fleet{t: t, path: Build(t), flags: flags, began: time.Now(), Pause: 1500 * time.Millisecond, Victims: []int{0, 1, 2}}
	NeedPostgres(t)
	var err error
	if f.primary, err = postgrestest.Start(); err != nil {
		t.Fatalf("postgrestest.Start: got %v, want a server", err)
	}
	t.Cleanup(func() { f.stop(f.primary) })
	f.key = prepare(f.primary.URL("postgres"))
	if f.standby, err = f.primary.Standby("second"); err != nil {
		t.Fatalf("Standby: got %v, want a server", err)
	}
	t.Cleanup(func() { f.stop(f.standby) })
	if err := f.primary.SyncWith("second"); err != nil {
		t.Fatalf("SyncWith: got %v, want nil", err)
	}
	if f.address, err = postgrestest.StartProxy(f.primary, nil); err != nil {
		t.Fatalf("StartProxy: got %v, want nil", err)
	}
	t.Cleanup(f.address.Close)
	f.Balancer = startBalancer(t)
	for i := range f.nodes {
		f.nodes[i] = &fleetNode{number: i, data: filepath.Join(t.TempDir(), fmt.Sprint("node", i))}
		if err := f.start(i); err != nil {
			t.Fatalf("starting a node: got %v, want nil", err)
		}
		t.Cleanup(func() { f.end(i) })
	}
	f.Balancer.Await(t, FleetSize)
	return f
}

func (f *Fleet) stop(s *postgrestest.Server) {
	if err := s.Stop(); err != nil {
		f.t.Errorf("Stop: got %v, want nil", err)
	}
}

// start starts a process in a node's place and shows it to the balancer.
func (f *Fleet) start(i int) error {
	n, log, addr := f.nodes[i], NewOutput(), FreeAddress(f.t)
	cmd := exec.Command(f.path, append([]string{
		"serve", "--listen", addr, "--data", n.data, "--store", f.address.URL("postgres"),
		"--root-key-file", f.key, "--base-url", f.Balancer.URL, "--log-level=warn", "--rate-limits=off",
	}, f.flags...)...)
	cmd.Env, cmd.Stderr = []string{}, log
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	select {
	case <-log.Served:
	case <-exited:
		return fmt.Errorf("hush serve ended: %s", log)
	case <-time.After(apitest.Patience):
		return errors.Join(cmd.Process.Kill(), fmt.Errorf("hush serve does not serve: %s", log))
	}
	n.mu.Lock()
	n.cmd = cmd
	n.mu.Unlock()
	f.Balancer.set(i, addr)
	return nil
}

// end kills the process of a node, as kill -9 does.
func (f *Fleet) end(i int) {
	f.signal(i, syscall.SIGKILL)
	f.Balancer.set(i, "")
}

func (f *Fleet) signal(i int, what syscall.Signal) {
	n := f.nodes[i]
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd != nil {
		_ = n.cmd.Process.Signal(what)
	}
}

// notef records what happened, for the reader of a failure.
func (f *Fleet) notef(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, fmt.Sprintf("%6.1f s  ", time.Since(f.began).Seconds())+fmt.Sprintf(format, args...))
}

// restart kills a node and starts another process in its place, again until the
// database is there.
func (f *Fleet) restart(ctx context.Context, i int) {
	f.notef("node %d is killed", i)
	f.end(i)
	for ctx.Err() == nil {
		err := f.start(i)
		if err == nil {
			f.notef("node %d is back", i)
			return
		}
		f.notef("node %d does not start: %v", i, err)
	}
}

// stall stops a node for a while, as a machine that swaps or a container that is
// moved.
func (f *Fleet) stall(i int, long time.Duration) {
	f.notef("node %d is stopped", i)
	f.signal(i, syscall.SIGSTOP)
	time.Sleep(long)
	f.signal(i, syscall.SIGCONT)
	f.notef("node %d goes on", i)
}

// failOver loses the primary and promotes the standby.
func (f *Fleet) failOver() {
	f.notef("the primary is lost")
	err := f.primary.Crash()
	time.Sleep(time.Second)
	err = errors.Join(err, f.standby.Promote())
	f.address.Point(f.standby)
	f.address.Cut()
	if err != nil {
		f.t.Errorf("promoting the standby: got %v, want nil", err)
	}
	f.notef("the standby is the primary")
}

// Disturb kills or stops a node every few seconds, and fails the primary over
// once, amid them, which must come about. It ends with ctx or after so many
// faults, and returns how many there were.
func (f *Fleet) Disturb(ctx context.Context, most int) (faults int) {
	promote := min(most/2, 4)
	defer func() {
		if faults <= promote {
			f.t.Errorf("faults: got %d and no failover, want more than %d", faults, promote)
		}
	}()
	for ; faults < most; faults++ {
		select {
		case <-ctx.Done():
			return faults
		case <-time.After(f.Pause):
		}
		victim := f.Victims[faults%len(f.Victims)]
		switch {
		case faults == promote:
			f.failOver()
		case faults%3 == 2:
			f.stall(victim, 3*time.Second)
		default:
			f.restart(ctx, victim)
		}
	}
	return faults
}

// Logged returns what happened to the nodes and the database, a line for each event.
func (f *Fleet) Logged() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var s strings.Builder
	for _, e := range f.events {
		s.WriteString("\n" + e)
	}
	return s.String()
}
