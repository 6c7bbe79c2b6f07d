package people_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/server/servertest"
	"hush/testtier"
)

// Connections break at random points of the answers. The recipient tries
// again until the file is there: every content arrives, and every sender knows.
func TestOpenOverABreakingNetwork(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "breaks connections at random")
	s := servertest.Start(t, "--rate-limits=off")
	from := servertest.NewSharer(t, s.URL)
	proxy := servertest.StartCutter(t, 15)
	proxy.Whole = 3
	proxy.To(s.Addr)
	numbers := make(chan int)
	var readers sync.WaitGroup
	for range 25 {
		readers.Go(func() {
			for n := range numbers {
				openBehind(t, from, proxy.URL, n)
			}
		})
	}
	for n := range servertest.Fewer(200) {
		numbers <- n
	}
	close(numbers)
	readers.Wait()
	if cuts := proxy.Cuts.Load(); cuts < int64(servertest.Fewer(100)) {
		t.Errorf("proxy: got %d broken connections, want %d and more", cuts, servertest.Fewer(100))
	}
}

// openBehind shares a text or a file, and opens it behind a proxy that breaks
// connections.
func openBehind(t *testing.T, from servertest.Sharer, proxy string, n int) {
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
	r := servertest.NewRecipient(t)
	link := servertest.Behind(t, shared.Link, proxy)
	for try := 0; ; try++ {
		got := servertest.Call(t, append(r.Environment(), "NO_PROXY=*"), link, "open", "-", "-o", filepath.Join(r.Folder, "saved"))
		if got.Code == command.ExitOK {
			break
		}
		if got.Code != command.ExitNetwork || try == 20 {
			t.Errorf("hush open, try %d: got exit code %d, want success or one for the network; it wrote:\n%s", try, got.Code, got.Stderr)
			return
		}
	}
	if saved, err := os.ReadFile(filepath.Join(r.Folder, "saved")); err != nil || !bytes.Equal(saved, content) {
		t.Errorf("file: got %v and %d bytes, want the %d that were shared", err, len(saved), len(content))
	}
	if names := servertest.NamesIn(t, r.Folder); len(names) != 1 {
		t.Errorf("folder: got %q, want the file alone", names)
	}
	if waiting := r.Claims(t); len(waiting) == 0 {
		from.WantDelivered(t, shared)
	} else {
		t.Errorf("claims: got %d, want none after the acknowledgement", len(waiting))
	}
}

// proxyTo passes requests on to a service, and what it streams at once.
func proxyTo(t *testing.T, address string) *httputil.ReverseProxy {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1}
}

// startHedger starts a balancer in bad order: it passes the first reveal on, drops the
// answer, and asks another server, which knows no such secret.
func startHedger(t *testing.T, right, wrong string) (address string) {
	t.Helper()
	toRight, toWrong := proxyTo(t, right), proxyTo(t, wrong)
	var asked atomic.Bool
	hedger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/RevealSecret") || asked.Swap(true) {
			toRight.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		toRight.ServeHTTP(httptest.NewRecorder(), r)
		r.Body = io.NopCloser(bytes.NewReader(body))
		toWrong.ServeHTTP(w, r)
	}))
	t.Cleanup(hedger.Close)
	return hedger.URL
}

// A server that never had the secret says that it is gone. The one that has its content
// for this device gives it to the next run.
func TestOpenSurvivesAWrongGone(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s, other := servertest.Start(t), servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	shared := from.Text(t, "hello")
	link := servertest.Behind(t, shared.Link, startHedger(t, s.URL, other.URL))
	environment := append(r.Environment(), "NO_PROXY=*")
	first := servertest.Call(t, environment, link, "open", "-").Want(t, "open", command.ExitGone, "the secret was opened, was burned, has expired or never existed")
	if strings.Contains(first.Stderr, "again") {
		t.Errorf("hush open of what seems gone: got %s, want no promise", first.Stderr)
	}
	if got := servertest.Call(t, environment, link, "open", "-").Want(t, "open again", command.ExitOK, "an earlier run began to open it"); got.Stdout != "hello" {
		t.Errorf("hush open again: got %q, want the content", got.Stdout)
	}
	from.WantDelivered(t, shared)
	if waiting := r.Claims(t); len(waiting) != 0 {
		t.Errorf("claims: got %q, want none after the acknowledgement", waiting)
	}
	servertest.Call(t, environment, link, "open", "-").Want(t, "open of what is gone", command.ExitGone)
	if waiting := r.Claims(t); len(waiting) != 0 {
		t.Errorf("claims: got %q, want none for what was gone before", waiting)
	}
}
