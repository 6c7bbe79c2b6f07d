package account

import (
	"context"
	"errors"
	"time"

	"hush/storage"
	"hush/vault/outbox"
)

// How often an address is written to, whoever asks for it.
const (
	// verifyPause is how far apart links that confirm an address are mailed.
	verifyPause = 5 * time.Minute
	// mailWindow is how long the other mails add up.
	mailWindow = time.Hour
	// resetMails is how many links that set a password an address gets in a
	// window, and how many that confirm it as a next address.
	resetMails = 3
)

// errNotMailed is why a mail that was ready is destroyed.
var errNotMailed = errors.New("not mailed")

// mayMail counts a mail of a kind to an address and tells whether it may go.
// Addresses without an account are counted, too.
func mayMail(tx storage.Tx, addressID [32]byte, kind byte, now time.Time) (bool, error) {
	most := uint32(1)
	if kind == mailsReset || kind == mailsAddress {
		most = resetMails
	}
	key := triesKey(addressID, kind, nil)
	r, err := getTries(tx, key, now)
	if err != nil || r.Count >= most {
		return false, err
	}
	if r.Count == 0 {
		r.Began = now
	}
	r.Count++
	return true, putTries(tx, key, r)
}

// mailed makes a mail ready and runs change in a transaction, which tells
// whether the mail goes out. One that does not was made ready all the same, and
// the transaction reads and writes as often and fails where the other would, so
// that nobody can tell from the work whether there is an account; the mail is
// destroyed behind the answer.
func (su *SignUps) mailed(ctx context.Context, m outbox.Mail, now time.Time, change func(storage.Tx) (goes bool, err error)) error {
	draft, err := su.outbox.Draft(ctx, m, now)
	if err != nil {
		return err
	}
	goes := false
	err = su.store.Update(ctx, func(tx storage.Tx) error {
		even := &evenTx{Tx: tx}
		var err error
		if goes, err = change(even); err != nil {
			return err
		}
		if goes {
			err = draft.Put(even)
		} else {
			err = outbox.CheckQueue(even)
		}
		if err != nil {
			return err
		}
		return even.level(now)
	})
	if err == nil && goes {
		su.outbox.Wake()
		return nil
	}
	cause := err
	if cause == nil {
		cause = errNotMailed
	}
	su.others.Background(func() { su.outbox.Discard(cause, draft) })
	return err
}
