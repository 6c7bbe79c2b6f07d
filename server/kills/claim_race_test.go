package kills_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/seal/endtoend"
	"hush/server/servertest"
	"hush/testtier"
)

// Thirty-two recipients of one link press the button at the same moment. Their
// connections break in the middle of answers, and the service is killed and
// started again. Each asks again with its claim. Of each secret exactly one of
// them gets the content, and it gets it: none is lost, and after it confirmed
// no one gets it again.
func TestClaimsSurviveCuts(t *testing.T) {
	t.Parallel()
	const readers, lanes = 32, 4
	secrets := servertest.Fewer(servertest.InTier(30, 1000))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	path, data := servertest.Build(t), filepath.Join(t.TempDir(), "data")
	proxy := servertest.StartCutter(t, seed)
	p := servertest.StartProcess(t, path, data, "--rate-limits=off")
	proxy.To(p.Addr)
	kept := concealKinds(t, p.Server, secrets)
	restarts := make(chan int)
	done := make(chan struct{})
	race := &claimRace{clients: claimClients(t, proxy.URL)}
	go func() { restarts <- killAgain(t, p, proxy, path, done, race.killTimes(secrets, seed)) }()
	var next atomic.Int64
	var lane sync.WaitGroup
	for range lanes {
		lane.Go(func() {
			for i := int(next.Add(1)) - 1; i < secrets; i = int(next.Add(1)) - 1 {
				race.run(t, kept[i], readers)
			}
		})
	}
	lane.Wait()
	close(done)
	t.Logf("%d secrets, %d readers each: %d delivered, %d calls, %d of them repeats after a broken connection; %d connections cut, %d kills",
		secrets, readers, race.delivered.Load(), race.calls.Load(), race.repeats.Load(), proxy.Cuts.Load(), <-restarts)
	if got := int(race.delivered.Load()); got != secrets {
		t.Errorf("got %d contents delivered, want %d", got, secrets)
	}
}

// killTimes returns what waits for the next kill: every second or so, or, in "make
// check", after a third and two thirds of the secrets.
func (r *claimRace) killTimes(secrets int, seed uint64) func(kills int) <-chan time.Time {
	random := mathrand.New(mathrand.NewPCG(seed, 2))
	return func(kills int) <-chan time.Time {
		if testtier.IsFull() {
			return time.After(time.Duration(random.Int64N(int64(2 * time.Second))))
		}
		due := make(chan time.Time, 1)
		r.mu.Lock()
		defer r.mu.Unlock()
		if kills < 2 {
			r.at, r.due = int64((kills+1)*secrets/3), due
		}
		return due
	}
}

// deliver counts a content that arrived.
func (r *claimRace) deliver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.delivered.Add(1); r.due != nil && n >= r.at {
		r.due <- time.Now()
		r.due = nil
	}
}

// killAgain kills the service whenever next says so and starts it again, until done.
func killAgain(t *testing.T, p *servertest.Process, proxy *servertest.Cutter, path string, done <-chan struct{}, next func(kills int) <-chan time.Time) (kills int) {
	for {
		select {
		case <-done:
			p.Kill(t)
			return kills
		case <-next(kills):
		}
		p.Kill(t)
		kills++
		p = servertest.StartProcess(t, path, p.Data, "--rate-limits=off")
		proxy.To(p.Addr)
	}
}

// keptKind is a secret of some kind that waits.
type keptKind struct {
	number  int
	key     string
	receipt string
	proofs  *hushv1.RevealSecretRequest // what opens it, besides a claim
	want    []byte                      // text, or sealed content
}

// concealKinds conceals secrets of both kinds. None has a passphrase: each call
// would use up a try, and 32 readers have fewer.
func concealKinds(t *testing.T, s *servertest.Server, secrets int) []keptKind {
	t.Helper()
	client := hushv1connect.NewSecretServiceClient(servertest.HTTPClient(t, false, nil), s.URL)
	kept := make([]keptKind, secrets)
	for i := range kept {
		req, k := draftKind(t, i)
		res, err := client.ConcealSecret(t.Context(), req)
		if err != nil {
			t.Fatalf("ConcealSecret(%d): got %v, want nil", i, err)
		}
		k.key, k.receipt = res.GetSecret().GetSecretKey(), res.GetMetadata().GetMetadataKey()
		k.proofs.SecretKey = k.key
		kept[i] = k
	}
	return kept
}

// draftKind returns the request for secret i and what opens it.
func draftKind(t *testing.T, i int) (*hushv1.ConcealSecretRequest, keptKind) {
	t.Helper()
	text := raceText(i)
	if i%3 == 0 {
		return &hushv1.ConcealSecretRequest{Secret: text}, keptKind{number: i, proofs: &hushv1.RevealSecretRequest{}, want: []byte(text)}
	}
	keys, err := endtoend.Derive(endtoend.NewLinkSecret(), "")
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	header := endtoend.Header{Kind: endtoend.KindText, Size: uint64(len(text))}
	if err := keys.Seal(&content, header, bytes.NewReader([]byte(text))); err != nil {
		t.Fatal(err)
	}
	linkProof, proof := keys.LinkProof(), keys.Proof()
	linkHash, hash := linkProof.Hash(), proof.Hash()
	return &hushv1.ConcealSecretRequest{Sealed: &hushv1.Sealed{
			Content: content.Bytes(), LinkProofHash: linkHash[:], ProofHash: hash[:],
		}}, keptKind{
			number: i, proofs: &hushv1.RevealSecretRequest{LinkProof: linkProof[:], Proof: proof[:]}, want: content.Bytes(),
		}
}

// claimClients returns a client for each protocol.
func claimClients(t *testing.T, url string) []hushv1connect.SecretServiceClient {
	t.Helper()
	return []hushv1connect.SecretServiceClient{
		hushv1connect.NewSecretServiceClient(servertest.HTTPClient(t, false, nil), url, apitest.ConnectJSON()...),
		hushv1connect.NewSecretServiceClient(servertest.HTTPClient(t, false, nil), url, apitest.ConnectProto()...),
		hushv1connect.NewSecretServiceClient(servertest.HTTPClient(t, false, nil), url, apitest.GRPCWeb()...),
		hushv1connect.NewSecretServiceClient(servertest.HTTPClient(t, true, nil), url, apitest.GRPCProto()...),
	}
}

// claimRace counts what readers got.
type claimRace struct {
	clients                   []hushv1connect.SecretServiceClient
	delivered, calls, repeats atomic.Int64

	mu  sync.Mutex
	due chan<- time.Time // gets a value once so many were delivered
	at  int64
}

// run lets readers go for one secret together. The one who gets it confirms, and
// then gets nothing more.
func (r *claimRace) run(t *testing.T, k keptKind, readers int) {
	claims, got := make([][]byte, readers), make([][]byte, readers)
	var wait sync.WaitGroup
	for reader := range readers {
		claims[reader] = make([]byte, 32)
		_, _ = rand.Read(claims[reader])
		wait.Go(func() { got[reader] = r.read(t, k, reader, claims[reader]) })
	}
	wait.Wait()
	winner, winners := -1, 0
	for reader, content := range got {
		if content == nil {
			continue
		}
		winner, winners = reader, winners+1
		if !bytes.Equal(content, k.want) {
			t.Errorf("secret %d: got %d other bytes, want the content", k.number, len(content))
		}
	}
	if winners != 1 {
		t.Errorf("secret %d: got %d readers with the content, want 1", k.number, winners)
		return
	}
	r.deliver()
	r.insist(t, k, winner, "AcknowledgeReveal", func(ctx context.Context, c hushv1connect.SecretServiceClient) error {
		_, err := c.AcknowledgeReveal(ctx, &hushv1.AcknowledgeRevealRequest{SecretKey: k.key, Claim: claims[winner]})
		return err
	})
	if content := r.read(t, k, winner, claims[winner]); content != nil {
		t.Errorf("secret %d: got the content again after it was confirmed, want none", k.number)
	}
}

// read asks for a secret until the answer is definite: the content, or nil if
// another reader has it.
func (r *claimRace) read(t *testing.T, k keptKind, reader int, claim []byte) (content []byte) {
	req := &hushv1.RevealSecretRequest{SecretKey: k.key, LinkProof: k.proofs.GetLinkProof(), Proof: k.proofs.GetProof(), Claim: claim}
	r.insist(t, k, reader, "RevealSecret", func(ctx context.Context, c hushv1connect.SecretServiceClient) error {
		res, err := c.RevealSecret(ctx, req)
		if err != nil {
			return err
		}
		if content = res.GetContent(); len(content) == 0 {
			content = []byte(res.GetValue())
		}
		return nil
	})
	return content
}

// insist repeats a call until it succeeds or the secret is unknown.
func (r *claimRace) insist(t *testing.T, k keptKind, reader int, name string, call func(context.Context, hushv1connect.SecretServiceClient) error) {
	client := r.clients[(k.number+reader)%len(r.clients)]
	for try := range 400 {
		r.calls.Add(1)
		ctx, cancel := context.WithTimeout(t.Context(), apitest.Patience)
		err := call(ctx, client)
		cancel()
		if err == nil || connect.CodeOf(err) == connect.CodeNotFound && isAnswer(err) {
			return
		}
		if !isBroken(err) {
			t.Errorf("secret %d, reader %d, %s, try %d: got %v, want an answer or a broken connection", k.number, reader, name, try, err)
			return
		}
		r.repeats.Add(1)
		time.Sleep(time.Duration(5+mathrand.IntN(20*(min(try, 9)+1))) * time.Millisecond)
	}
	t.Errorf("secret %d, reader %d, %s: got no answer, want one", k.number, reader, name)
}

// isAnswer reports whether the service sent an error, as a whole.
func isAnswer(err error) bool {
	return connect.IsWireError(err)
}

// isBroken reports whether an error leaves open what the service did.
func isBroken(err error) bool {
	if !isAnswer(err) {
		return true
	}
	switch connect.CodeOf(err) {
	case connect.CodeUnavailable, connect.CodeInternal, connect.CodeUnknown, connect.CodeDeadlineExceeded, connect.CodeCanceled, connect.CodeAborted:
		return true
	default:
		return errors.Is(err, context.DeadlineExceeded)
	}
}
