package hush

import (
	"context"
	"iter"
	"reflect"
	"sync"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal"
	"hush/seal/endtoend"
	"hush/seal/request"
)

// collecting is what a device with a collect link derives, and what it remembers as long as
// it has the Client. It is safe for concurrent use.
type collecting struct {
	link      client.CollectLink
	collector request.Collector

	mu sync.Mutex // for what follows
	// secrets are the link secrets of answers that were seen, by the numbers, and numbers
	// the reverse: another answer with one of them is none.
	secrets map[request.Number][32]byte
	numbers map[[32]byte]request.Number
}

func newCollecting(link client.CollectLink) *collecting {
	return &collecting{
		link: link, collector: request.NewCollector(link.LinkSecret()),
		secrets: map[request.Number][32]byte{}, numbers: map[[32]byte]request.Number{},
	}
}

// collecting returns the one collecting of a link: what one call saw of its answers, the
// others know.
func (h *Client) collecting(link client.CollectLink) *collecting {
	one, ok := h.collected.Load(link.Fingerprint())
	if !ok {
		one, _ = h.collected.LoadOrStore(link.Fingerprint(), newCollecting(link))
	}
	return one.(*collecting) //nolint:forcetypeassert // nothing else is stored there
}

func (c *collecting) proof() []byte {
	proof := c.collector.Proof()
	return proof[:]
}

// Collect implements client.Requests.
func (h *Client) Collect(ctx context.Context, link client.CollectLink) (client.Collection, error) {
	c := h.collecting(link)
	answer, err := ask(ctx, h, h.requests.GetCollection, &hushv1.GetCollectionRequest{CollectKey: link.Key.Expose(), CollectProof: c.proof()})
	if err != nil {
		return client.Collection{}, ofRequest(err)
	}
	return c.read(answer.GetCollection())
}

// read checks a collection, and opens nothing of it before its card is the link's.
func (c *collecting) read(found *hushv1.Collection) (client.Collection, error) {
	asked, err := c.collector.Open(found.GetLinkBox(), found.GetCard())
	if err != nil {
		return client.Collection{}, ofCard(err)
	}
	key, ok := seal.ParseToken(found.GetRequestKey())
	if !ok {
		return client.Collection{}, attempt.Unexpected(product)
	}
	state := requestOf(found.GetRequest())
	server := c.link.Server
	if base, ok := c.domainBase(state.Domain); ok {
		server = base
	}
	collection := client.Collection{
		Link: client.NewRequestLink(server, endtoend.Link{Key: key, Secret: asked.Secret()}), Card: cardOf(asked), Request: state,
	}
	there := map[request.Number]bool{}
	for _, one := range found.GetAnswers() {
		answer := c.answer(asked, one)
		if there[answer.Number] {
			answer.Fault, answer.Link, answer.Name = client.AnswerRepeated, client.Link{}, ""
		}
		there[answer.Number] = true
		collection.Answers = append(collection.Answers, answer)
	}
	return collection, nil
}

// domainBase returns the base URL of the custom domain that a server names for the request
// link, if it can be one.
func (c *collecting) domainBase(domain string) (string, bool) {
	if domain == "" {
		return "", false
	}
	base, err := client.ParseServer("https://" + domain)
	if err != nil || base.Host != domain || base.Path != "" {
		return "", false
	}
	return base.String(), true
}

// answer returns an answer, with what opens it if that is in order.
func (c *collecting) answer(asked *request.Asked, a *hushv1.Answer) client.Answer {
	answer := client.Answer{
		State: stateOf(a.GetState()), HasPassphrase: a.GetHasPassphrase(), Size: a.GetSize(),
		Created: timeOf(a.GetCreateTime()), Expires: timeOf(a.GetExpireTime()), Events: eventsOf(a.GetEvents()),
	}
	if len(a.GetNumber()) != len(answer.Number) {
		answer.Fault = client.AnswerAltered
		return answer
	}
	answer.Number = request.Number(a.GetNumber())
	if len(a.GetSealedLink()) == 0 && a.GetSecretKey() == "" {
		return answer // its content is gone for good
	}
	opened, err := c.collector.OpenAnswer(asked, answer.Number, a.GetSealedLink())
	key, isKey := seal.ParseToken(a.GetSecretKey())
	switch {
	case err != nil || !isKey:
		answer.Fault = client.AnswerAltered
	case !c.isNew(answer.Number, opened.Secret):
		answer.Fault = client.AnswerRepeated
	default:
		answer.Name = opened.Name
		answer.Link = client.AnswerLink(c.link.Server, endtoend.Link{Key: key, Secret: opened.Secret}, c.collector.Proof())
	}
	return answer
}

// isNew reports whether no other answer had the number or the link secret, and remembers
// both.
func (c *collecting) isNew(number request.Number, drawn endtoend.LinkSecret) bool {
	secret := drawn.Expose()
	c.mu.Lock()
	defer c.mu.Unlock()
	before, isNumber := c.secrets[number]
	owner, isSecret := c.numbers[secret]
	if isNumber && before != secret || isSecret && owner != number {
		return false
	}
	c.secrets[number], c.numbers[secret] = secret, number
	return true
}

// WatchCollection implements client.Requests.
func (h *Client) WatchCollection(ctx context.Context, link client.CollectLink) iter.Seq2[client.Collection, error] {
	return func(yield func(client.Collection, error) bool) {
		c := h.collecting(link)
		var last *client.Collection
		s := &streams[hushv1.WatchCollectionRequest, hushv1.WatchCollectionResponse, *hushv1.WatchCollectionRequest]{
			Client: h, rpc: h.requests.WatchCollection,
			request: &hushv1.WatchCollectionRequest{CollectKey: link.Key.Expose(), CollectProof: c.proof()},
			ended:   func() bool { return false }, // forgotten or cut: the next stream says it
		}
		s.take = func(message *hushv1.WatchCollectionResponse) (over bool, fail *failure) {
			if message.GetCollection() == nil {
				return false, nil
			}
			collection, err := c.read(message.GetCollection())
			if err != nil {
				return false, refusedAnswer(err)
			}
			if s.shown = true; last != nil && sameCollection(*last, collection) {
				return false, nil
			}
			last = &collection
			return !yield(collection, nil), nil
		}
		fail := s.follow(ctx)
		if fail == nil || s.shown && fail.Err.Kind == client.KindGone {
			return // it was left, or is forgotten
		}
		yield(client.Collection{}, ofRequest(fail.Err))
	}
}

// refusedAnswer returns the failure of a call whose answer fails a check.
func refusedAnswer(err error) *failure {
	failed := &client.Error{Kind: client.KindOf(err), Message: err.Error()}
	return &failure{Err: failed, Outcome: attempt.OutcomeRefused}
}

// sameCollection reports whether nothing changed that is shown. Links are functions, which
// are never alike: whether there is one says all.
func sameCollection(a, b client.Collection) bool {
	return reflect.DeepEqual(plainOf(a), plainOf(b))
}

func plainOf(c client.Collection) client.Collection {
	plain := c
	plain.Link, plain.Answers = client.RequestLink{}, make([]client.Answer, len(c.Answers))
	for i, answer := range c.Answers {
		if answer.CanOpen() {
			answer.Link = client.Link{Server: "open"}
		}
		plain.Answers[i] = answer
	}
	return plain
}

// BurnAnswer implements client.Requests.
func (h *Client) BurnAnswer(ctx context.Context, link client.CollectLink, number client.AnswerNumber) (client.Collection, error) {
	c := h.collecting(link)
	request, lost := &hushv1.BurnAnswerRequest{CollectKey: link.Key.Expose(), CollectProof: c.proof(), Number: number[:]}, false
	answer, fail := attempt.Do(ctx, h.repeats, func(int) (*hushv1.BurnAnswerResponse, *failure) {
		answer, fail := call(ctx, h, h.requests.BurnAnswer, request, answerTime)
		lost = lost || fail != nil && fail.Outcome == attempt.OutcomeUnknown
		return answer, fail
	})
	if fail == nil {
		return c.read(answer.GetCollection())
	}
	if fail.Err.Kind != client.KindGone {
		return client.Collection{}, fail.Err
	}
	if found, err := h.Collect(ctx, link); lost && err == nil && isBurned(found, number) {
		return found, nil
	}
	return client.Collection{}, &client.Error{Kind: client.KindGone, Message: "the answer does not wait: it was opened, was burned, has expired or never came"}
}

// isBurned reports whether an answer was burned.
func isBurned(c client.Collection, number client.AnswerNumber) bool {
	for _, answer := range c.Answers {
		if answer.Number == number {
			return answer.State == client.StateBurned
		}
	}
	return false
}

// CloseRequest implements client.Requests.
func (h *Client) CloseRequest(ctx context.Context, link client.CollectLink, burn bool) (client.Closed, error) {
	proof := request.NewCollector(link.LinkSecret()).Proof()
	return h.closeRequest(ctx, &hushv1.CloseRequestRequest{CollectKey: link.Key.Expose(), CollectProof: proof[:], BurnAnswers: burn})
}

// CloseRequestByID implements client.Requests.
func (h *Client) CloseRequestByID(ctx context.Context, id string, burn bool) (client.Closed, error) {
	if h.token.IsEmpty() {
		return client.Closed{}, attempt.NoToken()
	}
	return h.closeRequest(ctx, &hushv1.CloseRequestRequest{Id: id, BurnAnswers: burn})
}

func (h *Client) closeRequest(ctx context.Context, request *hushv1.CloseRequestRequest) (client.Closed, error) {
	answer, err := ask(ctx, h, h.requests.CloseRequest, request)
	if err != nil {
		return client.Closed{}, ofRequest(err)
	}
	return client.Closed{Request: requestOf(answer.GetRequest()), Burned: int(answer.GetBurned())}, nil
}

// ListRequests implements client.Requests.
func (h *Client) ListRequests(ctx context.Context) iter.Seq2[client.Request, error] {
	return func(yield func(client.Request, error) bool) {
		if h.token.IsEmpty() {
			yield(client.Request{}, attempt.NoToken())
			return
		}
		request := &hushv1.ListRequestsRequest{PageSize: pageSize}
		for {
			page, err := ask(ctx, h, h.requests.ListRequests, request)
			if err != nil {
				yield(client.Request{}, err)
				return
			}
			for _, one := range page.GetRequests() {
				if !yield(requestOf(one), nil) {
					return
				}
			}
			next := page.GetNextPageToken()
			if next == "" || next == request.GetPageToken() {
				return
			}
			request.PageToken = next
		}
	}
}
