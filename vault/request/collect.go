package request

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"hush/seal"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Answer is an answer as its requester is shown it.
type Answer struct {
	Number answer.Number
	// SealedLink is what the responder's device sent, and Secret the key of the answer as
	// a secret; empty and nil once the content is gone for good.
	SealedLink caller.Text
	Secret     *seal.Token
	// State is that of the answer as a secret. With StateReceived, a SealedLink means
	// that the claim lasts that it was revealed with.
	State         receipt.State
	HasPassphrase bool
	// Size is the length of the content as it is encrypted.
	Size             int64
	Created, Expires time.Time
	// Events is what happened to it, oldest first; empty once the responder's receipt is
	// forgotten.
	Events []receipt.Event
}

// Collection is a request with its answers, as its requester's device is shown them.
type Collection struct {
	Request Request
	// Key is the key in the request's link.
	Key seal.Token
	// Card and LinkBox are as the requester's device encrypted them.
	Card, LinkBox caller.Text
	// Answers are in the order in which they came.
	Answers []Answer
}

// CollectLink is what a device with the collect link shows.
type CollectLink struct {
	Key   string
	Proof caller.Text
}

// collected is a request that was found by its collect link.
type collected struct {
	found

	collect seal.Token
	answers []foundAnswer
}

type foundAnswer struct {
	ref    answer.Ref
	record *answer.Record
	events []receipt.Event
}

// byCollect finds the request of a collect link, with answers if they are wanted, or
// returns ErrNotFound, and ErrLink for a wrong proof.
func (re *Requests) byCollect(ctx context.Context, c caller.Caller, link CollectLink, answers bool, now time.Time) (f collected, err error) {
	token, ok := seal.ParseToken(link.Key)
	if !ok {
		return f, refusal.ErrNotFound
	}
	collect := token.RowKey(seal.KindCollect)
	err = re.store.View(ctx, func(tx *rows.Tx) error {
		f = collected{collect: token}
		row, err := rows.Load(tx, BucketCollection, collect[:], decodeCollection)
		if err != nil {
			return err
		}
		if f.found, err = re.read(tx, c, row, now); err != nil {
			return err
		}
		switch {
		case f.record.collect != collect:
			return rows.ErrInconsistent
		case !isProof(link.Proof, f.record.collectProof):
			return refusal.ErrLink
		case !answers:
			return nil
		}
		return re.readAnswers(tx, &f, now)
	})
	return f, err
}

// readAnswers reads the answers in the order in which they came. It logs a receipt that
// cannot be read, and leaves out its events: the answers are still worth showing.
func (re *Requests) readAnswers(tx *rows.Tx, f *collected, now time.Time) error {
	err := answer.Of(tx, f.row, func(ref answer.Ref, r *answer.Record) error {
		f.answers = append(f.answers, foundAnswer{ref: ref, record: r})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(f.answers, func(a, b foundAnswer) int { return cmp.Compare(a.record.Place, b.record.Place) })
	for i := range f.answers {
		a := &f.answers[i]
		a.events, err = re.receipts.EventsIn(tx, a.record.Receipt, now)
		if rows.IsDamage(err) {
			re.log.Error("reading the receipt of an answer", "cause", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// GetCollection returns a request with its answers. It opens none, and changes no state.
// It returns ErrNotFound, and ErrLink for a wrong proof.
func (re *Requests) GetCollection(ctx context.Context, c caller.Caller, link CollectLink) (Collection, error) {
	now := re.clock.Now()
	f, err := re.byCollect(ctx, c, link, true, now)
	if err != nil {
		return Collection{}, err
	}
	return re.showCollection(ctx, c, &f, now)
}

func (re *Requests) showCollection(ctx context.Context, c caller.Caller, f *collected, now time.Time) (Collection, error) {
	r := f.record
	key, pair, err := re.keys.OpenCollection(f.collect, r.collect, r.box)
	if err != nil {
		return Collection{}, errors.Join(err, rows.ErrInconsistent)
	}
	re.renew(ctx, f, key, pair)
	shown := Collection{Request: f.show(c, now), Key: key, Card: caller.Text(r.card), LinkBox: caller.Text(r.linkBox)}
	for _, a := range f.answers {
		shown.Answers = append(shown.Answers, re.showAnswer(a, pair, now))
	}
	return shown, nil
}

// showAnswer opens the key of an answer and returns the requester's view. It logs a key
// that does not open, and leaves it out: the other answers are still worth showing.
func (re *Requests) showAnswer(a foundAnswer, pair seal.AccountKey, now time.Time) Answer {
	r := a.record
	shown := Answer{
		Number: a.ref.Number, State: r.State, HasPassphrase: r.HasPassphrase, Size: int64(r.Size), Created: r.Arrived, Expires: r.Expires,
		Events: a.events,
	}
	switch {
	case r.State.Live() && !now.Before(r.Expires):
		shown.State = receipt.StateExpired // even before the sweeper ran
		return shown
	case !r.Openable():
		return shown
	}
	key, err := pair.OpenEntry(r.Secret, r.SealedKey)
	if err != nil {
		re.log.Error("the key of an answer does not open", "cause", err)
		return shown
	}
	shown.Secret, shown.SealedLink = &key, caller.Text(r.SealedLink)
	return shown
}

// renew seals with the current root key what only the collect key opens: at this use alone
// it is at hand. If that fails, the old seal opens for as long as the old root key is
// there.
func (re *Requests) renew(ctx context.Context, f *collected, key seal.Token, pair seal.AccountKey) {
	if re.keys.Ring().IsCurrent(f.record.box) {
		return
	}
	box := re.keys.SealCollection(f.collect, f.record.collect, key, pair)
	err := re.store.Update(ctx, func(tx *rows.Tx) error {
		r, err := load(tx, f.row)
		if err != nil || re.keys.Ring().IsCurrent(r.box) {
			return err
		}
		r.box = box
		return tx.Put(BucketRequest, f.row[:], r.encode())
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, refusal.ErrNotFound) {
		re.log.Warn("sealing a request with the current root key", "cause", err)
	}
}

// BurnAnswer destroys an answer unread, and returns the collection as it is then. It
// returns ErrNotFound if no such answer waits, and ErrLink for a wrong proof.
func (re *Requests) BurnAnswer(ctx context.Context, c caller.Caller, link CollectLink, number answer.Number) (Collection, error) {
	f, err := re.byCollect(ctx, c, link, true, re.clock.Now())
	if err != nil {
		return Collection{}, err
	}
	at := slices.IndexFunc(f.answers, func(a foundAnswer) bool { return a.ref.Number == number })
	if at < 0 {
		return Collection{}, refusal.ErrNotFound
	}
	if err := re.burns.BurnAnswer(ctx, f.answers[at].record.Receipt, c.Network.Masked()); err != nil {
		return Collection{}, err
	}
	return re.GetCollection(ctx, c, link)
}
