package handlers_test

import (
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers/chain"
	"hush/seal/endtoend"
	devices "hush/seal/request"
	"hush/vault/caller"
	"hush/vault/request"
	"hush/vault/vaulttest"
)

// askRequest makes what a requester's device sends, and what it keeps.
func (s *testServer) askRequest(t *testing.T, answers int) (*vaulttest.Asked, *hushv1.CreateRequestRequest) {
	t.Helper()
	a, terms := vaulttest.AskTerms(t, s.kit, answers)
	return a, &hushv1.CreateRequestRequest{
		Card: []byte(terms.Card), LinkBox: []byte(terms.LinkBox), LinkProofHash: []byte(terms.LinkProofHash),
		CollectProofHash: []byte(terms.CollectProofHash), Ttl: durationpb.New(terms.TTL), Answers: int32(answers),
	}
}

// sendAnswer makes what a responder's device sends.
func sendAnswer(t *testing.T, a *vaulttest.Asked, key string) *hushv1.AnswerRequestRequest {
	t.Helper()
	made := a.MakeAnswer(t, vaulttest.Plaintext, "")
	proof := devices.LinkProof(a.Link)
	return &hushv1.AnswerRequestRequest{
		RequestKey: key, LinkProof: proof[:], Number: made.Number[:], SealedLink: []byte(made.SealedLink), Sealed: &hushv1.Sealed{
			Content: []byte(made.Content.Content), LinkProofHash: []byte(made.Content.LinkProofHash), ProofHash: []byte(made.Content.ProofHash),
		},
	}
}

// openAnswer opens an answer as the requester's device does.
func openAnswer(t *testing.T, secrets hushv1connect.SecretServiceClient, a *vaulttest.Asked, shown *hushv1.Answer) string {
	t.Helper()
	link, err := a.Collector.OpenAnswer(a.Card, devices.Number(shown.GetNumber()), shown.GetSealedLink())
	vaulttest.Want(t, "OpenAnswer(sealed link)", err, nil)
	keys, err := endtoend.Derive(link.Secret, "")
	vaulttest.Want(t, "Derive()", err, nil)
	req := proved(shown.GetSecretKey(), keys)
	if _, err := secrets.RevealSecret(t.Context(), req); reasonOf(t, err) != hushv1.Refusal_REASON_LINK {
		t.Errorf("RevealSecret(without collect proof): got %v, want REASON_LINK", err)
	}
	proof := a.Collector.Proof()
	req.CollectProof = proof[:]
	revealed, err := secrets.RevealSecret(t.Context(), req)
	if err != nil {
		t.Fatalf("RevealSecret(answer): got %v, want no error", err)
	}
	return vaulttest.MustOpen(t, keys, caller.Text(revealed.GetContent()))
}

// A request goes over the wire from its creation to its end.
func TestRequests(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false)
	owner := hushv1connect.NewRequestServiceClient(s.client(b), s.url)
	others := hushv1connect.NewRequestServiceClient(s.client(&browser{}), s.url)
	secrets := hushv1connect.NewSecretServiceClient(s.client(&browser{}), s.url)
	a, create := s.askRequest(t, 3)
	if _, err := others.CreateRequest(t.Context(), create); reasonOf(t, err) != hushv1.Refusal_REASON_POLICY {
		t.Errorf("CreateRequest(no account): got %v, want REASON_POLICY", err)
	}
	created, err := owner.CreateRequest(t.Context(), create)
	if err != nil {
		t.Fatalf("CreateRequest: got %v, want no error", err)
	}
	if r := created.GetRequest(); r.GetState() != hushv1.Request_STATE_OPEN || r.GetId() == "" || r.GetTtlLeft().AsDuration() != 24*time.Hour {
		t.Errorf("CreateRequest: got %v, want an open request with its id", r)
	}
	proof, collect := devices.LinkProof(a.Link), a.Collector.Proof()
	shown, err := others.GetRequest(t.Context(), &hushv1.GetRequestRequest{RequestKey: created.GetRequestKey(), LinkProof: proof[:]})
	if err != nil || string(shown.GetCard()) != string(create.GetCard()) || shown.GetRequest().GetId() != "" || !shown.GetRequest().GetForgetTime().AsTime().Equal(created.GetRequest().GetForgetTime().AsTime()) {
		t.Errorf("GetRequest: got %v and %v, want the card, and nothing of answers", shown.GetRequest(), err)
	}
	stream, err := others.WatchCollection(t.Context(), &hushv1.WatchCollectionRequest{CollectKey: created.GetCollectKey(), CollectProof: collect[:]})
	if err != nil {
		t.Fatalf("WatchCollection: got %v, want no error", err)
	}
	next := func(what string, waiting int32) *hushv1.Collection {
		t.Helper()
		for stream.Receive() {
			if c := stream.Msg().GetCollection(); c.GetRequest().GetWaiting() == waiting && c != nil {
				return c
			}
		}
		t.Fatalf("WatchCollection(%s): got %v, want a collection", what, stream.Err())
		return nil
	}
	next("at first", 0)
	answer := sendAnswer(t, a, created.GetRequestKey())
	sent, err := others.AnswerRequest(t.Context(), answer)
	if err != nil || sent.GetMetadata().GetSecretKey() != "" || sent.GetMetadata().GetMetadataKey() == "" {
		t.Fatalf("AnswerRequest: got %v and %v, want a receipt without a key", sent, err)
	}
	again, err := others.AnswerRequest(t.Context(), answer)
	if err != nil || again.GetMetadata().GetMetadataKey() != sent.GetMetadata().GetMetadataKey() {
		t.Errorf("AnswerRequest(again): got %v and %v, want the same receipt", again, err)
	}
	other, ok := proto.Clone(answer).(*hushv1.AnswerRequestRequest)
	vaulttest.Want(t, "Clone(answer)", ok, true)
	other.SealedLink[0] ^= 1
	if _, err := others.AnswerRequest(t.Context(), other); connect.CodeOf(err) != connect.CodeAlreadyExists || reasonOf(t, err) != hushv1.Refusal_REASON_DUPLICATE {
		t.Errorf("AnswerRequest(same number): got %v, want REASON_DUPLICATE", err)
	}
	vaulttest.Want(t, "text of the answer", openAnswer(t, secrets, a, next("answered", 1).GetAnswers()[0]), vaulttest.Plaintext)
	opened := next("opened", 0).GetAnswers()[0]
	if opened.GetState() != hushv1.State_STATE_RECEIVED || opened.GetSecretKey() != "" || len(opened.GetSealedLink()) > 0 {
		t.Errorf("WatchCollection(opened): got %v, want nothing that opens it", opened)
	}
	second := sendAnswer(t, a, created.GetRequestKey())
	if _, err := others.AnswerRequest(t.Context(), second); err != nil {
		t.Fatalf("AnswerRequest(second): got %v, want no error", err)
	}
	burned, err := others.BurnAnswer(t.Context(), &hushv1.BurnAnswerRequest{CollectKey: created.GetCollectKey(), CollectProof: collect[:], Number: second.GetNumber()})
	if err != nil || burned.GetCollection().GetAnswers()[1].GetState() != hushv1.State_STATE_BURNED {
		t.Errorf("BurnAnswer: got %v and %v, want it burned", burned, err)
	}
	list, err := owner.ListRequests(t.Context(), &hushv1.ListRequestsRequest{})
	if err != nil || len(list.GetRequests()) != 1 || list.GetRequests()[0].GetAnswered() != 2 {
		t.Fatalf("ListRequests: got %v and %v, want the request with two answers", list, err)
	}
	closed, err := owner.CloseRequest(t.Context(), &hushv1.CloseRequestRequest{Id: list.GetRequests()[0].GetId(), BurnAnswers: true})
	if err != nil || closed.GetRequest().GetState() != hushv1.Request_STATE_CLOSED || closed.GetBurned() != 0 {
		t.Errorf("CloseRequest: got %v and %v, want it closed", closed, err)
	}
	if _, err := others.AnswerRequest(t.Context(), sendAnswer(t, a, created.GetRequestKey())); reasonOf(t, err) != hushv1.Refusal_REASON_REQUEST_ENDED {
		t.Errorf("AnswerRequest(closed): got %v, want REASON_REQUEST_ENDED", err)
	}
	if _, err := others.GetCollection(t.Context(), &hushv1.GetCollectionRequest{CollectKey: created.GetCollectKey(), CollectProof: proof[:]}); reasonOf(t, err) != hushv1.Refusal_REASON_LINK {
		t.Errorf("GetCollection(proof of the other link): got %v, want REASON_LINK", err)
	}
}

// GetPolicy says who may ask.
func TestPolicyOfRequests(t *testing.T) {
	t.Parallel()
	for want, policy := range map[hushv1.Requests]caller.Policy{
		hushv1.Requests_REQUESTS_ACCOUNTS: {}, hushv1.Requests_REQUESTS_ANYONE: {Requests: caller.RequestsAnyone},
		hushv1.Requests_REQUESTS_OFF: {Requests: caller.RequestsAnyone, Kinds: caller.KindsServer},
	} {
		s := newTestServer(t, vaulttest.Options{Policy: policy}, nil)
		got, err := hushv1connect.NewSystemServiceClient(s.client(&browser{}), s.url).GetPolicy(t.Context(), &hushv1.GetPolicyRequest{})
		if err != nil || got.GetRequests() != want {
			t.Errorf("GetPolicy().Requests: got %v and %v, want %v", got.GetRequests(), err, want)
		}
	}
}

// A collection of as many answers as a request can have fits a message with much room, and
// a caller may have no more watches of collections open than of receipts.
func TestFullCollections(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false)
	owner := hushv1connect.NewRequestServiceClient(s.client(b), s.url)
	others := hushv1connect.NewRequestServiceClient(s.client(&browser{}), s.url)
	a, create := s.askRequest(t, request.AnswersMost)
	created, err := owner.CreateRequest(t.Context(), create)
	if err != nil {
		t.Fatalf("CreateRequest: got %v, want no error", err)
	}
	for range request.AnswersMost {
		if _, err := others.AnswerRequest(t.Context(), sendAnswer(t, a, created.GetRequestKey())); err != nil {
			t.Fatalf("AnswerRequest: got %v, want no error", err)
		}
	}
	collect := a.Collector.Proof()
	got, err := others.GetCollection(t.Context(), &hushv1.GetCollectionRequest{CollectKey: created.GetCollectKey(), CollectProof: collect[:]})
	if err != nil || len(got.GetCollection().GetAnswers()) != request.AnswersMost {
		t.Fatalf("GetCollection: got %d answers, %v, want %d", len(got.GetCollection().GetAnswers()), err, request.AnswersMost)
	}
	if size := proto.Size(got); size > 200<<10 {
		t.Errorf("GetCollection: got %d bytes, want at most 200 KiB", size)
	}
	for n := range chain.StreamsMost + 1 {
		stream, err := others.WatchCollection(t.Context(), &hushv1.WatchCollectionRequest{CollectKey: created.GetCollectKey(), CollectProof: collect[:]})
		if err != nil {
			t.Fatalf("WatchCollection: got %v, want no error", err)
		}
		defer stream.Close()
		if shown := stream.Receive(); shown != (n < chain.StreamsMost) {
			t.Errorf("WatchCollection(stream %d): got a collection: %t, %v, want it up to %d", n, shown, stream.Err(), chain.StreamsMost)
		} else if !shown && connect.CodeOf(stream.Err()) != connect.CodeResourceExhausted {
			t.Errorf("WatchCollection(stream %d): got %v, want %v", n, stream.Err(), connect.CodeResourceExhausted)
		}
	}
}
