package kills_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

var nodeFaults = flag.Int("nodes.faults", 8, "how many faults TestSuitesOnFailingNodes lets nodes have, at least")

// A client may not know what became of a request that it sent: the answer was
// lost with the node, or says that the store was not available. Then it begins
// its conversation anew, with new secrets. It never sends the same reveal again:
// that would be safe too, since the service reveals once, but it would tell the
// client nothing. The retries are listed when the test passes.

// retries counts what was begun anew, and why.
type retries struct {
	mu    sync.Mutex
	count map[string]int
}

func (r *retries) add(what, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == nil {
		r.count = map[string]int{}
	}
	r.count[what+": "+why]++
}

func (r *retries) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s strings.Builder
	for _, what := range slices.SortedFunc(maps.Keys(r.count), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.count[b], r.count[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(&s, "\n%5d  %s", r.count[what], what)
	}
	return s.String()
}

// TestSuitesOnFailingNodes: the recorded exchanges and the clients of the crash
// test go through a balancer to three nodes, of which one is killed or stopped
// every few seconds, while the primary is lost and its standby promoted.
func TestSuitesOnFailingNodes(t *testing.T) {
	testtier.Full(t, "kills nodes at random")
	f := servertest.StartFleet(t, func(string) string { return servertest.NodeKey(t) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	again := &retries{}
	var all sync.WaitGroup
	all.Go(func() { replayAll(ctx, t, f, again) })
	all.Go(func() { keepLedgers(ctx, t, f, again) })
	faults := f.Disturb(ctx, *nodeFaults)
	cancel()
	all.Wait()
	t.Logf("%d faults%s\nbegun anew%s", faults, f.Logged(), again)
}

// replayAll replays the exchanges that need no accounts, each once at least and
// again until ctx ends.
func replayAll(ctx context.Context, t *testing.T, f *servertest.Fleet, again *retries) {
	files, err := filepath.Glob("../../routes/apitest/testdata/exchanges/*.txt")
	if err != nil {
		t.Error(err)
		return
	}
	contents := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			return
		}
		if !strings.HasPrefix(string(content), "#!") {
			contents[filepath.Base(file)] = string(content)
		}
	}
	names, replayed := slices.Sorted(maps.Keys(contents)), 0
	for round := 0; round == 0 || ctx.Err() == nil; round++ {
		for _, name := range names {
			if round > 0 && ctx.Err() != nil {
				break
			}
			replayAgain(t, f, name, contents[name], again)
			replayed++
		}
	}
	t.Logf("replayed %d conversations of %d files", replayed, len(names))
}

// beginningsMost is how often a conversation is begun.
const beginningsMost = 30

// replayAgain replays a file, from its beginning when a request got no answer
// that says what came of it.
func replayAgain(t *testing.T, f *servertest.Fleet, name, content string, again *retries) {
	for range beginningsMost {
		got, doubt, why := replayOnce(t, f, content)
		if doubt == "" {
			if diff := gocmp.Diff(content, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			return
		}
		again.add(doubt, why)
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s: got no whole conversation in %d beginnings, want one", name, beginningsMost)
}

// sendOver sends a request through the balancer.
func sendOver(t *testing.T, f *servertest.Fleet, part apitest.Exchange, known *apitest.Names) (*apitest.Response, error) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.Balancer.Addr())
	if err != nil {
		return nil, err
	}
	return part.Send(conn, known)
}

// replayOnce returns the file with the answers that came, or the request that
// has none and why.
func replayOnce(t *testing.T, f *servertest.Fleet, content string) (got, doubt, why string) {
	known := apitest.NewNames(t)
	known.Learn("base", f.Balancer.URL)
	var out strings.Builder
	for _, part := range apitest.ParseExchanges(content) {
		out.WriteString(part.Comment)
		if part.Request == "" {
			continue
		}
		line, _, _ := strings.Cut(part.Request, "\n")
		answer, err := sendOver(t, f, part, known)
		switch {
		case err != nil:
			return "", line, "no answer"
		case isUnavailable(answer):
			return "", line, "unavailable"
		}
		fmt.Fprintf(&out, ">>> %s\n<<< %s\n\n", part.Request, known.Record(&answer.Response, answer.Body))
	}
	return strings.TrimSuffix(out.String(), "\n"), "", ""
}

// isUnavailable reports whether an answer says that the store cannot be reached.
// No recorded one does.
func isUnavailable(answer *apitest.Response) bool {
	return answer.StatusCode == http.StatusServiceUnavailable || answer.Header.Get("X-OTS-Intended-Status") == "503" ||
		strings.Contains(string(answer.Body), `"code":"unavailable"`)
}

// keepLedgers lets clients of every protocol conceal, reveal and burn until ctx
// ends, and then compares what they know with what the nodes say.
func keepLedgers(ctx context.Context, t *testing.T, f *servertest.Fleet, again *retries) {
	const clients = 6
	s := &servertest.Server{URL: f.Balancer.URL, Addr: f.Balancer.Addr()}
	var ledgers []*ledger
	for client := range clients {
		l := newLedger(client)
		l.doubt = func(call, why string) { again.add(call, why) }
		ledgers = append(ledgers, l)
	}
	drivers := servertest.AllDrivers(t, s, nil)
	each(ledgers, func(l *ledger) {
		random := rand.New(rand.NewPCG(uint64(l.client), 1))
		for ctx.Err() == nil {
			// What is under way at the end is answered all the same.
			l.workUntil(ctx, context.WithoutCancel(ctx), drivers, random)
		}
	})
	f.Balancer.Await(t, servertest.FleetSize)
	total, ended, shown := 0, 0, 0
	fresh := servertest.Drivers(t, s, nil)
	for _, l := range ledgers {
		total, ended, shown = total+len(l.waiting)+len(l.ended), ended+len(l.ended), shown+len(l.shown)
	}
	if shown == 0 {
		t.Errorf("%d secrets while nodes failed: got none shown, want some", total)
	}
	each(ledgers, func(l *ledger) { l.check(t, fresh[l.client%len(fresh)], 0, true) })
	t.Logf("%d secrets, %d of them ended", total, ended)
}
