package proxies_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// A node of several is left out while it says that it is not ready, and another
// one is asked instead of a node that does not take a connection. No request
// reaches two nodes.
func TestProxyNodes(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about proxies")
	testtier.Full(t, "starts proxies before nodes that fail")
	for _, r := range servertest.Recipes() {
		if r.Nodes == nil {
			continue
		}
		t.Run(r.Program, func(t *testing.T) {
			t.Parallel()
			servertest.NeedProgram(t, r.Program)
			one, two := servertest.FreeAddress(t), servertest.FreeAddress(t)
			first, second := startCounting(t, one), startCounting(t, two)
			p := servertest.StartProxy(t, r, servertest.ProxyBackend{Addr: one, Second: two, Nodes: true})
			n := &proxyNodes{p: p, first: first, second: second}
			a, b := n.post(t, 8, "", http.StatusOK)
			if a == 0 || b == 0 {
				t.Errorf("two nodes: got %d and %d requests, want both to get some", a, b)
			}
			a, b = n.post(t, 4, "close", http.StatusBadGateway)
			if a+b != 4 {
				t.Errorf("requests whose response is lost: got %d and %d, want 4 together", a, b)
			}
			first.unready.Store(true)
			servertest.WaitUntil(t, "the first node to be left out", func() bool {
				a, _ := n.post(t, 4, "", http.StatusOK)
				return a == 0
			})
			first.unready.Store(false)
			servertest.WaitUntil(t, "the first node to be back", func() bool {
				a, _ := n.post(t, 4, "", http.StatusOK)
				return a > 0
			})
			// The next check is some time away.
			if err := first.server.Close(); err != nil {
				t.Fatal(err)
			}
			if a, b = n.post(t, 8, "", http.StatusOK); a != 0 || b != 8 {
				t.Errorf("a node that is gone: got %d and %d requests, want 0 and 8", a, b)
			}
		})
	}
}

// The service passes the check that the recipe makes.
func TestProxyNodesOfHush(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about proxies")
	testtier.Full(t, "starts proxies before nodes that fail")
	for _, r := range servertest.Recipes() {
		if r.Nodes == nil {
			continue
		}
		t.Run(r.Program, func(t *testing.T) {
			t.Parallel()
			servertest.NeedProgram(t, r.Program)
			s := servertest.Start(t, "--base-url", servertest.ProxyURL, "--trusted-proxies", "127.0.0.1")
			p := servertest.StartProxy(t, r, servertest.ProxyBackend{Addr: s.Listening(t), Second: servertest.FreeAddress(t), Nodes: true})
			p.Log.WaitFor(t, "hush/node2 is DOWN")
			checkProtocols(t, p)
			if strings.Contains(p.Log.String(), "node1 is DOWN") {
				t.Errorf("%s: got the service out of use, want it in use; it wrote:\n%s", r.Program, p.Log)
			}
		})
	}
}

// proxyNodes are two nodes behind a proxy.
type proxyNodes struct {
	p             *servertest.Proxy
	first, second *countingBackend
	sent          int
}

// post sends requests over both versions of HTTP, and returns how many of them
// reached each node.
func (n *proxyNodes) post(t *testing.T, times int, do string, status int) (first, second int) {
	t.Helper()
	for i := range times {
		n.sent++
		name := fmt.Sprint("request-", n.sent)
		client := n.p.Client(t, i%4 < 2, "", onceHeader(name, do))
		res := n.p.Send(t, client, http.MethodPost, "/api/v1/secret/x", apitest.TypeForm, strings.NewReader("continue=true"))
		client.CloseIdleConnections()
		if res.Status != status {
			t.Errorf("%s: %s %s: got status %d, want %d", n.p.Recipe.Program, name, do, res.Status, status)
		}
		first += n.first.count(name)
		second += n.second.count(name)
		if got := n.first.count(name) + n.second.count(name); got != 1 {
			t.Errorf("%s: %s %s: got %d requests at the nodes, want 1", n.p.Recipe.Program, name, do, got)
		}
	}
	return first, second
}
