package people_test

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/server/servertest"
)

// A recipient runs the command twice at a time. The second one says so, and takes
// nothing away from the first.
func TestOpenTwiceAtATime(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	content := bytes.Repeat([]byte("x"), 90_000) // more than a pipe holds
	shared := from.MustShare(t, client.ShareRequest{Content: &client.Content{Bytes: content}})
	first := r.Program(t, "open", shared.Link.Expose())
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
	servertest.Call(t, r.Environment(), "", "open", shared.Link.Expose()).Want(t, "open", command.ExitFailure, busy)
	servertest.Call(t, r.Environment(), "", "run", "--secret", "A="+shared.Link.Expose(), "env").Want(t, "run", command.ExitRun, "A: "+busy)
	if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, content) {
		t.Errorf("hush open: got %v and %d bytes, want the content", err, len(got))
	}
	if err := first.Wait(); err != nil {
		t.Errorf("hush open: got %v, want no error", err)
	}
	from.WantDelivered(t, shared)
}
