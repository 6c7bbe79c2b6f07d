package request

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
)

// Sent is an answer as its responder's device sent it.
type Sent struct {
	Number answer.Number
	// SealedLink is the link secret of the content, sealed to the requester's device.
	SealedLink caller.Text
	Content    secret.SealedContent
	// Challenge is a solved challenge for the action conceal, if the policy requires
	// one.
	Challenge string
}

// call returns the digest of what a repeat sends again. A solved challenge is none of it:
// it serves once.
func (s *Sent) call() answer.Call {
	guarded := []byte{0}
	if s.Content.HasPassphrase {
		guarded[0] = 1
	}
	return answer.CallOf(s.Number[:], []byte(s.SealedLink), []byte(s.Content.Content), []byte(s.Content.LinkProofHash), []byte(s.Content.ProofHash), guarded)
}

// AnswerRequest stores an answer and returns its receipt once it is durable, and the same
// receipt again to a repeat, whatever became of the request. It returns ErrNotFound,
// ErrLink, ErrRequestEnded, ErrDuplicate for another answer of the same number, and
// ErrInvalid, ErrTooLarge, ErrQuota, ErrMaintenance or ErrChallenge. After any of them it
// has stored nothing.
func (re *Requests) AnswerRequest(ctx context.Context, c caller.Caller, key string, proof caller.Text, s Sent) (receipt.Metadata, error) {
	if len(s.SealedLink) != answer.SealedLinkSize {
		return receipt.Metadata{}, &refusal.InvalidError{Field: "sealed_link", Text: "has a wrong length"}
	}
	now := re.clock.Now()
	f, err := re.byLink(ctx, c, key, proof, now)
	if err != nil {
		return receipt.Metadata{}, err
	}
	ref, call := answer.Ref{Request: f.row, Number: s.Number}, s.call()
	m, err := re.repeat(ctx, ref, call)
	if !errors.Is(err, errNew) {
		return m, err
	}
	if f.state(now) != StateOpen {
		return receipt.Metadata{}, refusal.ErrRequestEnded
	}
	m, err = re.storeNew(ctx, c, f, ref, call, s, now)
	if errors.Is(err, refusal.ErrDuplicate) || errors.Is(err, refusal.ErrRequestEnded) {
		// The same answer may have come by another call meanwhile, and taken the last place.
		if again, repeated := re.repeat(ctx, ref, call); !errors.Is(repeated, errNew) {
			return again, repeated
		}
	}
	return m, err
}

// errNew reports that a request has no answer of a number.
var errNew = errors.New("a new answer")

// repeat returns the receipt of an answer to a call that sends it again. It returns errNew
// if the request has no answer of that number, and ErrDuplicate if it is another one.
func (re *Requests) repeat(ctx context.Context, ref answer.Ref, call answer.Call) (receipt.Metadata, error) {
	var kept *answer.Record
	err := re.store.View(ctx, func(tx *rows.Tx) (err error) {
		kept, err = answer.Load(tx, ref)
		return err
	})
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return receipt.Metadata{}, errNew
	case err != nil:
		return receipt.Metadata{}, err
	case !kept.IsRepeat(call):
		return receipt.Metadata{}, refusal.ErrDuplicate
	}
	key, err := kept.ReceiptKey(re.keys, ref, call)
	if err != nil {
		return receipt.Metadata{}, errors.Join(err, rows.ErrInconsistent)
	}
	return re.receipts.Repeated(ctx, key)
}

// storeNew stores an answer that is not a repeat.
func (re *Requests) storeNew(ctx context.Context, c caller.Caller, f found, ref answer.Ref, call answer.Call, s Sent, now time.Time) (receipt.Metadata, error) {
	r := f.record
	noticed := false
	m, err := re.secrets.ConcealAnswer(ctx, c, secret.Answer{
		Ref: ref, Places: int(r.answers), Pair: r.pair, CollectProof: r.collectProof, Owner: r.owner, Network: r.network, Wide: r.wide,
		ShareDomain: r.shareDomain, Content: s.Content, SealedLink: []byte(s.SealedLink), Call: call, Challenge: s.Challenge,
	}, func(tx *rows.Tx) (err error) {
		noticed, err = re.takeAnswer(tx, f.row, now)
		return err
	})
	if err == nil && noticed {
		re.outbox.Wake()
	}
	return m, err
}

// takeAnswer does in the transaction that stores an answer what is the request's part: it
// returns ErrRequestEnded unless the request takes answers, audits, and queues the mail to
// the requester if one was asked for. Package answer counts the places.
func (re *Requests) takeAnswer(tx *rows.Tx, row seal.RowKey, now time.Time) (noticed bool, err error) {
	r, err := load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) {
		return false, refusal.ErrRequestEnded
	}
	if err != nil {
		return false, err
	}
	f := found{row: row, record: r}
	if f.owner, err = ownerOf(tx, r); err != nil {
		return false, err
	}
	if f.state(now) != StateOpen {
		return false, refusal.ErrRequestEnded
	}
	if err := audit.Write(tx, now, audit.Answer, row); err != nil {
		return false, err
	}
	id, ok := caller.ParseAccountID(r.owner)
	if !ok || !r.notifies {
		return false, nil
	}
	return true, re.outbox.PutNotice(tx, outbox.Mail{
		Kind: outbox.MailAnswered, To: caller.Text(re.accounts.AddressOf(id, f.owner)), Locale: f.owner.Locale, Created: now,
	}, now)
}
