package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hush/server/servertest"
	"hush/storage"
	"hush/storage/postgres"
	"hush/testtier"
	"hush/vault/cluster"
	"hush/vault/rows"
)

// buildRelease builds the program as another release, with build tags.
func buildRelease(t testing.TB, release string, tags ...string) string {
	t.Helper()
	servertest.Build(t) // skips what cannot build
	path := filepath.Join(t.TempDir(), "hush-"+release)
	build := exec.Command("go", "build", "-tags", strings.Join(tags, ","), "-ldflags", "-X hush/cmd/hush/program.version="+release, "-o", path, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: got %v, want nil: %s", err, out)
	}
	return path
}

// turns sends requests to the nodes in turn.
type turns struct {
	client *http.Client
	nodes  atomic.Pointer[[]string]
	next   atomic.Int64
}

func (b *turns) use(nodes ...*servertest.Process) {
	var urls []string
	for _, n := range nodes {
		urls = append(urls, n.URL)
	}
	b.nodes.Store(&urls)
}

// post calls the next node, or the one after it if that one has just closed its
// listener, which is the only failure that is tried again.
func (b *turns) post(path string, form url.Values) (answer map[string]any, node string, err error) {
	for range 3 {
		nodes := *b.nodes.Load()
		node = nodes[int(b.next.Add(1))%len(nodes)]
		var res *http.Response
		res, err = b.client.PostForm(node+path, form)
		if err != nil && strings.Contains(err.Error(), "connection refused") {
			continue
		}
		if err != nil {
			return nil, node, err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return nil, node, fmt.Errorf("POST %s: status %d", path, res.StatusCode)
		}
		return answer, node, json.NewDecoder(res.Body).Decode(&answer)
	}
	return nil, node, err
}

// pair conceals a secret and reveals it, in most cases on another node.
func (b *turns) pair(i int) (nodes [2]string, err error) {
	text := fmt.Sprint("text ", i)
	kept, first, err := b.post("/api/v1/share", url.Values{"secret": {text}})
	if err != nil {
		return nodes, err
	}
	got, second, err := b.post(fmt.Sprint("/api/v1/secret/", kept["secret_key"]), nil)
	if err == nil && got["value"] != text {
		err = fmt.Errorf("reveal: got %v, want %q", got["value"], text)
	}
	return [2]string{first, second}, err
}

// An operator upgrades node by node under load: the new release starts beside
// the old one, the balancer takes the old one out, it stops, and no request fails.
func TestRollingUpgradeUnderLoad(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "builds two releases, and loads them")
	store, key := servertest.NewDatabase(t), servertest.NodeKey(t)
	start := func(release string) *servertest.Process {
		t.Helper()
		return servertest.StartProcess(t, buildRelease(t, release), filepath.Join(t.TempDir(), "data"),
			"--store", store, "--root-key-file", key, "--rate-limits=off")
	}
	older := start("0.1.1")
	b := &turns{client: &http.Client{Transport: &http.Transport{}}}
	defer b.client.CloseIdleConnections()
	b.use(older)
	const workers, step = 3, 10
	var all sync.WaitGroup
	var stop atomic.Bool
	var done atomic.Int64
	var mixed atomic.Int64 // pairs that used both nodes
	for w := range workers {
		all.Go(func() {
			for i := 0; !stop.Load(); i++ {
				nodes, err := b.pair(w<<32 + i)
				if err != nil {
					t.Errorf("conceal and reveal during an upgrade: got %v, want nil", err)
					return
				}
				if nodes[0] != nodes[1] {
					mixed.Add(1)
				}
				done.Add(1)
			}
		})
	}
	more := func(count *atomic.Int64) {
		t.Helper()
		from := count.Load()
		servertest.WaitUntil(t, "more secrets to be revealed", func() bool { return t.Failed() || count.Load() >= from+step })
	}
	more(&done)
	newer := start("0.1.2")
	b.use(older, newer)
	more(&mixed)
	b.use(newer)
	more(&done) // requests that were meant for the old one have ended
	if err := older.Terminate(t); err != nil {
		t.Errorf("SIGTERM of the old release: got %v, want nil", err)
	}
	more(&done)
	stop.Store(true)
	all.Wait()
}

// changeNodes changes the rows of the nodes behind their back.
func changeNodes(t *testing.T, store string, change func(storage.Tx) error) {
	t.Helper()
	db, _, err := postgres.Open(t.Context(), store, postgres.Options{})
	if err != nil {
		t.Fatalf("postgres.Open: got %v, want nil", err)
	}
	defer db.Close()
	if err := db.Update(t.Context(), change); err != nil {
		t.Fatalf("Update: got %v, want nil", err)
	}
}

// A release that cannot read what a newer one stores stops when it notices, and
// does not start again. It says which release it takes.
func TestOldReleaseStopsAfterUpgrade(t *testing.T) {
	t.Parallel()
	store, key := servertest.NewDatabase(t), servertest.NodeKey(t)
	flags := []string{"--store", store, "--root-key-file", key}
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), flags...)
	// What a node of the newer release does once the old one's heartbeat is old.
	changeNodes(t, store, func(tx storage.Tx) error {
		if err := rows.DeleteAll(tx, cluster.BucketNode, [][]byte{{0, 0}, {0, 0, 1}}); err != nil {
			return err
		}
		return tx.Put(cluster.BucketNode, []byte{0xff, 1}, cluster.FormatRecord{Format: 99, Release: "9.9.9"}.Encode())
	})
	const need = "upgrade to hush 9.9.9 or later"
	p.Log.WaitFor(t, need)
	if err := <-p.Exit; err == nil {
		t.Error("the old release: got a good end, want a failure")
	}
	serve := slices.Concat([]string{"serve", "--listen=127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data")}, flags)
	servertest.Call(t, nil, "", serve...).Want(t, "serve", 1, need)
}
