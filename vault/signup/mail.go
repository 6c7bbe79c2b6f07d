package signup

import (
	"context"
	"errors"
	"time"

	"hush/crash"
	"hush/vault/outbox"
	"hush/vault/rows"
)

// errNotMailed is the cause logged for destroying a prepared mail.
var errNotMailed = errors.New("not mailed")

// mailed prepares a mail and runs change in a transaction. change reports
// whether the mail is to be sent. A mail that is not sent was prepared all the
// same, and the transaction reads, writes and fails as often, so that the work
// does not reveal whether there is an account. The mail is then destroyed in
// the background.
func (su *SignUps) mailed(ctx context.Context, m outbox.Mail, now time.Time, change func(*rows.Tx) (goes bool, err error)) error {
	draft, err := su.outbox.Draft(ctx, m, now)
	if err != nil {
		return err
	}
	goes := false
	err = su.store.Update(ctx, func(tx *rows.Tx) error {
		reads, writes := tx.Work()
		var err error
		if goes, err = change(tx); err != nil {
			return err
		}
		if goes {
			err = draft.Put(tx)
		} else {
			err = su.outbox.CheckQueue(tx)
		}
		if err != nil {
			return err
		}
		return level(tx, reads, writes, now)
	})
	if err == nil && goes {
		su.outbox.Wake()
		return nil
	}
	cause := err
	if cause == nil {
		cause = errNotMailed
	}
	crash.Go(&su.discarding, su.log, func() { su.outbox.Discard(cause, draft) })
	return err
}
