package resolver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

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

// Four questions are asked at a time; a fifth waits, and leaves with its
// caller.
func TestTurns(t *testing.T) {
	t.Parallel()
	r, err := New("127.0.0.1:1")
	if err != nil {
		t.Fatalf("New(loopback): got %v, want nil", err)
	}
	for range questions {
		r.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.TXT(ctx, "example.com"); !errors.Is(err, context.Canceled) {
		t.Errorf("TXT(no turn): got %v, want %v", err, context.Canceled)
	}
	if got := len(r.turns); got != questions {
		t.Errorf("turns taken: got %d, want %d", got, questions)
	}
	<-r.turns
	if _, err := r.TXT(t.Context(), "example.com"); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("TXT(nobody listens): got %v, want a refused connection", err)
	}
}
