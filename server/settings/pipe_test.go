package settings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hush/cli/console"
)

// A configuration comes from a pipe, as of <(printf ...), which gives its content once,
// while the format of messages is asked for before the settings are.
func TestPipedFileIsReadOnce(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := io.WriteString(write, "anonymous-create: off\nlog-format: json\n"); err != nil {
		t.Fatal(err)
	}
	write.Close()
	args := []string{fmt.Sprintf("--config=/dev/fd/%d", read.Fd())}
	reader := NewReader(nil)
	if got := reader.MessagesTo(t.Context(), io.Discard, args); got == nil {
		t.Error("MessagesTo(): got text, want JSON")
	}
	c := &cobra.Command{}
	s := Add(c, Names()...)
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Apply(t.Context(), c.Flags()); err != nil || s.AnonymousCreate != "off" {
		t.Errorf("Apply(): got %v and anonymous-create %q, want off", err, s.AnonymousCreate)
	}
}

// No program writes to the pipe. The wait for it ends with the context.
func TestWaitForPipedFileEnds(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &cobra.Command{}
	Add(c, Names()...)
	if err := c.ParseFlags([]string{"--config", pipe}); err != nil {
		t.Fatal(err)
	}
	if _, err := NewReader(nil).Apply(ctx, c.Flags()); !errors.Is(err, console.ErrInterrupted) {
		t.Errorf("Apply(): got %v, want ErrInterrupted", err)
	}
}
