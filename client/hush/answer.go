package hush

import (
	"bytes"
	"context"
	"errors"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal"
	"hush/seal/endtoend"
	"hush/seal/request"
)

// Request implements client.Requests.
func (h *Client) Request(ctx context.Context, link client.RequestLink) (client.Question, error) {
	_, home, err := h.policyAndHome(ctx)
	if err != nil {
		return client.Question{}, err
	}
	proof := request.LinkProof(link.LinkSecret())
	shown, err := ask(ctx, h, h.requests.GetRequest, &hushv1.GetRequestRequest{RequestKey: link.Key.Expose(), LinkProof: proof[:]})
	if err != nil {
		return client.Question{}, ofRequest(err)
	}
	asked, err := request.Open(link.LinkSecret(), shown.GetCard())
	if err != nil {
		return client.Question{}, ofCard(err)
	}
	if !h.now().Before(asked.Latest) {
		return client.Question{}, client.Request{State: client.RequestPast}.Ended()
	}
	return client.Question{
		Link: link, Card: cardOf(asked), Request: requestOf(shown.GetRequest()), Home: home.String(),
		Domain: client.Plain(shown.GetVerifiedDomain()), Address: client.Plain(shown.GetAddress()),
		AnswerMax: shown.GetAnswerMax(), Asked: asked,
	}, nil
}

// ofRequest returns the error of a call about a request with the words for requests.
func ofRequest(err error) error {
	if failed, ok := errors.AsType[*client.Error](err); ok && failed.Kind == client.KindGone {
		return &client.Error{Kind: client.KindGone, Message: "there is no such request, or it was forgotten after its time"}
	}
	return err
}

// ofCard returns the error for a card of which nothing may be shown.
func ofCard(err error) error {
	switch {
	case errors.Is(err, request.ErrVersion):
		return &client.Error{Kind: client.KindUnsupported, Message: "the request has a form that this version does not know: a newer version of hush may know it"}
	case errors.Is(err, request.ErrKey):
		return &client.Error{Kind: client.KindAltered, Message: "the request was altered: its answers would not be for you"}
	default:
		return &client.Error{Kind: client.KindAltered, Message: "the request was altered, or belongs to another link"}
	}
}

// SealAnswer implements client.Requests.
func (h *Client) SealAnswer(question client.Question, content client.Content, passphrase client.Text) (client.SealedAnswer, error) {
	if err := h.admitAnswer(question, content, passphrase); err != nil {
		return client.SealedAnswer{}, err
	}
	drawn, number, header := endtoend.NewLinkSecret(), request.NewNumber(), headerOf(content)
	link, err := question.Asked.SealAnswer(number, request.Answer{Secret: drawn, Name: header.FileName})
	if err != nil {
		return client.SealedAnswer{}, &client.Error{Kind: client.KindFailure, Message: "encrypting", Cause: err}
	}
	s := &sharing{Client: h, request: client.ShareRequest{Content: &content, Passphrase: passphrase}}
	sealed, failed := s.seal(drawn)
	if failed != nil {
		return client.SealedAnswer{}, failed
	}
	return client.SealedAnswer{
		Link: question.Link, Home: question.Home, Number: number, SealedLink: link, Content: sealed.GetContent(),
		LinkProofHash: [32]byte(sealed.GetLinkProofHash()), ProofHash: [32]byte(sealed.GetProofHash()), HasPassphrase: sealed.GetHasPassphrase(),
	}, nil
}

// admitAnswer refuses an answer that the requester does not accept.
func (h *Client) admitAnswer(q client.Question, content client.Content, passphrase client.Text) error {
	if err := q.Request.Ended(); err != nil {
		return err
	}
	if !h.now().Before(q.Card.Latest) {
		return client.Request{State: client.RequestPast}.Ended()
	}
	if err := client.CheckPassphrase(passphrase); err != nil {
		return err
	}
	header := headerOf(content)
	isFile := header.Kind == endtoend.KindFile
	size, err := endtoend.SealedSize(header)
	switch {
	case !isFile && len(content.Bytes) == 0:
		return &client.Error{Kind: client.KindUsage, Message: "there is nothing to answer with"}
	case isFile && !q.Card.File:
		return refused("the requester accepts a text, and this is a file")
	case !isFile && !q.Card.Text:
		return refused("the requester accepts a file, and this is a text")
	case err != nil:
		return errFileName()
	case size > q.AnswerMax:
		return refused("the answer has %d bytes, and the server takes fewer", len(content.Bytes))
	}
	return nil
}

// Answer implements client.Requests.
func (h *Client) Answer(ctx context.Context, answer client.SealedAnswer) (client.Answered, error) {
	proof := request.LinkProof(answer.Link.LinkSecret())
	call := &hushv1.AnswerRequestRequest{
		RequestKey: answer.Link.Key.Expose(), LinkProof: proof[:], Number: answer.Number[:], SealedLink: answer.SealedLink,
		Sealed: &hushv1.Sealed{
			Content: bytes.Clone(answer.Content), LinkProofHash: answer.LinkProofHash[:], ProofHash: answer.ProofHash[:], HasPassphrase: answer.HasPassphrase,
		},
	}
	lost := false
	sent, fail := challenged(ctx, h, func(payload string) (*hushv1.AnswerRequestResponse, *failure) {
		call.AuthenticityPayload = payload
		sent, fail := h.answerOnce(ctx, call)
		lost = lost || fail != nil && fail.Outcome == attempt.OutcomeUnknown
		return sent, fail
	})
	switch {
	case fail == nil:
		return answered(answer, sent.GetMetadata())
	case lost && (fail.Err.Kind == client.KindNetwork || fail.Err.Kind == client.KindLimited):
		fail.Err.Message += "; whether the answer arrived is not known"
	case fail.Refusal.reason == hushv1.Refusal_REASON_UNSPECIFIED:
		return client.Answered{}, ofRequest(fail.Err)
	}
	return client.Answered{}, fail.Err
}

// answerOnce sends an answer once. What was not sent completely is certainly not stored.
func (h *Client) answerOnce(ctx context.Context, request *hushv1.AnswerRequestRequest) (*hushv1.AnswerRequestResponse, *failure) {
	within, f := newFlow(ctx, timeFor(len(request.GetSealed().GetContent())), h.quiet, h.progress)
	defer f.stop()
	sent, fail := callIn(ctx, within, f, h, h.requests.AnswerRequest, request)
	if fail != nil && fail.Outcome == attempt.OutcomeUnknown && f.isIncomplete() {
		fail.Outcome, fail.Err.Unsent = attempt.OutcomeUnsent, true
	}
	return sent, fail
}

// answered returns the receipt of an answer, if it is one of this answer.
func answered(answer client.SealedAnswer, m *hushv1.Metadata) (client.Answered, error) {
	_, isReceipt := seal.ParseToken(m.GetMetadataKey())
	if !isReceipt || encryptionOf(m.GetEncryption()) != client.EncryptionEndToEnd || stateOf(m.GetState()) == client.StateUnknown {
		return client.Answered{}, &client.Error{Kind: client.KindAltered, Message: "the server did not return the receipt of the answer: whether it arrived is not known"}
	}
	receipt := receiptOf(m)
	return client.Answered{ReceiptLink: client.ReceiptLink{Server: answer.Home, Keys: []client.Text{receipt.Key}}, Receipt: receipt}, nil
}
