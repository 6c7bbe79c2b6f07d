package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"hush/client"
	"hush/cmd/hush/command"
)

// Connections break at random points of the answers. The recipient tries
// again until the file is there: every content arrives, and every sender knows.
func TestOpenOverABreakingNetwork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs time: opens 200 secrets")
	}
	s := startHush(t, "--rate-limits=off")
	from := newSharer(t, s.url)
	proxy := startCutter(t, 15)
	proxy.whole = 3
	proxy.to(s.addr)
	numbers := make(chan int)
	var readers sync.WaitGroup
	for range 25 {
		readers.Go(func() {
			for n := range numbers {
				openBehind(t, from, proxy.url, n)
			}
		})
	}
	for n := range fewer(200) {
		numbers <- n
	}
	close(numbers)
	readers.Wait()
	if cuts := proxy.cuts.Load(); cuts < int64(fewer(100)) {
		t.Errorf("proxy: got %d broken connections, want %d and more", cuts, fewer(100))
	}
}

// openBehind shares a text or a file, and opens it behind a proxy that breaks
// connections.
func openBehind(t *testing.T, from sharer, proxy string, n int) {
	content := bytes.Repeat([]byte("line "+strconv.Itoa(n)+"\n"), 1+n*n/8)
	request := client.ShareRequest{Content: &client.Content{Bytes: content}}
	if n%2 == 0 {
		request.Content.IsFile, request.Content.FileName = true, "lines.txt"
	}
	shared, err := from.Share(t.Context(), request)
	if err != nil {
		t.Errorf("Share: got %v, want a link", err)
		return
	}
	r := newRecipient(t)
	link := at(t, shared.Link, proxy)
	for try := 0; ; try++ {
		got := call(t, append(r.environment(), "NO_PROXY=*"), link, "open", "-", "-o", filepath.Join(r.folder, "saved"))
		if got.code == command.ExitOK {
			break
		}
		if got.code != command.ExitNetwork || try == 20 {
			t.Errorf("hush open, try %d: got exit code %d, want success or one for the network; it wrote:\n%s", try, got.code, got.stderr)
			return
		}
	}
	if saved, err := os.ReadFile(filepath.Join(r.folder, "saved")); err != nil || !bytes.Equal(saved, content) {
		t.Errorf("file: got %v and %d bytes, want the %d that were shared", err, len(saved), len(content))
	}
	if names := namesIn(t, r.folder); len(names) != 1 {
		t.Errorf("folder: got %q, want the file alone", names)
	}
	if waiting := r.claims(t); len(waiting) == 0 {
		from.wantDelivered(t, shared)
	} else {
		t.Errorf("claims: got %d, want none after the acknowledgement", len(waiting))
	}
}
