package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// TestBrowserOnFailingNodes: the browser's tests go through the balancer too. A
// test whose page lost an answer is begun anew, as people do who load a page
// again; the tests leave nothing behind that keeps them from that.
func TestBrowserOnFailingNodes(t *testing.T) {
	testtier.Full(t, "kills nodes at random")
	servertest.NeedPostgres(t)
	tools := findBrowserTools(t)
	dns := resolvertest.New(t)
	mails := mailtest.NewWith(t, mailtest.Options{NoTLS: true})
	env := &servertest.Env{}
	f := servertest.StartFleet(t, func(url string) string {
		root, err := env.FillDatabase(url)
		key := filepath.Join(t.TempDir(), "root.key")
		if err := errors.Join(err, os.WriteFile(key, root.Text(), 0o400)); err != nil {
			t.Fatalf("making accounts: got %v, want nil", err)
		}
		return key
	}, "--smtp-host", mails.Addr, "--smtp-tls=none", "--mail-from=Hush <no-reply@hush.example>", "--sign-up=open", "--resolver", dns.Addr)
	client := servertest.HTTPClient(t, false, nil)
	for _, one := range []apitest.Account{env.Ada, env.Cleo} {
		body := fmt.Sprintf(`{"address":%q,"password":%q}`, one.Address, apitest.Password)
		apitest.Call(t, client, f.Balancer.URL, "/hush.v1.SessionService/CreateSession", nil, body).OK(t, "sign-in")
	}
	// The longest test takes half a minute where all others run beside it, and a
	// click that fails costs as much. It must get through between two faults.
	f.Pause, f.Victims = 12*time.Second, []int{0, 0, 1, 0, 0, 2}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var disturbing sync.WaitGroup
	faults := 0
	disturbing.Go(func() { faults = f.Disturb(ctx, math.MaxInt) })
	runBrowser(t, tools, env, browserEnvironment{URL: f.Balancer.URL, Failing: true}, browserServices(mails, dns),
		append(browserCalls(), "--retries", "7", "--timeout", "120000")...)
	cancel()
	disturbing.Wait()
	t.Logf("%d faults%s", faults, f.Logged())
}

// browserCalls returns the browser's tests that call the service. What pages
// weigh and how they look does not depend on its store or its nodes.
func browserCalls() []string {
	return []string{"account.spec", "colonel.spec", "domain.spec", "noscript.spec", "open.spec", "open-answers.spec", "open-endtoend.spec", "open-links.spec", "share.spec"}
}
