package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/seal"
	"hush/seal/endtoend"
	"hush/seal/request"
	"hush/server/servertest"
	"hush/testtier"
)

// Of a request the service never has the secret of a link, or what is written in card and
// answer: its memory, its log, its files and all that goes over the wire are searched for
// them while it serves every call of a request, and the lists of the account. The keys
// that it makes itself are found in its memory, so the search works, and not in its files:
// that of an answer rests sealed until the key of the collect link opens it.
func TestMemoryHoldsNothingOfRequests(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "searches the memory of a process")
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--log-level=debug")
	token := servertest.Operator{T: t, Data: p.Data}.Account("asker@example.com")
	memory := memoryOf(t, p.Cmd.Process.Pid)
	r := newRequester(t, p.URL, token)
	for i := range 5 {
		r.live(i)
		wantNone(t, "memory while answers wait", searchMemory(t, memory(), r.hidden))
	}
	if found := searchMemory(t, memory(), r.keys); len(found) == 0 {
		t.Error("memory: got none of the keys that the service made, want some, or the search does not work")
	}
	wantNone(t, "memory", searchMemory(t, memory(), r.hidden))
	wantNone(t, "the wire", searchMemory(t, bytes.NewReader(r.wire.all.Bytes()), r.hidden))
	for _, values := range []map[string]string{r.hidden, r.keys} {
		wantNone(t, "the log", searchMemory(t, strings.NewReader(p.Log.String()), values))
		wantNone(t, "the data folder", searchMemory(t, bytes.NewReader(servertest.ReadFolder(t, p.Data)), values))
	}
}

// requester asks, answers and collects as devices do, and keeps what the service must not
// have, and the keys that the service makes.
type requester struct {
	t            *testing.T
	hidden, keys map[string]string
	wire         wire

	requests, owned hushv1connect.RequestServiceClient // without an account, and with the requester's
	secrets         hushv1connect.SecretServiceClient
	receipts        hushv1connect.MetadataServiceClient
	accounts        hushv1connect.AccountServiceClient
}

func newRequester(t *testing.T, url, token string) *requester {
	t.Helper()
	r := &requester{t: t, hidden: map[string]string{}, keys: map[string]string{}}
	plain := connect.WithAcceptCompression("gzip", nil, nil) // so that the wire can be searched
	none, own := r.wire.client(t, nil), r.wire.client(t, apitest.Bearer(token))
	r.requests, r.owned = hushv1connect.NewRequestServiceClient(none, url, plain), hushv1connect.NewRequestServiceClient(own, url, plain)
	r.secrets, r.receipts = hushv1connect.NewSecretServiceClient(none, url, plain), hushv1connect.NewMetadataServiceClient(none, url, plain)
	r.accounts = hushv1connect.NewAccountServiceClient(own, url, plain)
	return r
}

// wire is what was sent and received.
type wire struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(b)
}

// client returns a client whose messages are kept.
func (w *wire) client(t *testing.T, header http.Header) *http.Client {
	t.Helper()
	client := servertest.HTTPClient(t, false, header)
	next := client.Transport
	client.Transport = apitest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		fmt.Fprintln(w, req.URL, req.Header)
		if req.Body != nil {
			req.Body = teed{io.TeeReader(req.Body, w), req.Body}
		}
		res, err := next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(w, res.Header)
		res.Body = teed{io.TeeReader(res.Body, w), res.Body}
		return res, nil
	})
	return client
}

type teed struct {
	io.Reader
	io.Closer
}

// asked is a request as its requester has it.
type asked struct {
	*hushv1.CreateRequestResponse

	collector    request.Collector
	card         *request.Asked
	link         endtoend.Proof
	collectProof endtoend.Proof
}

// ask creates a request with canaries in its card.
func (r *requester) ask(i int) *asked {
	r.t.Helper()
	c := endtoend.NewLinkSecret()
	title, note := "title "+rand.Text(), "note "+rand.Text()
	a := &asked{collector: request.NewCollector(c)}
	a.collectProof = a.collector.Proof()
	var err error
	a.card, err = a.collector.Ask(request.Card{
		Title: title, Note: note, Kinds: []endtoend.Kind{endtoend.KindText, endtoend.KindFile}, Answers: 3,
		Latest: time.Now().Add(time.Hour).Truncate(time.Second),
	})
	r.must(err)
	a.link = request.LinkProof(a.card.Secret())
	card, err := a.card.Seal()
	r.must(err)
	box, err := a.collector.SealLink(a.card.Secret())
	r.must(err)
	linkHash, collectHash := a.link.Hash(), a.collectProof.Hash()
	a.CreateRequestResponse, err = r.owned.CreateRequest(r.t.Context(), &hushv1.CreateRequestRequest{
		Card: card, LinkBox: box, LinkProofHash: linkHash[:], CollectProofHash: collectHash[:], Ttl: durationpb.New(time.Hour), Answers: 3,
	})
	r.must(err)
	r.hidden[fmt.Sprintf("title %d", i)], r.hidden[fmt.Sprintf("note %d", i)] = title, note
	r.hide("C", c, i)
	r.hide("R", a.card.Secret(), i)
	r.keys[fmt.Sprintf("request key %d", i)], r.keys[fmt.Sprintf("collect key %d", i)] = a.GetRequestKey(), a.GetCollectKey()
	return a
}

// hide adds the secret of a link as it is written, and its bytes.
func (r *requester) hide(name string, secret endtoend.LinkSecret, i int) {
	r.t.Helper()
	token := seal.NewToken(time.Now())
	kept := map[string]string{}
	hideLinkSecret(r.t, kept, endtoend.Link{Key: token, Secret: secret}.Expose()[len(token.Expose()):], i)
	for what, value := range kept {
		r.hidden[name+", "+what] = value
	}
}

// answer answers with a file and a passphrase, twice the same.
func (r *requester) answer(a *asked, i int) (passphrase, text string) {
	r.t.Helper()
	k := endtoend.NewLinkSecret()
	passphrase, text = "passphrase "+rand.Text(), "answer text "+rand.Text()
	name := "name-" + rand.Text()
	keys, err := endtoend.Derive(k, passphrase)
	r.must(err)
	var content bytes.Buffer
	r.must(keys.Seal(&content, endtoend.Header{Kind: endtoend.KindFile, FileName: name, Size: uint64(len(text))}, strings.NewReader(text)))
	number := request.NewNumber()
	shown, err := r.requests.GetRequest(r.t.Context(), &hushv1.GetRequestRequest{RequestKey: a.GetRequestKey(), LinkProof: a.link[:]})
	r.must(err)
	card, err := request.Open(a.card.Secret(), shown.GetCard())
	r.must(err)
	sealed, err := card.SealAnswer(number, request.Answer{Secret: k, Name: name})
	r.must(err)
	linkProof, proof := keys.LinkProof(), keys.Proof()
	linkHash, hash := linkProof.Hash(), proof.Hash()
	for range 2 {
		sent, err := r.requests.AnswerRequest(r.t.Context(), &hushv1.AnswerRequestRequest{
			RequestKey: a.GetRequestKey(), LinkProof: a.link[:], Number: number[:], SealedLink: sealed,
			Sealed: &hushv1.Sealed{Content: content.Bytes(), LinkProofHash: linkHash[:], ProofHash: hash[:], HasPassphrase: true},
		})
		r.must(err)
		_, err = r.receipts.GetMetadata(r.t.Context(), &hushv1.GetMetadataRequest{MetadataKey: sent.GetMetadata().GetMetadataKey()})
		r.must(err)
	}
	r.hidden[fmt.Sprintf("text %d", i)], r.hidden[fmt.Sprintf("passphrase %d", i)], r.hidden[fmt.Sprintf("name %d", i)] = text, passphrase, name
	r.hide("K", k, i)
	return passphrase, text
}

// live makes every call of a request once, and leaves an answer that waits.
func (r *requester) live(i int) {
	r.t.Helper()
	ctx, a := r.t.Context(), r.ask(i)
	passphrase, text := r.answer(a, 2*i)
	r.answer(a, 2*i+1)
	stream, err := r.requests.WatchCollection(ctx, &hushv1.WatchCollectionRequest{CollectKey: a.GetCollectKey(), CollectProof: a.collectProof[:]})
	r.must(err)
	if !stream.Receive() {
		r.t.Fatalf("WatchCollection: got %v, want a collection", stream.Err())
	}
	r.must(stream.Close())
	got, err := r.requests.GetCollection(ctx, &hushv1.GetCollectionRequest{CollectKey: a.GetCollectKey(), CollectProof: a.collectProof[:]})
	r.must(err)
	card, err := a.collector.Open(got.GetCollection().GetLinkBox(), got.GetCollection().GetCard())
	r.must(err)
	shown := got.GetCollection().GetAnswers()
	for n, one := range shown {
		r.keys[fmt.Sprintf("key of answer %d %d", i, n)] = one.GetSecretKey()
	}
	r.open(a, card, shown[0], passphrase, text)
	_, err = r.requests.BurnAnswer(ctx, &hushv1.BurnAnswerRequest{CollectKey: a.GetCollectKey(), CollectProof: a.collectProof[:], Number: shown[0].GetNumber()})
	if connect.CodeOf(err) != connect.CodeNotFound {
		r.t.Errorf("BurnAnswer(opened): got %v, want not found", err)
	}
	_, err = r.owned.ListRequests(ctx, &hushv1.ListRequestsRequest{})
	r.must(err)
	exported, err := r.accounts.ExportAccount(ctx, &hushv1.ExportAccountRequest{})
	r.must(err)
	if len(exported.GetRequests()) != i+1 {
		r.t.Errorf("ExportAccount: got %d requests, want %d", len(exported.GetRequests()), i+1)
	}
	_, err = r.owned.CloseRequest(ctx, &hushv1.CloseRequestRequest{Id: a.GetRequest().GetId()})
	r.must(err)
}

// open opens an answer with a claim, and confirms it.
func (r *requester) open(a *asked, card *request.Asked, shown *hushv1.Answer, passphrase, text string) {
	r.t.Helper()
	opened, err := a.collector.OpenAnswer(card, request.Number(shown.GetNumber()), shown.GetSealedLink())
	r.must(err)
	keys, err := endtoend.Derive(opened.Secret, passphrase)
	r.must(err)
	linkProof, proof, claim := keys.LinkProof(), keys.Proof(), make([]byte, 32)
	_, _ = rand.Read(claim)
	got, err := r.secrets.RevealSecret(r.t.Context(), &hushv1.RevealSecretRequest{
		SecretKey: shown.GetSecretKey(), LinkProof: linkProof[:], Proof: proof[:], CollectProof: a.collectProof[:], Claim: claim,
	})
	r.must(err)
	content, err := keys.Open(bytes.NewReader(got.GetContent()))
	r.must(err)
	if plain, err := io.ReadAll(content); err != nil || string(plain) != text {
		r.t.Errorf("the answer: got %d bytes, %v, want its text", len(plain), err)
	}
	_, err = r.secrets.AcknowledgeReveal(r.t.Context(), &hushv1.AcknowledgeRevealRequest{SecretKey: shown.GetSecretKey(), Claim: claim})
	r.must(err)
}

func (r *requester) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("a call: got %v, want nil", err)
	}
}
