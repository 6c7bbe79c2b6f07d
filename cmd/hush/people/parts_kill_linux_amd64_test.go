package people_test

import (
	"bytes"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hush/client"
	"hush/client/protocols"
	"hush/seal/endtoend"
	"hush/server/servertest"
)

// partSteps are the steps with those of files in parts.
func partSteps() map[string]uint64 {
	all := maps.Clone(steps)
	all["fdatasync"], all["fallocate"] = unix.SYS_FDATASYNC, unix.SYS_FALLOCATE
	return all
}

// killedSize has three parts.
const killedSize = 2*endtoend.PartSize + 100_000

// The power button of a sender's computer has a bad moment: the program is killed at each
// of its steps while it shares a file in parts, and run again. A link that was printed
// stays, and what it opens is the file.
func TestShareInPartsSurvivesKills(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t, "--rate-limits=off", "--max-network-bytes=16GiB")
	most := servertest.InTier(1, math.MaxInt) // of each step
	killed := map[string]int{}
	for step, call := range partSteps() {
		for killed[step] < most && killAndShareAgain(t, s.URL, call, step, killed[step]+1) && !t.Failed() {
			killed[step]++
		}
	}
	for _, step := range []string{"pwrite", "fsync", "fdatasync", "fallocate", "unlinkat", "write"} {
		if killed[step] == 0 && !t.Failed() {
			t.Errorf("hush share: got no %s at which to kill it, want one", step)
		}
	}
	t.Logf("hush share: killed at %v", killed)
}

func killAndShareAgain(t *testing.T, url string, call uint64, step string, number int) bool {
	t.Helper()
	r := servertest.NewRecipient(t)
	path, content := largeFile(t, t.TempDir(), killedSize)
	args := []string{"share", path, "--server", url}
	first := r.Program(t, args...)
	var printed bytes.Buffer
	first.Stdout = &printed
	trace := tracing{step: call, number: number}
	if err := trace.run(first); err != nil {
		endTracing(t, err)
	}
	if !trace.killed {
		return false
	}
	second := r.Program(t, args...)
	var again, said bytes.Buffer
	second.Stdout, second.Stderr = &again, &said
	if err := second.Run(); err != nil {
		t.Errorf("killed at %s %d and run again: got %v, want no error; it wrote:\n%s", step, number, err, &said)
		return true
	}
	link := again.String()
	if before := printed.String(); before != "" && before != link {
		// The kill came when all was done, so that the second run began anew.
		if names := r.Uploads(t); len(names) > 0 || !bytes.Contains(said.Bytes(), []byte("7 days")) {
			t.Errorf("killed at %s %d and run again: got another link, want the same; it wrote:\n%s", step, number, &said)
		}
	}
	if names := r.Uploads(t); len(names) > 0 {
		t.Errorf("killed at %s %d and run again: got the files %q, want none; it wrote:\n%s", step, number, names, &said)
	}
	wantLinkOpens(t, link, content)
	return true
}

// wantLinkOpens fetches the file of a link.
func wantLinkOpens(t *testing.T, text string, content []byte) {
	t.Helper()
	link, err := client.ParseLink(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := protocols.New(link.Server, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := c.Files()
	if err != nil {
		t.Fatal(err)
	}
	var to fetched
	claim := client.NewClaim()
	if err := files.FetchFile(t.Context(), link, client.Text{}, claim, &to); err != nil || !bytes.Equal(to.Bytes(), content) {
		t.Errorf("FetchFile: got %d bytes, %v, want the %d that were shared", to.Len(), err, len(content))
	}
	if err := c.Acknowledge(t.Context(), link, claim); err != nil {
		t.Errorf("Acknowledge: got %v, want no error", err)
	}
}

// fetched is a client.FileSink in memory.
type fetched struct{ bytes.Buffer }

func (*fetched) Begin(client.FileContent) (int64, error) { return 0, nil }

// The same for the recipient: the file is there once, the sender knows, and nothing else
// is left.
func TestOpenInPartsSurvivesKills(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t, "--rate-limits=off", "--max-network-bytes=16GiB")
	from := servertest.NewSharer(t, s.URL)
	_, content := largeFile(t, t.TempDir(), servertest.InTier(largeSize, killedSize))
	most := servertest.InTier(1, math.MaxInt) // of each step
	for _, flags := range [][]string{{"-o", "saved"}, {"-o", "saved", "--overwrite"}} {
		killed := map[string]int{}
		for step, call := range partSteps() {
			for killed[step] < most && killAndFetchAgain(t, from, content, call, step, killed[step]+1, flags) && !t.Failed() {
				killed[step]++
			}
		}
		t.Logf("hush open %s: killed at %v", flags, killed)
	}
}

func killAndFetchAgain(t *testing.T, from servertest.Sharer, content []byte, call uint64, step string, number int, flags []string) bool {
	t.Helper()
	shared, err := from.ShareFile(t.Context(), client.FileRequest{FileName: "disk.img", Size: int64(len(content))}, bytes.NewReader(content), nil)
	if err != nil {
		t.Fatalf("ShareFile: got %v, want a link", err)
	}
	r := servertest.NewRecipient(t)
	args := append([]string{"open", r.KeepLink(t, shared.Link.Expose())}, flags...)
	saved := filepath.Join(r.Folder, "saved")
	trace := tracing{step: call, number: number}
	if err := trace.run(r.Program(t, args...)); err != nil {
		endTracing(t, err)
	}
	before, _ := os.ReadFile(saved)
	waited := len(r.Claims(t)) > 0
	again, err := r.Program(t, args...).CombinedOutput()
	// A kill after the last change leaves nothing to do.
	if err != nil && (waited || !bytes.Equal(before, content)) {
		t.Errorf("killed at %s %d and run again: got %v, want no error; it wrote:\n%s", step, number, err, again)
	}
	wantBytes(t, saved, content)
	if names := strings.Join(servertest.NamesIn(t, r.Folder), " "); names != "saved" {
		t.Errorf("killed at %s %d and run again: got the files %s, want the one alone; it wrote:\n%s", step, number, names, again)
	}
	if claims := r.Claims(t); len(claims) > 0 {
		t.Errorf("killed at %s %d and run again: got the claims %q, want none", step, number, claims)
	}
	from.WantDelivered(t, shared)
	return trace.killed
}
