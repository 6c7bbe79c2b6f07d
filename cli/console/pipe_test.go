//go:build unix

package console_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hush/cli/console"
)

// No program writes to the pipe. The wait for it ends with the context, before or after
// it has begun.
func TestWaitsForPipesEnd(t *testing.T) {
	t.Parallel()
	named := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(named, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, wait := range map[string]func(context.Context, *console.Console) error{
		"Open(pipe)":     func(ctx context.Context, c *console.Console) error { _, _, err := c.Open(ctx, named); return err },
		"Open(-).Read()": drain,
		"ReadFile(pipe)": func(ctx context.Context, _ *console.Console) error {
			_, err := console.ReadFile(ctx, named)
			return err
		},
		"SecretLine(pipe)": func(ctx context.Context, c *console.Console) error { _, err := c.SecretLine(ctx, named); return err },
		"SecretLine(-)":    func(ctx context.Context, c *console.Console) error { _, err := c.SecretLine(ctx, "-"); return err },
		"ReadSecretFile(pipe)": func(ctx context.Context, _ *console.Console) error {
			_, err := console.ReadSecretFile(ctx, named)
			return err
		},
		"Password(pipe)": func(ctx context.Context, c *console.Console) error { _, err := c.Password(ctx, named); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := pipedConsole(t) // its own, since a read that is given up takes what comes
			for _, end := range []func(cancel func()){func(cancel func()) { cancel() }, func(cancel func()) { go cancel() }} {
				ctx, cancel := context.WithCancel(t.Context())
				end(cancel)
				if err := wait(ctx, c); !errors.Is(err, console.ErrInterrupted) {
					t.Errorf("got %v, want %v", err, console.ErrInterrupted)
				}
			}
		})
	}
}

// A read that has begun is given up too.
func TestReadsOfPipesEnd(t *testing.T) {
	t.Parallel()
	c, write := pipedConsole(t)
	ctx, cancel := context.WithCancel(t.Context())
	file, done, err := c.Open(ctx, "-")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if _, err := write.WriteString("begun"); err != nil {
		t.Fatal(err)
	}
	some := make([]byte, 5)
	if _, err := io.ReadFull(file, some); err != nil || string(some) != "begun" {
		t.Errorf("Read(): got %q, %v, want begun", some, err)
	}
	go cancel()
	if _, err := file.Read(some); !errors.Is(err, console.ErrInterrupted) {
		t.Errorf("Read() of an empty pipe: got %v, want %v", err, console.ErrInterrupted)
	}
}

// What is interrupted before it begins takes nothing from a pipe.
func TestInterruptedReadTakesNothing(t *testing.T) {
	t.Parallel()
	c, write := pipedConsole(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if _, err := c.SecretLine(over, "-"); !errors.Is(err, console.ErrInterrupted) {
			t.Fatalf("SecretLine(-): got %v, want %v", err, console.ErrInterrupted)
		}
	}
	if _, err := write.WriteString("line\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.SecretLine(t.Context(), "-"); err != nil || got != "line" {
		t.Errorf("SecretLine(-): got %q, %v, want line", got, err)
	}
}

// pipedConsole returns a console that reads from a pipe, and the pipe's other end.
func pipedConsole(t *testing.T) (c *console.Console, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = write.Close() // first, so that no read waits any more
		_ = read.Close()
	})
	return &console.Console{In: read, Out: io.Discard, Err: io.Discard}, write
}

// drain reads standard input to its end.
func drain(ctx context.Context, c *console.Console) error {
	file, done, err := c.Open(ctx, "-")
	if err == nil {
		defer done()
		_, err = io.Copy(io.Discard, file)
	}
	return err
}

// What is read arrives as it is, however large the reads are.
func TestOpenReadsEverything(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef"), 20<<10)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	c := &console.Console{In: bytes.NewReader(content)}
	for _, name := range []string{path, "-"} {
		file, done, err := c.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 3, len(content))
		_, err = io.ReadFull(file, got)
		for room := 1; err == nil; room *= 2 {
			more := make([]byte, room)
			var n int
			n, err = file.Read(more)
			got = append(got, more[:n]...)
		}
		done()
		if !errors.Is(err, io.EOF) || !bytes.Equal(got, content) {
			t.Errorf("Open(%s): got %d bytes, %v, want %d as they are", strings.ReplaceAll(name, path, "file"), len(got), err, len(content))
		}
	}
}
