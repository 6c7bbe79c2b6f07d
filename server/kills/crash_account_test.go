package kills_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/server/datafolder"
	"hush/server/servertest"
	"hush/testtier"
)

var accountCrashCycles = flag.Int("crash.accountcycles", 5, "how often TestCrashOfAccounts kills the server")

// The power fails while accounts and tokens come and go and secrets are shared
// with them. After it, who signed up can sign in, a token that was answered
// works and one that was revoked does not, and what was shared is listed and
// opens once.
func TestCrashOfAccounts(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "kills the service at random")
	const clients = 4
	cycles := *accountCrashCycles
	path, data := servertest.Build(t), filepath.Join(t.TempDir(), "data")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var ledgers []*accountLedger
	for client := range clients {
		ledgers = append(ledgers, &accountLedger{client: client, random: rand.New(rand.NewPCG(seed, uint64(client)+1))})
	}
	for cycle := range cycles {
		loadAccounts(t, path, data, ledgers, random)
		recheckAccounts(t, path, data, ledgers, cycle, cycle == cycles-1)
		if t.Failed() {
			t.Fatalf("crash %d: got a broken promise, want none; seed %d", cycle+1, seed)
		}
	}
	var accounts, tokens, secrets int
	for _, l := range ledgers {
		accounts += len(l.accounts)
		for _, a := range l.accounts {
			tokens, secrets = tokens+len(a.tokens), secrets+a.secrets.number
		}
	}
	t.Logf("%d crashes, %d accounts, %d tokens, %d secrets", cycles, accounts, tokens, secrets)
	if accounts == 0 || tokens == 0 || secrets == 0 {
		t.Errorf("load: got %d accounts, %d tokens and %d secrets, want some of each", accounts, tokens, secrets)
	}
}

// accountServer is what clients of one life of the server use.
type accountServer struct {
	*servertest.Server
	client *http.Client
	admin  adminv1connect.AdminServiceClient
}

func startAccountServer(t *testing.T, path, folder string, flags ...string) (*servertest.Process, *accountServer) {
	t.Helper()
	p := servertest.StartProcess(t, path, folder, append(flags, "--rate-limits=off", "--sign-up=open", "--log-level=error")...)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return datafolder.DialAdmin(ctx, folder) }}
	t.Cleanup(transport.CloseIdleConnections)
	return p, &accountServer{
		Server: p.Server, client: servertest.HTTPClient(t, false, nil),
		admin: adminv1connect.NewAdminServiceClient(&http.Client{Transport: transport}, "http://hush"),
	}
}

// with is a client that sends a header with every request.
func (s *accountServer) with(header http.Header) *http.Client {
	return &http.Client{Transport: apitest.WithHeaders(s.client.Transport, header), CheckRedirect: apitest.RefuseRedirect}
}

// drivers conceal and reveal as an account.
func (s *accountServer) drivers(a *ledgerAccount) []apitest.Driver {
	basic := s.with(apitest.Basic(a.address, a.listing))
	return []apitest.Driver{
		apitest.NewV1Driver("v1 with Basic auth", basic, s.URL),
		apitest.NewV2Driver("v2 with Basic auth", basic, s.URL),
		apitest.NewRPCDriver("connect-proto with a token", s.with(apitest.Bearer(a.listing)), s.URL, apitest.ConnectProto()...),
	}
}

func (s *accountServer) accounts(header http.Header) hushv1connect.AccountServiceClient {
	return hushv1connect.NewAccountServiceClient(s.with(header), s.URL)
}

// authcheck returns an error unless a token is valid.
func (s *accountServer) authcheck(ctx context.Context, token string) error {
	client := hushv1connect.NewSessionServiceClient(s.with(apitest.Bearer(token)), s.URL)
	_, err := client.Authcheck(ctx, &hushv1.AuthcheckRequest{})
	return err
}

func loadAccounts(t *testing.T, path, data string, ledgers []*accountLedger, random *rand.Rand) {
	t.Helper()
	p, s := startAccountServer(t, path, data)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	timer := time.AfterFunc(200*time.Millisecond+time.Duration(random.Int64N(int64(400*time.Millisecond))), func() {
		_ = p.Cmd.Process.Kill()
	})
	defer timer.Stop()
	var wait sync.WaitGroup
	for _, l := range ledgers {
		wait.Go(func() {
			for ctx.Err() == nil && l.step(ctx, s) {
				continue
			}
		})
	}
	wait.Wait()
	<-p.Exit
}

func recheckAccounts(t *testing.T, path, data string, ledgers []*accountLedger, cycle int, last bool) {
	t.Helper()
	p, s := startAccountServer(t, path, data)
	var wait sync.WaitGroup
	for _, l := range ledgers {
		wait.Go(func() { l.check(t, s, cycle, last) })
	}
	wait.Wait()
	p.Kill(t)
}
