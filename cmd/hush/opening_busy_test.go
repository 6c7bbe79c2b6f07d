package main

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"hush/cli/command"
	"hush/client"
)

// A recipient runs the command twice at a time. The second one says so, and takes
// nothing away from the first.
func TestOpenTwiceAtATime(t *testing.T) {
	t.Parallel()
	runOnce(t, "about the client")
	s := startHush(t)
	from, r := newSharer(t, s.url), newRecipient(t)
	content := bytes.Repeat([]byte("x"), 90_000) // more than a pipe holds
	shared := from.mustShare(t, client.ShareRequest{Content: &client.Content{Bytes: content}})
	first := r.program(t, "open", shared.Link.Expose())
	out, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Process.Kill() })
	reader := bufio.NewReader(out)
	if _, err := reader.Peek(1); err != nil { // it has the content, and waits for its reader
		t.Fatal(err)
	}
	const busy = "another run of hush is opening this secret now"
	call(t, r.environment(), "", "open", shared.Link.Expose()).want(t, "open", command.ExitFailure, busy)
	call(t, r.environment(), "", "run", "--secret", "A="+shared.Link.Expose(), "env").want(t, "run", command.ExitRun, "A: "+busy)
	if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, content) {
		t.Errorf("hush open: got %v and %d bytes, want the content", err, len(got))
	}
	if err := first.Wait(); err != nil {
		t.Errorf("hush open: got %v, want no error", err)
	}
	from.wantDelivered(t, shared)
}
