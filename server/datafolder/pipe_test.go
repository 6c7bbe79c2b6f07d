package datafolder_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hush/cli/console"
	"hush/seal"
	"hush/server/datafolder"
	"hush/server/settings"
)

// pipeOf returns the path of a pipe that gives text once.
func pipeOf(t *testing.T, text []byte) string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() })
	if _, err := write.Write(text); err != nil {
		t.Fatal(err)
	}
	write.Close()
	return fmt.Sprintf("/dev/fd/%d", read.Fd())
}

// A secret manager hands over the root key in a pipe, to a new folder and to one with
// data.
func TestPipedRootKey(t *testing.T) {
	t.Parallel()
	root := seal.NewRootKey()
	s := &settings.Settings{}
	s.Data, s.Store = filepath.Join(t.TempDir(), "data"), settings.StoreBolt
	for _, folder := range []string{"new", "with data"} {
		s.RootKeyFile = pipeOf(t, root.Text())
		if wrong := datafolder.Check(s); len(wrong) > 0 {
			t.Fatalf("Check(a %s folder): got %v, want no mistake", folder, wrong)
		}
		d, err := datafolder.Open(t.Context(), s, &console.Console{Err: io.Discard}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatalf("Open(a folder, %s): got %v, want nil", folder, err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// No program writes to the pipe. The wait for it ends with the context, and leaves no
// folder behind.
func TestWaitForRootKeyEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &settings.Settings{}
	s.Data, s.Store, s.RootKeyFile = filepath.Join(dir, "data"), settings.StoreBolt, filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(s.RootKeyFile, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := datafolder.Open(ctx, s, &console.Console{Err: io.Discard}, slog.New(slog.DiscardHandler))
	if !errors.Is(err, console.ErrInterrupted) {
		t.Errorf("Open(): got %v, want ErrInterrupted", err)
	}
	if _, err := os.Stat(s.Data); !os.IsNotExist(err) {
		t.Errorf("Stat(data folder): got %v, want none", err)
	}
	if _, err := datafolder.ExamineKeys(ctx, s.RootKeyFile); !errors.Is(err, console.ErrInterrupted) {
		t.Errorf("ExamineKeys(): got %v, want ErrInterrupted", err)
	}
	if err := datafolder.AddRootKey(s.RootKeyFile, seal.NewRootKey()); err == nil || !strings.Contains(err.Error(), "it is a pipe") {
		t.Errorf("AddRootKey(pipe): got %v, want a refusal", err)
	}
}
