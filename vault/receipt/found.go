package receipt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/file"
	"hush/vault/outbox"
	"hush/vault/passphrase"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// The labels of what is sealed under the metadata key.
const (
	labelKey  = "key"
	labelMemo = "memo"
)

// Found is a receipt as it was read, together with what is stored beside it.
type Found struct {
	key        seal.Token
	row        seal.RowKey
	sealed     []byte // key for the list; nil outside it
	record     *Record
	timeline   *timelineRecord
	deliveries []outbox.Delivery
	// lockedForGood reports that all tries at the secret are used up.
	lockedForGood bool
	file          *file.Progress // nil unless the secret is a file
}

// FindLive returns the receipt of a key whose secret lives, or ErrNotFound.
func (re *Receipts) FindLive(ctx context.Context, key string) (Found, error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return Found{}, refusal.ErrNotFound
	}
	found, err := re.find(ctx, token, re.clock.Now())
	if err == nil && !found.record.state.Live() {
		err = refusal.ErrNotFound
	}
	return found, err
}

// Row returns the row of the receipt.
func (f *Found) Row() seal.RowKey { return f.row }

// OwnedBy reports whether the caller's account concealed the secret.
func (f *Found) OwnedBy(c caller.Caller) bool { return f.record.ownedBy(c) }

// Encryption returns the kind of the secret.
func (f *Found) Encryption() Encryption { return f.record.encryption }

// LockedForGood reports whether all tries at the secret are used up.
func (f *Found) LockedForGood() bool { return f.lockedForGood }

// OpenKey returns the key of the receipt's secret, which must live.
func (re *Receipts) OpenKey(f *Found) (seal.Token, error) {
	plain, err := re.keys.OpenMetadata(f.key, f.row, labelKey, f.record.sealedKey)
	if err != nil {
		return seal.Token{}, fmt.Errorf("opening a receipt: %w", errors.Join(err, rows.ErrInconsistent))
	}
	token, ok := seal.ParseToken(string(plain))
	if !ok {
		return seal.Token{}, fmt.Errorf("receipt without a key: %w", rows.ErrInconsistent)
	}
	return token, nil
}

// ShowEnded returns the sender's view of a receipt that was found and whose record has
// become ended since.
func (re *Receipts) ShowEnded(ctx context.Context, c caller.Caller, f Found, ended *Record, now time.Time) Metadata {
	f.record = ended
	return re.show(ctx, c, &f, now)
}

// find loads a receipt and what belongs to it in a read transaction, or returns
// ErrNotFound.
func (re *Receipts) find(ctx context.Context, key seal.Token, now time.Time) (found Found, err error) {
	err = re.store.View(ctx, func(tx *rows.Tx) (err error) {
		found, err = read(tx, key, now)
		return err
	})
	return found, err
}

// read loads a receipt and what belongs to it, as of now, or returns ErrNotFound.
func read(tx *rows.Tx, key seal.Token, now time.Time) (found Found, err error) {
	found.key = key
	found.row = key.RowKey(seal.KindMetadata)
	if found.record, err = Load(tx, found.row); err != nil {
		return Found{}, err
	}
	if !now.Before(found.record.Forgotten()) {
		return Found{}, refusal.ErrNotFound
	}
	found.record = found.record.asOf(now)
	if found.timeline, err = getTimeline(tx, found.row); err != nil {
		return Found{}, err
	}
	if found.lockedForGood, err = lockedForGood(tx, found.record, now); err != nil {
		return Found{}, err
	}
	if found.file, err = fileIn(tx, found.row); err != nil {
		return Found{}, err
	}
	found.deliveries, err = outbox.GetDeliveries(tx, found.row)
	return found, err
}

// fileIn returns how far the file of a receipt has come; nil for another secret, and for a
// file whose records cannot be read: its sender can still look at the receipt, and burn it.
func fileIn(tx *rows.Tx, row seal.RowKey) (*file.Progress, error) {
	p, err := file.ProgressIn(tx, row)
	if rows.IsDamage(err) {
		return nil, nil //nolint:nilnil // an examination reports it
	}
	return p, err
}

// lockedForGood reports whether all tries at a receipt's secret are used up.
func lockedForGood(tx *rows.Tx, r *Record, now time.Time) (bool, error) {
	if !r.hasPassphrase || !r.state.Live() || !now.Before(r.expires) {
		return false, nil
	}
	return passphrase.UsedUp(tx, r.secret)
}

// asOf returns the receipt as of now: a secret past its time is shown as
// expired, even before the sweeper ran.
func (r *Record) asOf(now time.Time) *Record {
	if r.state.Live() && !now.Before(r.expires) {
		r.markEnded(StateExpired, r.expires)
	}
	return r
}

// show opens what is sealed in a receipt and returns the sender's view.
// It leaves out and logs what does not open: the rest is still worth showing.
func (re *Receipts) show(ctx context.Context, c caller.Caller, f *Found, now time.Time) Metadata {
	r := f.record
	m := describe(f.key, r, now)
	m.LockedForGood = f.lockedForGood && r.state.Live()
	m.File = f.file
	m.Account = re.ownerAddress(ctx, c, r.owner)
	m.ShareDomain = re.receiptDomain(ctx, r)
	if r.state.Live() && r.showsKey(c) && len(r.sealedKey) > 0 {
		token, err := re.OpenKey(f)
		if err != nil {
			re.log.Error("receipt's key does not open", "cause", err)
		} else {
			m.Secret = &token
		}
	}
	m.Memo = re.openMemo(f)
	if r.owner == "" || r.ownedBy(c) {
		m.Events = f.timeline.timeline(r)
		m.Deliveries = f.deliveries
	}
	return m
}

// receiptDomain returns the domain of the links that a receipt shows. On an
// error it returns none: the service's own links open the secret too.
func (re *Receipts) receiptDomain(ctx context.Context, r *Record) (name string) {
	if r.shareDomain == "" {
		return ""
	}
	err := re.store.View(ctx, func(tx *rows.Tx) (err error) {
		name, err = domain.NameShown(tx, r.owner, r.shareDomain, r.created)
		return err
	})
	if err != nil && ctx.Err() == nil {
		re.log.Error("reading a receipt's domain", "cause", err)
	}
	return name
}

// ownerAddress returns the address of an account; empty for no account and for a
// destroyed one.
func (re *Receipts) ownerAddress(ctx context.Context, c caller.Caller, owner string) string {
	if !c.Anonymous() && owner == c.Account() {
		return c.Address()
	}
	id, ok := caller.ParseAccountID(owner)
	if !ok {
		return owner
	}
	address := ""
	err := re.store.View(ctx, func(tx *rows.Tx) error {
		record, err := account.GetAccount(tx, id)
		if err == nil && record.Destroyed.IsZero() {
			address = re.accounts.AddressOf(id, record)
		}
		return err
	})
	if err != nil && !errors.Is(err, refusal.ErrNotFound) && ctx.Err() == nil {
		re.log.Error("reading a receipt's account", "cause", err)
	}
	return address
}

// openMemo returns the sender's note; empty if there is none or it does not
// open.
func (re *Receipts) openMemo(f *Found) caller.Text {
	if len(f.record.sealedMemo) == 0 {
		return ""
	}
	memo, err := re.keys.OpenMetadata(f.key, f.row, labelMemo, f.record.sealedMemo)
	if err != nil {
		re.log.Error("receipt's memo does not open", "cause", err)
	}
	return caller.Text(memo)
}
