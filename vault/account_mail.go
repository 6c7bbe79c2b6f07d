package vault

import (
	"context"
	"errors"
	"time"

	"hush/storage"
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
	if err != nil || r.count >= most {
		return false, err
	}
	if r.count == 0 {
		r.began = now
	}
	r.count++
	return true, putTries(tx, key, r)
}

// mailed makes a mail ready and runs change in a transaction, which tells
// whether the mail goes out. One that does not was made ready all the same, and
// the transaction reads and writes as often and fails where the other would, so
// that nobody can tell from the work whether there is an account; the mail is
// destroyed behind the answer.
func (v *Vault) mailed(ctx context.Context, m Mail, now time.Time, change func(storage.Tx) (goes bool, err error)) error {
	draft, err := v.draftMail(ctx, m, now)
	if err != nil {
		return err
	}
	goes := false
	err = v.store.Update(ctx, func(tx storage.Tx) error {
		even := &evenTx{Tx: tx}
		var err error
		if goes, err = change(even); err != nil {
			return err
		}
		if goes {
			err = draft.put(even)
		} else {
			err = queueHasRoom(even)
		}
		if err != nil {
			return err
		}
		return even.level(now)
	})
	if err == nil && goes {
		v.posted()
		return nil
	}
	cause := err
	if cause == nil {
		cause = errNotMailed
	}
	v.background(func() { v.discardMail(cause, draft) })
	return err
}
