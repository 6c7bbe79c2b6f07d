package secret

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/quota"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

// Answer is an answer to a request: an end-to-end encrypted secret that counts toward its
// requester and that only the requester's device opens. Its receipt is the responder's,
// without an account, and never shows the secret's key.
type Answer struct {
	answer.Ref
	// Places is how many answers the request takes, and Pair the public half of its pair.
	Places int
	Pair   seal.AccountPublic
	// CollectProof is SHA-256 of the proof of the request's collect link.
	CollectProof [sha256.Size]byte
	// Owner is the requester's account, or empty; then Network and Wide are the
	// requester's.
	Owner         string
	Network, Wide [8]byte
	// ShareDomain is that of the request.
	ShareDomain string
	// Content is what the responder's device encrypted, and SealedLink its link, sealed
	// to the requester's device. Call is the digest of all that the responder sent.
	Content    SealedContent
	SealedLink []byte
	Call       answer.Call
	// Challenge is a solved challenge for the action conceal, if the policy requires
	// one.
	Challenge string
}

// ConcealAnswer stores an answer and returns its receipt once it is durable. It takes a
// place of the request in the same transaction, in which beside runs first: it checks that
// the request still takes answers. Its errors are those of beside, those of ConcealSecret
// that concern the content, quotas and challenges, ErrDuplicate if the request has an
// answer of that number, and ErrRequestEnded if no place is left. After any of them it has
// stored nothing.
func (se *Secrets) ConcealAnswer(ctx context.Context, c caller.Caller, a Answer, beside func(*rows.Tx) error) (receipt.Metadata, error) {
	concealed, err := se.conceal(ctx, c, "", Terms{Sealed: &a.Content, Challenge: a.Challenge, answer: &answering{a, beside}}, false)
	if err != nil {
		return receipt.Metadata{}, err
	}
	se.watches.Tell(a.Request)
	return concealed.Metadata, nil
}

// answering is an answer with what runs in its transaction.
type answering struct {
	Answer

	beside func(*rows.Tx) error
}

// draftAnswer is what the draft of an answer has besides.
type draftAnswer struct {
	record *answer.Draft
	beside func(*rows.Tx) error
	// receipt is what the receipt counts for, and elsewhere what other nodes counted for
	// its network.
	receipt   quota.Charge
	elsewhere quota.Elsewhere
}

// draftAnswer is draft for an answer. What the operator allows of sharing does not matter
// here: the requester was allowed to ask.
func (se *Secrets) draftAnswer(c caller.Caller, terms Terms, now time.Time) (*draft, error) {
	a := terms.answer
	if err := se.policy.AdmitAnswer(); err != nil {
		return nil, err
	}
	if err := se.limits.AdmitAnswer(a.Owner != "", int64(len(a.Content.Content))); err != nil {
		return nil, err
	}
	if err := a.Content.checkHashes(); err != nil {
		return nil, err
	}
	ttl := min(answer.Lifetime, se.limits.AccountTTL)
	sender := caller.Caller{Network: c.Network} // the receipt is no account's, also if one answers
	var wide [8]byte
	if around := c.Network.WideBytes(); around != nil {
		wide = se.keys.NetworkID(around)
	}
	key := seal.NewToken(now)
	d := &draft{sender: sender, key: key, row: key.RowKey(seal.KindSecret), linkDomain: a.ShareDomain}
	d.receipt = se.receipts.Draft(sender, receipt.DraftOptions{
		Secret: key, Keyless: true, Encryption: receipt.EncryptionEndToEnd, HasPassphrase: a.Content.HasPassphrase,
		Created: now, TTL: ttl, Network: se.keys.NetworkID(c.Network.Bytes()), Wide: wide,
	})
	d.secret = Record{
		encryption: receipt.EncryptionEndToEnd, kid: se.keys.KID(), created: now, expires: now.Add(ttl), metadata: d.receipt.Row(),
		network: a.Network, wide: a.Wide, owner: a.Owner, shareDomain: a.ShareDomain, isGuarded: a.Content.HasPassphrase,
		answer: &answerPart{ref: a.Ref, collectProof: a.CollectProof},
	}
	copy(d.secret.linkProof[:], a.Content.LinkProofHash)
	record, err := answer.NewDraft(se.keys, answer.DraftOptions{
		Ref: a.Ref, Places: a.Places, Pair: a.Pair, Call: a.Call, SealedLink: a.SealedLink, Size: len(a.Content.Content),
		HasPassphrase: a.Content.HasPassphrase, Created: now, Expires: d.secret.expires, Secret: key, Receipt: d.receipt.Key(),
	})
	if err != nil {
		return nil, errors.Join(err, rows.ErrInconsistent) // the pair is the server's
	}
	d.answer = &draftAnswer{record: record, beside: a.beside, receipt: d.receipt.Charge()}
	return d, nil
}

// storeAnswer is storeDraft for an answer. The bytes of its receipt count toward the
// network of the responder, and are reserved apart.
func (se *Secrets) storeAnswer(ctx context.Context, c caller.Caller, d *draft, text caller.Text, terms Terms) (err error) {
	if d.answer.elsewhere, err = se.usage.Reserve(ctx, d.answer.receipt, se.limits); err != nil {
		return err
	}
	if err := se.storeDraft(ctx, c, d, text, terms); err != nil {
		se.usage.Cancel(d.answer.receipt, err)
		return err
	}
	return nil
}

// putAnswer does in the transaction that stores an answer what other secrets do not need.
func (se *Secrets) putAnswer(tx *rows.Tx, d *draft, ready shares.Ready) error {
	if tx.Format() < rows.FormatRequests {
		return refusal.ErrUnavailable // a request is not stored before it can be answered
	}
	if err := d.answer.beside(tx); err != nil {
		return err
	}
	if err := d.answer.record.Put(tx); err != nil {
		return err
	}
	return se.usage.Put(tx, d.answer.receipt, d.answer.elsewhere, se.limits, ready.Slot.Number, d.row, d.receipt.Row())
}

// check returns ErrLink unless a proof is that of the collect link.
func (a *answerPart) check(proof caller.Text) error {
	hash := sha256.Sum256([]byte(proof))
	if subtle.ConstantTimeCompare(hash[:], a.collectProof[:]) != 1 {
		return refusal.ErrLink
	}
	return nil
}

// touch lets those who watch a request see that something was added to the timeline of
// an answer. It does nothing for other secrets.
func (r *Record) touch(tx *rows.Tx) error {
	if r.answer == nil {
		return nil
	}
	return answer.Touched(tx, r.answer.ref.Request)
}

// tell tells those who watch a secret's receipt, or the request that it answers, of a
// change that is durable.
func (se *Secrets) tell(r *Record) {
	if r.answer == nil {
		se.watches.Tell(r.metadata)
		return
	}
	se.watches.Tell(r.metadata, r.answer.ref.Request)
}

// endAnswer notes in an answer that its secret ended. A damaged answer does not keep the
// content alive.
func (se *Secrets) endAnswer(tx *rows.Tx, record *Record, state receipt.State, claimed bool, at time.Time) error {
	if state == receipt.StateExpired {
		at = record.expires
	}
	err := rows.Try(tx, func() error { return answer.Ended(tx, record.answer.ref, state, claimed, at) })
	if rows.IsDamage(err) && !errors.Is(err, rows.ErrHalfDone) {
		se.log.Error("noting the end of an answer", "cause", err)
		return nil
	}
	return err
}

// BurnAnswer destroys the content of an answer unread, by its receipt's row. by is the
// masked network of who does it, empty for none. It returns ErrNotFound if it does not
// wait.
func (bu *Burns) BurnAnswer(ctx context.Context, row seal.RowKey, by string) error {
	_, err := bu.endUnproved(ctx, row, moveBurn, by, bu.clock.Now(), nil)
	return err
}
