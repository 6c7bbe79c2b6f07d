package request

import (
	"cmp"
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Closing is the result of closing a request.
type Closing struct {
	Request Request // as it is then
	Burned  int     // answers
}

// CloseByLink ends a request by its collect link: it takes no more answers. With burn, the
// answers that wait are burned; else they wait as they did. It returns ErrNotFound, and
// ErrLink for a wrong proof.
func (re *Requests) CloseByLink(ctx context.Context, c caller.Caller, link CollectLink, burn bool) (Closing, error) {
	f, err := re.byCollect(ctx, c, link, false, re.clock.Now())
	if err != nil {
		return Closing{}, err
	}
	return re.closeFound(ctx, c, f.row, burn)
}

// CloseByID is CloseByLink for the account that asked, by Request.ID. It returns
// ErrUnauthenticated to callers without an account.
func (re *Requests) CloseByID(ctx context.Context, c caller.Caller, id string, burn bool) (Closing, error) {
	if c.Anonymous() {
		return Closing{}, refusal.ErrUnauthenticated
	}
	row, ok := parseID(id)
	if !ok {
		return Closing{}, refusal.ErrNotFound
	}
	now := re.clock.Now()
	err := re.store.View(ctx, func(tx *rows.Tx) error {
		r, _, err := loadKept(tx, row, now)
		if err == nil && r.owner != c.Account() {
			err = refusal.ErrNotFound
		}
		return err
	})
	if err != nil {
		return Closing{}, err
	}
	return re.closeFound(ctx, c, row, burn)
}

func (re *Requests) closeFound(ctx context.Context, c caller.Caller, row seal.RowKey, burn bool) (done Closing, err error) {
	now := re.clock.Now()
	if err := re.end(ctx, row, storedClosed, now, nil); err != nil {
		return Closing{}, err
	}
	if burn {
		if done.Burned, err = re.burnAll(ctx, row, c.Network.Masked()); err != nil {
			return Closing{}, err
		}
	}
	err = re.store.View(ctx, func(tx *rows.Tx) error {
		c := c
		c.Site = caller.Site{} // it was found already
		f, err := re.read(tx, c, row, now)
		done.Request = f.show(c, now)
		return err
	})
	return done, err
}

// end ends a request, and returns ErrNotFound for an unknown one. One that was closed stays
// so, but an administrator's word is the last. beside, unless nil, runs in the same
// transaction.
func (re *Requests) end(ctx context.Context, row seal.RowKey, to stored, now time.Time, beside func(*rows.Tx) error) error {
	err := re.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		r, _, err := loadKept(tx, row, now)
		if err != nil {
			return err
		}
		if beside != nil {
			if err := beside(tx); err != nil {
				return err
			}
		}
		if r.state >= to {
			return nil
		}
		if r.closed.IsZero() {
			r.closed = now
		}
		r.state = to
		if err := tx.Put(BucketRequest, row[:], r.encode()); err != nil {
			return err
		}
		if err := answer.Touched(tx, row); err != nil {
			return err
		}
		return audit.Write(tx, now, audit.Close, row)
	})
	if err == nil {
		re.watches.Tell(row)
	}
	return err
}

// burnAll burns the answers of a request that wait, each in its own transaction, and
// returns how many. Damage to one keeps none of the others, and is returned in the end. by
// is a masked network, empty for none.
func (re *Requests) burnAll(ctx context.Context, row seal.RowKey, by string) (burned int, err error) {
	var waiting []seal.RowKey
	err = re.store.View(ctx, func(tx *rows.Tx) error {
		waiting = nil
		return answer.Of(tx, row, func(_ answer.Ref, r *answer.Record) error {
			if r.State.Live() {
				waiting = append(waiting, r.Receipt)
			}
			return nil
		})
	})
	if err != nil {
		return 0, err
	}
	var damaged error
	for _, receipt := range waiting {
		err := re.burns.BurnAnswer(ctx, receipt, by)
		switch {
		case errors.Is(err, refusal.ErrNotFound): // it was opened meanwhile, or its time is over
		case rows.IsDamage(err):
			damaged = cmp.Or(damaged, err)
		case err != nil:
			return burned, err
		default:
			burned++
		}
	}
	return burned, damaged
}

// Withdraw closes the request of a reported link for an administrator, burns the answers
// that wait, and returns how many. From then on it shows its card to no one but its
// requester. A caller who is not a colonel gets ErrNotFound, as for an unknown key.
func (re *Requests) Withdraw(ctx context.Context, c caller.Caller, key string) (burned int, err error) {
	if !c.Colonel() {
		return 0, refusal.ErrNotFound
	}
	token, ok := seal.ParseToken(key)
	if !ok {
		return 0, refusal.ErrNotFound
	}
	return re.withdraw(ctx, token, c.AccountID())
}

// Operator holds the operator's actions on requests. It asks for no password: only the
// process that owns the data folder hands it out.
type Operator struct{ requests *Requests }

// NewOperator returns the operator's actions on requests.
func NewOperator(requests *Requests) Operator { return Operator{requests} }

// Withdraw closes the request of a reported link like an administrator can. A text without
// a key returns an InvalidError.
func (o Operator) Withdraw(ctx context.Context, link caller.Text) (burned int, err error) {
	token, ok := seal.TokenIn(string(link))
	if !ok {
		return 0, &refusal.InvalidError{Field: "link", Text: "This is not a link, or not all of it."}
	}
	return o.requests.withdraw(ctx, token, caller.AccountID{})
}

// withdraw closes a request on a report, and audits the account that does; the zero id is
// the operator.
func (re *Requests) withdraw(ctx context.Context, token seal.Token, by caller.AccountID) (burned int, err error) {
	row, now := token.RowKey(seal.KindRequest), re.clock.Now()
	err = re.end(ctx, row, storedWithdrawn, now, func(tx *rows.Tx) error {
		if err := audit.Write(tx, now, audit.Withdraw, row); err != nil {
			return err
		}
		return audit.WriteAccount(tx, now, audit.Report, by)
	})
	if err != nil {
		return 0, err
	}
	return re.burnAll(ctx, row, "")
}

// EndAccount closes the requests of an account that ends, burns their answers that wait,
// and returns how many. Damage to one keeps none of the others, and is returned in the end.
// If the caller cancels, it may be repeated.
func (re *Requests) EndAccount(ctx context.Context, id caller.AccountID, now time.Time) (burned int, err error) {
	prefix := append([]byte{kindAccount}, id[:]...)
	var listed [][]byte
	err = re.store.View(ctx, func(tx *rows.Tx) (err error) {
		listed, err = rows.FirstKeysFrom(tx, BucketRequests, prefix, rows.PrefixEnd(prefix), accountMost+1)
		return err
	})
	if err != nil {
		return 0, err
	}
	var damaged error
	for _, key := range listed {
		n, err := re.endListed(ctx, key, now)
		burned += n
		if err != nil && !rows.IsDamage(err) {
			return burned, err
		}
		damaged = cmp.Or(damaged, err)
	}
	return burned, damaged
}

// endListed closes a request that a row of BucketRequests lists, and burns its answers that
// wait, also if the request cannot be read.
func (re *Requests) endListed(ctx context.Context, key []byte, now time.Time) (burned int, err error) {
	row, err := listedRow(key)
	if err != nil {
		return 0, err
	}
	closed := re.end(ctx, row, storedClosed, now, nil)
	if closed != nil && !errors.Is(closed, refusal.ErrNotFound) && !rows.IsDamage(closed) {
		return 0, closed
	}
	burned, err = re.burnAll(ctx, row, "")
	if err == nil && rows.IsDamage(closed) {
		err = closed
	}
	return burned, err
}
