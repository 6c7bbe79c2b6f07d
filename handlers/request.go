package handlers

import (
	"context"
	"crypto/sha256"
	"errors"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/request"
	"hush/vault/secret"
)

// RequestService is hush.v1.RequestService.
type RequestService struct {
	requests *request.Requests
}

// CreateRequest stores a request.
func (s *RequestService) CreateRequest(ctx context.Context, req *hushv1.CreateRequestRequest) (*hushv1.CreateRequestResponse, error) {
	created, err := s.requests.CreateRequest(ctx, chain.CallerFrom(ctx), request.Terms{
		Card: caller.Text(req.GetCard()), LinkBox: caller.Text(req.GetLinkBox()),
		LinkProofHash: caller.Text(req.GetLinkProofHash()), CollectProofHash: caller.Text(req.GetCollectProofHash()),
		TTL: req.GetTtl().AsDuration(), Answers: int(req.GetAnswers()), ShareDomain: req.GetShareDomain(),
		ShowsAddress: req.GetShowAddress(), Notifies: req.GetNotify(), Challenge: req.GetAuthenticityPayload(),
	})
	if err != nil {
		return nil, err
	}
	return &hushv1.CreateRequestResponse{
		RequestKey: created.Key.Expose(), CollectKey: created.CollectKey.Expose(), Request: requestOf(created.Request),
	}, nil
}

// GetRequest describes a request to those who have its link.
func (s *RequestService) GetRequest(ctx context.Context, req *hushv1.GetRequestRequest) (*hushv1.GetRequestResponse, error) {
	shown, err := s.requests.GetRequest(ctx, chain.CallerFrom(ctx), req.GetRequestKey(), caller.Text(req.GetLinkProof()))
	if err != nil {
		return nil, err
	}
	return &hushv1.GetRequestResponse{
		Request: requestOf(shown.Request), Card: []byte(shown.Card), VerifiedDomain: shown.VerifiedDomain, Address: shown.Address,
		AnswerMax: shown.AnswerMost,
	}, nil
}

// AnswerRequest stores an answer.
func (s *RequestService) AnswerRequest(ctx context.Context, req *hushv1.AnswerRequestRequest) (*hushv1.AnswerRequestResponse, error) {
	sealed := req.GetSealed()
	sent := request.Sent{
		SealedLink: caller.Text(req.GetSealedLink()), Challenge: req.GetAuthenticityPayload(), Content: secret.SealedContent{
			Content: caller.Text(sealed.GetContent()), LinkProofHash: caller.Text(sealed.GetLinkProofHash()),
			ProofHash: caller.Text(sealed.GetProofHash()), HasPassphrase: sealed.GetHasPassphrase(),
		},
	}
	copy(sent.Number[:], req.GetNumber())
	metadata, err := s.requests.AnswerRequest(ctx, chain.CallerFrom(ctx), req.GetRequestKey(), caller.Text(req.GetLinkProof()), sent)
	if err != nil {
		return nil, err
	}
	return &hushv1.AnswerRequestResponse{Metadata: metadataOf(metadata)}, nil
}

// collecting is the common part of requests with a collect link.
type collecting interface {
	GetCollectKey() string
	GetCollectProof() []byte
}

func collectLinkOf(req collecting) request.CollectLink {
	return request.CollectLink{Key: req.GetCollectKey(), Proof: caller.Text(req.GetCollectProof())}
}

// GetCollection returns a request with its answers.
func (s *RequestService) GetCollection(ctx context.Context, req *hushv1.GetCollectionRequest) (*hushv1.GetCollectionResponse, error) {
	collection, err := s.requests.GetCollection(ctx, chain.CallerFrom(ctx), collectLinkOf(req))
	if err != nil {
		return nil, err
	}
	return &hushv1.GetCollectionResponse{Collection: collectionOf(collection)}, nil
}

// WatchCollection follows a collection until the request is forgotten. It returns nil then
// only: at the caller's deadline, and when the caller leaves, it returns the context's
// error.
func (s *RequestService) WatchCollection(ctx context.Context, req *hushv1.WatchCollectionRequest, stream *connect.ServerStream[hushv1.WatchCollectionResponse]) error {
	watch, err := s.requests.WatchCollection(ctx, chain.CallerFrom(ctx), collectLinkOf(req))
	if err != nil {
		return err
	}
	defer watch.Close()
	w := collectionWatcher{watch: watch, stream: stream}
	return follow(ctx, watch.Changed(), w.show)
}

// collectionWatcher is a stream that follows a collection.
type collectionWatcher struct {
	watch  *request.Watch
	stream *connect.ServerStream[hushv1.WatchCollectionResponse]
	shown  [sha256.Size]byte // digestOf what was last sent
}

// show sends the collection if it changed since the last time, or if a heartbeat is due.
// over reports whether the request is forgotten.
func (w *collectionWatcher) show(ctx context.Context, beat bool) (over bool, err error) {
	found, err := w.watch.Collection(ctx)
	if errors.Is(err, refusal.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	now := collectionOf(found)
	digest, err := digestOf(now)
	if err != nil {
		return false, err
	}
	message := new(hushv1.WatchCollectionResponse)
	if digest != w.shown {
		w.shown, message.Collection = digest, now
	} else if !beat {
		return false, nil
	}
	return false, w.stream.Send(message)
}

// digestOf identifies a collection but for the remaining time. A stream lasts long and
// keeps no more than that: a collection of 100 answers is large.
func digestOf(c *hushv1.Collection) (digest [sha256.Size]byte, err error) {
	request := c.GetRequest()
	left := request.GetTtlLeft()
	request.TtlLeft = nil
	defer func() { request.TtlLeft = left }()
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(c)
	return sha256.Sum256(encoded), err
}

// BurnAnswer destroys an answer unread.
func (s *RequestService) BurnAnswer(ctx context.Context, req *hushv1.BurnAnswerRequest) (*hushv1.BurnAnswerResponse, error) {
	var number answer.Number
	copy(number[:], req.GetNumber())
	collection, err := s.requests.BurnAnswer(ctx, chain.CallerFrom(ctx), collectLinkOf(req), number)
	if err != nil {
		return nil, err
	}
	return &hushv1.BurnAnswerResponse{Collection: collectionOf(collection)}, nil
}

// CloseRequest ends a request, by its collect link or by its id.
func (s *RequestService) CloseRequest(ctx context.Context, req *hushv1.CloseRequestRequest) (*hushv1.CloseRequestResponse, error) {
	c := chain.CallerFrom(ctx)
	var closing request.Closing
	var err error
	if req.GetId() != "" {
		closing, err = s.requests.CloseByID(ctx, c, req.GetId(), req.GetBurnAnswers())
	} else {
		closing, err = s.requests.CloseByLink(ctx, c, collectLinkOf(req), req.GetBurnAnswers())
	}
	if err != nil {
		return nil, err
	}
	return &hushv1.CloseRequestResponse{Request: requestOf(closing.Request), Burned: int32(closing.Burned)}, nil
}

// ListRequests lists the requests of the caller's account.
func (s *RequestService) ListRequests(ctx context.Context, req *hushv1.ListRequestsRequest) (*hushv1.ListRequestsResponse, error) {
	page, err := s.requests.ListRequests(ctx, chain.CallerFrom(ctx), int(req.GetPageSize()), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	return &hushv1.ListRequestsResponse{Requests: each(page.Requests, requestOf), NextPageToken: page.Next}, nil
}

func requestOf(r request.Request) *hushv1.Request {
	res := &hushv1.Request{
		Id: r.ID, State: hushv1.Request_State(r.State), CreateTime: stamp(r.Created), UpdateTime: stamp(r.Updated),
		ExpireTime: stamp(r.Expires), ForgetTime: stamp(r.Forgotten), Answers: int32(r.Answers), Answered: int32(r.Answered),
		Waiting: int32(r.Waiting), ShareDomain: r.ShareDomain, Notify: r.Notifies, ShowAddress: r.ShowsAddress,
	}
	if r.State == request.StateOpen {
		res.TtlLeft = durationpb.New(r.TTLLeft)
	}
	return res
}

func collectionOf(c request.Collection) *hushv1.Collection {
	return &hushv1.Collection{
		Request: requestOf(c.Request), RequestKey: c.Key.Expose(), Card: []byte(c.Card), LinkBox: []byte(c.LinkBox),
		Answers: each(c.Answers, answerOf),
	}
}

func answerOf(a request.Answer) *hushv1.Answer {
	res := &hushv1.Answer{
		Number: a.Number[:], SealedLink: []byte(a.SealedLink), State: hushv1.State(a.State), HasPassphrase: a.HasPassphrase,
		Size: a.Size, CreateTime: stamp(a.Created), ExpireTime: stamp(a.Expires), Events: each(a.Events, eventOf),
	}
	if a.Secret != nil {
		res.SecretKey = a.Secret.Expose()
	}
	return res
}
