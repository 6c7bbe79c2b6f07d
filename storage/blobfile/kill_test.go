package blobfile_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/disk"
	"hush/testtier"
)

// killVariable names the folder in which a process of TestKills works.
const killVariable = "HUSH_BLOBFILE_KILLED"

// The sizes of a blob in these tests.
const (
	killParts    = 4
	killPartSize = 10_000
	killSize     = (killParts-1)*killPartSize + 77
)

// killContent is what a part of a blob has, so that who checks it need not be told.
func killContent(id storage.BlobID, part int64) []byte {
	sum := sha256.Sum256(fmt.Append(id[:], part))
	content := make([]byte, min(killPartSize, killSize-part*killPartSize))
	_, _ = rand.NewChaCha8(sum).Read(content) // never fails
	return content
}

// A process is killed at any moment. What it had acknowledged is there in whole, what it
// had deleted is not, whatever else is there can be deleted, and the next process works.
func TestKills(t *testing.T) {
	if dir := os.Getenv(killVariable); dir != "" {
		workUntilKilled(t, dir)
	}
	testtier.Check(t, "starts processes and kills them")
	t.Parallel()
	rounds := 10
	if testtier.IsFull() {
		rounds = 100
	}
	dir := filepath.Join(t.TempDir(), "files")
	live := map[string]map[int64]bool{} // parts of blobs that are there for certain
	for range rounds {
		for _, line := range killedAtRandom(t, dir) {
			if strings.HasPrefix(line, "failed") {
				t.Errorf("a process that was not killed yet: %s", line)
			}
			note(live, line)
		}
		checkKilled(t, dir, live)
	}
	if len(live) == 0 {
		t.Error("after all rounds: got no blob, want some, or this test shows nothing")
	}
}

// killedAtRandom runs a process, kills it, and returns the lines that it wrote.
func killedAtRandom(t *testing.T, dir string) (lines []string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKills$")
	c.Env = append(os.Environ(), killVariable+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	read := bufio.NewReader(out)
	if _, err := read.ReadString('\n'); err != nil {
		t.Fatalf("first line of the process: got %v, want nil", err)
	}
	timer := time.AfterFunc(time.Duration(rand.IntN(100))*time.Millisecond, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	for {
		line, err := read.ReadString('\n')
		if err != nil { // and the last line may lack its end
			break
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	_, _ = io.Copy(io.Discard, out)
	if err := c.Wait(); err == nil {
		t.Error("the process ended by itself, want it killed")
	}
	return lines
}

// note adds what a line of a process says.
func note(live map[string]map[int64]bool, line string) {
	var what, id string
	var part int64
	if _, err := fmt.Sscan(line, &what, &id, &part); err != nil {
		return // a line of the test itself
	}
	switch what {
	case "begun":
		live[id] = map[int64]bool{}
	case "put":
		live[id][part] = true
	case "deleting": // it may be there or not, as long as the call is under way
		delete(live, id)
	}
}

// checkKilled compares the folder with what is known, and deletes the rest.
func checkKilled(t *testing.T, dir string, live map[string]map[int64]bool) {
	t.Helper()
	f := mustOpen(t, dir)
	found := map[string]bool{}
	err := f.List(t.Context(), func(id storage.BlobID, _ int64) error {
		name := id.String()
		found[name] = true
		if live[name] == nil {
			return f.Delete(t.Context(), id)
		}
		for part := range live[name] {
			want := killContent(id, part)
			if got, err := f.Get(t.Context(), id, part, len(want)); err != nil || string(got) != string(want) {
				t.Errorf("Get(part %d of %s) after a kill: got %d bytes and %v, want those that were acknowledged", part, name, len(got), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("List after a kill: got %v, want nil", err)
	}
	for name := range live {
		if !found[name] {
			t.Errorf("blob %s after a kill: got none, want it", name)
		}
	}
	if got := namesIn(t, dir); len(got) != len(live) {
		t.Errorf("names after what nobody knows was deleted: got %d, want %d", len(got), len(live))
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// workUntilKilled begins blobs, puts parts and deletes most, and writes a line for each
// thing that is done.
func workUntilKilled(t *testing.T, dir string) {
	f, err := blobfile.Open(dir, blobfile.Options{Fault: disk.NewFault(nil)})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	say := func(what string, id storage.BlobID, part int64) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Println(what, id, part)
	}
	say("working", storage.BlobID{}, 0)
	ctx := context.Background()
	for range 4 {
		go func() {
			for {
				id := storage.NewBlobID()
				must(f.Begin(ctx, id, killSize, killPartSize))
				say("begun", id, 0)
				for _, part := range rand.Perm(killParts) {
					must(f.Put(ctx, id, int64(part), killContent(id, int64(part))))
					say("put", id, int64(part))
				}
				if rand.IntN(10) > 0 {
					say("deleting", id, 0)
					must(f.Delete(ctx, id))
				}
			}
		}()
	}
	time.Sleep(time.Minute)
	os.Exit(0) // it was not killed
}

// must ends the process with what the parent sees as an error.
func must(err error) {
	if err != nil {
		_, _ = fmt.Println("failed", storage.BlobID{}, err)
		os.Exit(0)
	}
}
