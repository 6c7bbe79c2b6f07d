package hush

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal"
	"hush/seal/endtoend"
	"hush/seal/request"
)

// asking is one Ask: a request that was checked, and what this device drew for it.
type asking struct {
	*Client

	ask    client.AskRequest
	policy *hushv1.GetPolicyResponse
	// home is the base URL of the server's pages, as it says itself.
	home *url.URL

	collect   endtoend.LinkSecret
	collector request.Collector
	card      *request.Asked
}

// Ask implements client.Requests.
func (h *Client) Ask(ctx context.Context, ask client.AskRequest) (client.Asked, error) {
	ask, err := ask.Normalized()
	if err != nil {
		return client.Asked{}, err
	}
	policy, home, err := h.policyAndHome(ctx)
	if err != nil {
		return client.Asked{}, err
	}
	a := &asking{Client: h, ask: ask, policy: policy, home: home, collect: endtoend.NewLinkSecret()}
	if err := a.admit(); err != nil {
		return client.Asked{}, err
	}
	if err := a.write(); err != nil {
		return client.Asked{}, err
	}
	return a.create(ctx)
}

// admit refuses what the operator does not allow, before anything is sent, and chooses the
// lifetime where none was asked for.
func (a *asking) admit() error {
	p := a.policy
	longest := min(seconds(p.GetAnonymousTtl()), client.RequestTTLLongest)
	if !a.token.IsEmpty() {
		longest = min(seconds(p.GetAccountTtl()), client.RequestTTLLongest)
	}
	if a.ask.TTL == 0 {
		a.ask.TTL = max(min(seconds(p.GetDefaultTtl()), longest), client.RequestTTLShortest)
	}
	needsAccount := a.ask.Notify || a.ask.ShowAddress || a.ask.Domain != ""
	switch {
	case p.GetMaintenance() != "":
		return refused("the server is under maintenance: %s", client.Plain(p.GetMaintenance()))
	case p.GetRequests() == hushv1.Requests_REQUESTS_UNSPECIFIED:
		return &client.Error{Kind: client.KindUnsupported, Message: "the server has no requests: its version is older"}
	case p.GetRequests() == hushv1.Requests_REQUESTS_OFF:
		return refused("the server does not allow requests")
	case a.token.IsEmpty() && p.GetRequests() != hushv1.Requests_REQUESTS_ANYONE:
		return &client.Error{Kind: client.KindUnauthorized, Message: "the server lets only its accounts ask"}
	case a.token.IsEmpty() && needsAccount:
		return attempt.NoToken()
	case a.ask.Notify && !p.GetMail():
		return refused("the server sends no mail, and cannot tell you that an answer came")
	case a.ask.TTL > longest:
		return refused("the server keeps a request for at most %s", spanText(longest))
	}
	return nil
}

// spanText says how long a lifetime is, in days where that is whole.
func spanText(d time.Duration) string {
	if days := int(d / (24 * time.Hour)); days > 1 && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%d days", days)
	}
	return d.String()
}

// write makes the card of the request, for a new collect link.
func (a *asking) write() (err error) {
	a.collector = request.NewCollector(a.collect)
	card := request.Card{
		Title: a.ask.Title, Note: a.ask.Note, Latest: a.now().Add(a.ask.TTL).Truncate(time.Second), Answers: a.ask.Answers,
	}
	if a.ask.Text {
		card.Kinds = append(card.Kinds, endtoend.KindText)
	}
	if a.ask.File {
		card.Kinds = append(card.Kinds, endtoend.KindFile)
	}
	a.card, err = a.collector.Ask(card)
	switch {
	case errors.Is(err, request.ErrText):
		return &client.Error{Kind: client.KindUsage, Message: "a title is one line of at most 200 characters, and a note has at most 2,000, " +
			"without characters that control a terminal or turn the direction of text"}
	case err != nil:
		return &client.Error{Kind: client.KindUsage, Message: "no request has these terms", Cause: err}
	}
	return nil
}

// create stores the request, and again only where the server certainly did nothing.
func (a *asking) create(ctx context.Context) (client.Asked, error) {
	link, collect := request.LinkProof(a.card.Secret()).Hash(), a.collector.Proof().Hash()
	call := &hushv1.CreateRequestRequest{
		LinkProofHash: link[:], CollectProofHash: collect[:], Ttl: durationpb.New(a.ask.TTL), Answers: int32(a.ask.Answers),
		ShareDomain: a.ask.Domain, ShowAddress: a.ask.ShowAddress, Notify: a.ask.Notify,
	}
	var err error
	if call.Card, err = a.card.Seal(); err == nil {
		call.LinkBox, err = a.collector.SealLink(a.card.Secret())
	}
	if err != nil {
		return client.Asked{}, &client.Error{Kind: client.KindFailure, Message: "encrypting", Cause: err}
	}
	made, fail := challenged(ctx, a.Client, func(payload string) (*hushv1.CreateRequestResponse, *failure) {
		call.AuthenticityPayload = payload
		return a.createOnce(ctx, call)
	})
	switch {
	case fail == nil:
		return a.checked(ctx, made)
	case fail.Outcome == attempt.OutcomeUnknown:
		fail.Err.Message += "; whether the request was made is not known, and no one has its link"
	}
	return client.Asked{}, fail.Err
}

func (a *asking) createOnce(ctx context.Context, request *hushv1.CreateRequestRequest) (*hushv1.CreateRequestResponse, *failure) {
	made, fail := call(ctx, a.Client, a.requests.CreateRequest, request, answerTime)
	if fail != nil && fail.Outcome != attempt.OutcomeUnsent {
		fail.Repeatable = false
	}
	return made, fail
}

// checked returns the request of an answer, if it is one to this call. Otherwise it shows no
// link: the server ends the request by other terms than those of the card.
func (a *asking) checked(ctx context.Context, made *hushv1.CreateRequestResponse) (client.Asked, error) {
	key, isKey := seal.ParseToken(made.GetRequestKey())
	collectKey, isCollectKey := seal.ParseToken(made.GetCollectKey())
	state := requestOf(made.GetRequest())
	if !isKey || !isCollectKey || key.Expose() == collectKey.Expose() || state.Answers != a.ask.Answers || state.Expires.Sub(state.Created) != a.ask.TTL {
		return client.Asked{}, &client.Error{Kind: client.KindAltered, Message: "the answer of the server is not one to this call: its request must not be used"}
	}
	collect := client.NewCollectLink(a.home.String(), endtoend.Link{Key: collectKey, Secret: a.collect})
	base, ok := baseOf(a.home, a.ask.Domain, made.GetRequest().GetShareDomain())
	if !ok {
		return client.Asked{}, a.withoutDomain(ctx, collect)
	}
	return client.Asked{
		Link: client.NewRequestLink(base, endtoend.Link{Key: key, Secret: a.card.Secret()}), Collect: collect,
		Request: state, Card: cardOf(a.card),
	}, nil
}

// withoutDomain closes a request that the server did not put under the domain, and returns
// the error for it: its link would lead elsewhere than the requester wants.
func (a *asking) withoutDomain(ctx context.Context, collect client.CollectLink) error {
	fault := "the server did not use the domain, and the request was closed"
	if _, err := a.CloseRequest(ctx, collect, true); err != nil {
		fault = "the server did not use the domain, and closing the request failed: it stands until its time is over"
	}
	return refused("%s", fault)
}

// cardOf returns what a card says.
func cardOf(asked *request.Asked) client.Card {
	card := client.Card{Title: asked.Title, Note: asked.Note, Latest: asked.Latest, Answers: asked.Answers}
	for _, kind := range asked.Kinds {
		card.Text = card.Text || kind == endtoend.KindText
		card.File = card.File || kind == endtoend.KindFile
	}
	return card
}

// requestOf returns what a server says of a request.
func requestOf(r *hushv1.Request) client.Request {
	return client.Request{
		ID: client.Plain(r.GetId()), State: requestStateOf(r.GetState()),
		Created: timeOf(r.GetCreateTime()), Updated: timeOf(r.GetUpdateTime()), Expires: timeOf(r.GetExpireTime()), Forgotten: timeOf(r.GetForgetTime()),
		Answers: int(r.GetAnswers()), Answered: int(r.GetAnswered()), Waiting: int(r.GetWaiting()),
		Domain: client.Plain(r.GetShareDomain()), Notify: r.GetNotify(), ShowAddress: r.GetShowAddress(),
	}
}

func requestStateOf(s hushv1.Request_State) client.RequestState {
	switch s {
	case hushv1.Request_STATE_OPEN:
		return client.RequestOpen
	case hushv1.Request_STATE_FULL:
		return client.RequestFull
	case hushv1.Request_STATE_PAST:
		return client.RequestPast
	case hushv1.Request_STATE_CLOSED:
		return client.RequestClosed
	case hushv1.Request_STATE_WITHDRAWN:
		return client.RequestWithdrawn
	default:
		return client.RequestUnknown
	}
}
