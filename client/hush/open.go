package hush

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"hush/client"
	"hush/client/attempt"
	hushv1 "hush/gen/hush/v1"
	"hush/seal/endtoend"
)

const (
	// plainTime is how long an answer to a reveal without a claim may take to begin, and
	// to go on: it cannot be asked for again.
	plainTime = 3 * time.Minute
	// keepEvery is how often the server is told that the content still arrives.
	keepEvery = 30 * time.Second
	// acknowledgeShare is the part of a claim's time in which an acknowledgement is
	// repeated.
	acknowledgeShare = 4
	// withPassphrase is how often a passphrase is sent: each time may cost a try.
	withPassphrase = 2
)

// opening is one Open.
type opening struct {
	*Client

	link       client.Link
	passphrase client.Text
	claim      client.Claim
	// hasPassphrase reports whether the secret has a passphrase.
	hasPassphrase bool
	// resumed reports whether the server has no such secret any more. An earlier
	// Open with the same claim may be why.
	resumed bool
	// isFile reports whether the content comes in parts.
	isFile bool
	// keys are those of an end-to-end link.
	keys endtoend.Keys
	// lost reports whether an answer was lost, after which the server may have bound
	// the secret to the claim.
	lost bool

	mu       sync.Mutex
	until    time.Time // until when the server keeps the content, if it is bound
	extended time.Time // what it said of that while the content arrived
}

// endsAt notes when the claim ends, as an answer says it, unless the server said
// something later since.
func (o *opening) endsAt(at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.until = at; o.extended.After(at) {
		o.until = o.extended
	}
}

// keepsUntil notes until when the server keeps the content, at least.
func (o *opening) keepsUntil(at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if at.After(o.until) {
		o.until = at
	}
}

// keptUntil returns until when the server keeps the content.
func (o *opening) keptUntil() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.until
}

// Open implements client.Backend.
func (h *Client) Open(ctx context.Context, link client.Link, passphrase client.Text, claim client.Claim) (client.Opened, error) {
	o := &opening{Client: h, link: link, passphrase: passphrase, claim: claim}
	if err := client.CheckPassphrase(passphrase); err != nil {
		return client.Opened{}, err
	}
	if err := o.look(ctx); err != nil {
		return client.Opened{}, err
	}
	if err := o.derive(); err != nil {
		return client.Opened{}, err
	}
	answer, err := o.reveal(ctx)
	if err == nil {
		var opened client.Opened
		if opened, err = o.read(answer); err == nil {
			return opened, nil
		}
	}
	if failed, ok := errors.AsType[*client.Error](err); ok && !claim.IsNone() {
		failed.Until = o.keptUntil()
	}
	return client.Opened{}, err
}

// look asks what the secret is, before anything that opens it is sent.
func (o *opening) look(ctx context.Context) error {
	secret, err := o.describe(ctx, o.link)
	switch {
	case err == nil && secret.HasPassphrase && o.passphrase.IsEmpty():
		return &client.Error{Kind: client.KindPassphrase, Message: "a passphrase is needed", Missing: true, TriesLeft: -1}
	case err == nil:
		o.hasPassphrase = secret.HasPassphrase
	case client.KindOf(err) == client.KindGone && !o.claim.IsNone():
		o.resumed = true
	default:
		return err
	}
	return nil
}

// derive derives the keys of an end-to-end link. A passphrase that the secret does
// not have is not used.
func (o *opening) derive() error {
	if o.link.Encryption != client.EncryptionEndToEnd {
		return nil
	}
	passphrase := ""
	if o.hasPassphrase || o.resumed {
		passphrase = o.passphrase.Expose()
	}
	keys, err := o.Client.derive(o.link.LinkSecret(), passphrase)
	if err != nil {
		return errPassphraseText()
	}
	o.keys = keys
	return nil
}

// reveal asks for the content until an answer arrives, the secret cannot be bound
// to the claim any more, or ctx ends.
func (o *opening) reveal(ctx context.Context) (*hushv1.RevealSecretResponse, error) {
	o.keepsUntil(time.Now().Add(o.lasts()))
	repeats := o.repeats
	repeats.Calls = 0
	answer, fail := attempt.Do(ctx, repeats, func(number int) (*hushv1.RevealSecretResponse, *failure) {
		return o.revealOnce(ctx, number)
	})
	switch {
	case fail == nil:
		return answer, nil
	case fail.Repeatable:
		return nil, o.lapsed(fail)
	default:
		return nil, fail.Err
	}
}

// revealOnce asks for the content once. Its failure says whether another call may follow,
// and until when.
func (o *opening) revealOnce(ctx context.Context, number int) (*hushv1.RevealSecretResponse, *failure) {
	sent := time.Now()
	answer, fail := o.fetch(ctx, o.request(number))
	if fail == nil {
		return answer, nil
	}
	if fail.Outcome == attempt.OutcomeUnknown && !o.lost {
		o.lost = true
		o.keepsUntil(sent.Add(o.lasts()))
	}
	final := o.final(ctx, fail, number)
	if final != nil {
		fail.Err = final
	}
	fail.Repeatable, fail.Until = final == nil, o.keptUntil()
	return nil, fail
}

// lasts returns how long the claim lasts if the server says nothing of that.
func (o *opening) lasts() time.Duration {
	if o.isFile {
		return leaseTime
	}
	return o.claimTime
}

// isClaimAlone reports whether an attempt has the claim alone. It opens what is bound to
// it, and costs no try: it is all that is sent where the secret is gone for others,
// and after the passphrase was sent often enough.
func (o *opening) isClaimAlone(number int) bool {
	return o.resumed || o.hasPassphrase && number >= withPassphrase
}

func (o *opening) request(number int) *hushv1.RevealSecretRequest {
	request := &hushv1.RevealSecretRequest{SecretKey: o.link.Key.Expose(), Claim: o.claim.Bytes()}
	if o.isFile {
		request.AcceptsVersion = acceptsFiles
	}
	switch {
	case o.isClaimAlone(number):
	case o.link.Encryption == client.EncryptionEndToEnd:
		linkProof, proof := o.keys.LinkProof(), o.keys.Proof()
		request.LinkProof, request.Proof, request.CollectProof = linkProof[:], proof[:], o.link.CollectProof()
	case o.hasPassphrase:
		request.Passphrase = o.passphrase.Expose()
	}
	return request
}

// fetch sends a request for the content. However long that takes, it goes on while bytes
// arrive, and the server keeps the content meanwhile.
func (o *opening) fetch(ctx context.Context, request *hushv1.RevealSecretRequest) (*hushv1.RevealSecretResponse, *failure) {
	var keeps sync.WaitGroup
	defer keeps.Wait()
	quiet := o.quiet
	if o.claim.IsNone() {
		quiet = plainTime
	}
	within, f := newFlow(ctx, quiet, quiet, o.progress)
	defer f.stop()
	lastKeep := time.Now()
	f.received = func() {
		if o.claim.IsNone() || time.Since(lastKeep) < o.keepEvery {
			return
		}
		lastKeep = time.Now()
		keeps.Go(func() { o.keepClaim(within) })
	}
	answer, fail := callIn(ctx, within, f, o.Client, o.secrets.RevealSecret, request)
	if fail == nil && answer.GetClaimLeft() != nil {
		o.endsAt(f.begun().Add(answer.GetClaimLeft().AsDuration()))
	}
	return answer, fail
}

// keepClaim tells the server that the content still arrives. If that fails, the server may
// have seen it itself, and another one follows.
func (o *opening) keepClaim(ctx context.Context) {
	sent := time.Now()
	request := &hushv1.RevealSecretRequest{SecretKey: o.link.Key.Expose(), Claim: o.claim.Bytes(), KeepClaim: true}
	answer, fail := call(ctx, o.Client, o.secrets.RevealSecret, request, o.quiet)
	if fail == nil && answer.GetClaimLeft() != nil {
		until := sent.Add(answer.GetClaimLeft().AsDuration())
		o.mu.Lock()
		o.extended = until
		o.mu.Unlock()
		o.keepsUntil(until)
	}
}

// final returns the error that ends the attempts; nil if another one may follow.
func (o *opening) final(ctx context.Context, fail *failure, number int) *client.Error {
	switch {
	case fail.Refusal.tooLong:
		return &client.Error{Kind: client.KindAltered, Message: fail.Err.Message}
	case fail.Outcome == attempt.OutcomeUnsent:
		if !fail.Repeatable || o.claim.IsNone() && number >= attempt.CallsMax-1 {
			return fail.Err
		}
		return nil
	case fail.Outcome == attempt.OutcomeUnknown && o.claim.IsNone():
		return &client.Error{
			Kind: client.KindLost, Message: "the answer was lost: if the server had opened the secret, its content is lost too", Cause: fail.Err,
		}
	case fail.Outcome == attempt.OutcomeUnknown && ctx.Err() != nil:
		return fail.Err
	case fail.Outcome == attempt.OutcomeUnknown || o.lost && fail.Err.Kind == client.KindLimited:
		return nil
	case o.lost && fail.Err.Kind == client.KindGone:
		return &client.Error{
			Kind:    client.KindLost,
			Message: "an answer was lost, and the secret is gone now: the time to ask for its content again is over, or another reader was faster",
		}
	case o.lost && o.isClaimAlone(number) && isAboutProofs(fail.Refusal.reason):
		return &client.Error{Kind: client.KindNetwork, Message: "the connection was lost before the secret was opened: it still waits, and the passphrase may have cost a try"}
	}
	return fail.Err
}

// isAboutProofs reports whether a refusal says that the secret waits, and is not
// bound to the claim.
func isAboutProofs(reason hushv1.Refusal_Reason) bool {
	return reason == hushv1.Refusal_REASON_ENCRYPTION || reason == hushv1.Refusal_REASON_PASSPHRASE
}

// lapsed returns the error for a claim whose time is over.
func (o *opening) lapsed(fail *failure) error {
	if !o.lost {
		return fail.Err
	}
	return &client.Error{
		Kind:    client.KindNetwork,
		Message: "no answer came while the claim lasted: if the server had opened the secret, its content is lost; otherwise the secret still waits",
		Cause:   fail.Err,
	}
}

// read checks an answer and returns its content. What fails a check is not
// acknowledged, so that it can be asked for again.
func (o *opening) read(answer *hushv1.RevealSecretResponse) (client.Opened, error) {
	opened := client.Opened{Claimed: !o.claim.IsNone() && answer.GetClaimLeft() != nil}
	if opened.Claimed {
		opened.ClaimLeft = min(max(time.Until(o.keptUntil()).Round(time.Second), 0), client.ClaimTime)
	}
	secret, isEndToEnd := answer.GetSecret(), o.link.Encryption == client.EncryptionEndToEnd
	if encryptionOf(secret.GetEncryption()) != o.link.Encryption || isEndToEnd && answer.GetValue() != "" || !isEndToEnd && len(answer.GetContent()) > 0 {
		return client.Opened{}, errOtherKind()
	}
	if secret.GetSecretKey() != o.link.Key.Expose() {
		return client.Opened{}, &client.Error{Kind: client.KindAltered, Message: "the server returned another secret than that of the link"}
	}
	if !isEndToEnd {
		opened.Content = client.Content{Bytes: []byte(answer.GetValue())}
		return opened, nil
	}
	content, err := o.decrypt(answer.GetContent())
	if err != nil {
		return client.Opened{}, err
	}
	opened.Content = content
	return opened, nil
}

// decrypt returns a content after all of its checks.
func (o *opening) decrypt(sealed []byte) (client.Content, error) {
	content, err := o.keys.Open(bytes.NewReader(sealed))
	if err != nil {
		return client.Content{}, o.altered(err)
	}
	body, err := io.ReadAll(content)
	if err != nil {
		return client.Content{}, o.altered(err)
	}
	opened := client.Content{Bytes: body, IsFile: content.Header.Kind == endtoend.KindFile}
	if opened.IsFile {
		opened.FileName = content.Header.FileName
	}
	return opened, nil
}

// altered returns what an error of decrypting means. Of a secret that the server
// does not describe any more, it is not known whether it has a passphrase.
func (o *opening) altered(err error) error {
	switch {
	case o.resumed && errors.Is(err, endtoend.ErrContent):
		return &client.Error{
			Kind: client.KindPassphrase, Message: "the content does not open: the passphrase is missing or wrong, or the content was altered",
			Missing: o.passphrase.IsEmpty(), TriesLeft: -1,
		}
	case errors.Is(err, endtoend.ErrHeader):
		return &client.Error{Kind: client.KindAltered, Message: "the content has a form that this version does not know"}
	}
	return &client.Error{Kind: client.KindAltered, Message: "the content was altered, or belongs to another link"}
}

// Acknowledge implements client.Backend.
func (h *Client) Acknowledge(ctx context.Context, link client.Link, claim client.Claim) error {
	if claim.IsNone() {
		return nil
	}
	request := &hushv1.AcknowledgeRevealRequest{SecretKey: link.Key.Expose(), Claim: claim.Bytes()}
	until := time.Now().Add(h.claimTime / acknowledgeShare)
	_, fail := attempt.Do(ctx, h.repeats.Endless(), func(int) (*hushv1.AcknowledgeRevealResponse, *failure) {
		answer, fail := call(ctx, h, h.secrets.AcknowledgeReveal, request, answerTime)
		if fail != nil {
			mayPass := fail.Outcome != attempt.OutcomeRefused || fail.Err.Kind == client.KindLimited
			fail.Repeatable, fail.Until = mayPass && ctx.Err() == nil, until
		}
		return answer, fail
	})
	if fail != nil {
		return fail.Err
	}
	return nil
}
