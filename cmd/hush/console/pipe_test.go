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

	"hush/cmd/hush/console"
)

// No program writes to the pipe. The wait for it ends with the context.
func TestWaitsForPipesEnd(t *testing.T) {
	t.Parallel()
	named := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(named, 0o600); err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	c := &console.Console{In: read, Out: io.Discard, Err: io.Discard}
	drain := func(ctx context.Context) error {
		file, done, err := c.Open(ctx, "-")
		if err == nil {
			defer done()
			_, err = io.Copy(io.Discard, file)
		}
		return err
	}
	for name, wait := range map[string]func(context.Context) error{
		"Open(pipe)":           func(ctx context.Context) error { _, _, err := c.Open(ctx, named); return err },
		"Open(-).Read()":       drain,
		"ReadFile(pipe)":       func(ctx context.Context) error { _, err := console.ReadFile(ctx, named); return err },
		"SecretLine(pipe)":     func(ctx context.Context) error { _, err := c.SecretLine(ctx, named); return err },
		"SecretLine(-)":        func(ctx context.Context) error { _, err := c.SecretLine(ctx, "-"); return err },
		"ReadSecretFile(pipe)": func(ctx context.Context) error { _, err := console.ReadSecretFile(ctx, named); return err },
		"Password(pipe)":       func(ctx context.Context) error { _, err := c.Password(ctx, named); return err },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := wait(ctx); !errors.Is(err, console.ErrInterrupted) {
			t.Errorf("%s after the context ended: got %v, want %v", name, err, console.ErrInterrupted)
		}
	}
	// A read that has begun is given up too.
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
