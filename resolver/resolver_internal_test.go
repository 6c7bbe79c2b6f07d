package resolver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSystemServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, test := range map[string]struct {
		content string
		want    []string
	}{
		"two":     {"nameserver 192.0.2.1\nnameserver 2001:db8::1\n", []string{"192.0.2.1:53", "[2001:db8::1]:53"}},
		"nobody":  {"search example.com\n", []string{"127.0.0.1:53"}},
		"nothing": {"", []string{"127.0.0.1:53"}},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
			t.Fatalf("WriteFile(%s): got %v, want nil", name, err)
		}
		if diff := cmp.Diff(test.want, systemServers(path)); diff != "" {
			t.Errorf("systemServers(%s): -want +got\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"127.0.0.1:53"}, systemServers(filepath.Join(dir, "missing"))); diff != "" {
		t.Errorf("systemServers(missing): -want +got\n%s", diff)
	}
}

// Some questions are asked at a time; one more waits, and leaves with its
// caller.
func TestTurns(t *testing.T) {
	t.Parallel()
	r, err := New("127.0.0.1:1")
	if err != nil {
		t.Fatalf("New(loopback): got %v, want nil", err)
	}
	if !r.turns.TryAcquire(questions) {
		t.Fatal("TryAcquire: got no turns, want all")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.TXT(ctx, "example.com"); !errors.Is(err, context.Canceled) {
		t.Errorf("TXT(no turn): got %v, want %v", err, context.Canceled)
	}
	if r.turns.TryAcquire(1) {
		t.Errorf("turns taken: got fewer, want %d", questions)
	}
	r.turns.Release(1)
	if _, _, err := r.TXT(t.Context(), "example.com"); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("TXT(nobody listens): got %v, want a refused connection", err)
	}
}

// The attack: hundreds of requests that each make the service ask DNS. A few
// questions are under way at a time, and none waits longer than one may take.
func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, err := New("127.0.0.1:1")
		if err != nil {
			t.Fatalf("New(loopback): got %v, want nil", err)
		}
		var running gauge
		var asked, late atomic.Int64
		var all sync.WaitGroup
		for range 10 * questions {
			all.Go(func() {
				err := r.ask(t.Context(), func(context.Context) error {
					running.add(1)
					time.Sleep(time.Second)
					running.add(-1)
					asked.Add(1)
					return nil
				})
				if errors.Is(err, context.DeadlineExceeded) {
					late.Add(1)
				}
			})
		}
		all.Wait()
		if got := running.most; got != questions {
			t.Errorf("questions at a time: got %d, want %d", got, questions)
		}
		if asked.Load()+late.Load() != 10*questions || late.Load() == 0 {
			t.Errorf("questions: got %d asked and %d late, want %d of both kinds", asked.Load(), late.Load(), 10*questions)
		}
	})
}

// gauge counts what runs at a time and keeps the most.
type gauge struct {
	mu        sync.Mutex
	now, most int
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.most = max(g.most, g.now)
}
