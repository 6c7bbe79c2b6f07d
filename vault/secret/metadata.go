package secret

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/domain"
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

// Metadata is the sender's receipt.
type Metadata struct {
	Key seal.Token
	// Secret is the secret key while the secret is live and the caller may see
	// it; otherwise nil. See MetadataRecord.showsKey.
	Secret        *seal.Token
	Hint          string // the first characters of the secret's key
	State         State
	Encryption    Encryption
	Outcome       Outcome
	HasPassphrase bool
	// LockedForGood reports that all tries at the passphrase are used up. The
	// secret can only be burned, without its passphrase.
	LockedForGood bool
	Created       time.Time
	Updated       time.Time
	Forgotten     time.Time // when the receipt is forgotten
	Expires       time.Time // when the secret expires, or would have expired
	Viewed        time.Time // zero until then
	Ended         time.Time // when it was received, burned or expired
	// TTL is the granted lifetime of the secret. SecretTTLLeft and TTLLeft are
	// the time left to the secret and to the receipt. All are whole seconds.
	TTL, SecretTTLLeft, TTLLeft time.Duration
	Recipients                  []string // obscured
	ShareDomain                 string
	Memo                        caller.Text
	Group                       Group
	// Account is the address of the account that concealed the secret; empty
	// for anonymous secrets. It must not be logged.
	Account string
	// Events and Deliveries are set for the account that concealed the secret.
	// For an anonymous secret they are set for every holder of the receipt.
	Events     []Event
	Deliveries []outbox.Delivery
}

// foundReceipt is a receipt together with what is stored beside it.
type foundReceipt struct {
	row        seal.RowKey
	sealed     []byte // the receipt's key for the list; nil outside it
	record     *MetadataRecord
	timeline   *timelineRecord
	deliveries []outbox.Delivery
	// lockedForGood reports that all tries at the secret are used up.
	lockedForGood bool
}

// GetMetadata returns a receipt, or ErrNotFound. The first call moves it from
// new to viewed and still returns new.
func (re *Receipts) GetMetadata(ctx context.Context, c caller.Caller, key string) (Metadata, error) {
	receipt, ok := seal.ParseToken(key)
	if !ok {
		return Metadata{}, refusal.ErrNotFound
	}
	now, row := re.clock.Now(), receipt.RowKey(seal.KindMetadata)
	found, err := re.findMetadata(ctx, row, now)
	if err == nil && found.record.State == StateNew {
		found.record, err = re.view(ctx, row, now)
	}
	if err != nil {
		return Metadata{}, err
	}
	return re.showMetadata(ctx, c, receipt, row, found, now), nil
}

// BatchMost is the maximum number of receipts of one call.
const BatchMost = 25

// BatchGetMetadata returns the receipts of keys in their order, without those
// that do not exist. It changes no state. It returns ErrInvalid for more than
// BatchMost keys.
func (re *Receipts) BatchGetMetadata(ctx context.Context, c caller.Caller, keys []string) ([]Metadata, error) {
	if len(keys) > BatchMost {
		return nil, &refusal.InvalidError{Field: "metadata_keys", Text: fmt.Sprintf("must be at most %d", BatchMost)}
	}
	now := re.clock.Now()
	var receipts []seal.Token
	var found []foundReceipt
	err := re.store.View(ctx, func(tx *rows.Tx) error {
		receipts, found = nil, nil
		for _, key := range keys {
			receipt, ok := seal.ParseToken(key)
			if !ok {
				continue
			}
			one, err := readMetadata(tx, receipt.RowKey(seal.KindMetadata), now)
			switch {
			case errors.Is(err, refusal.ErrNotFound):
			case err != nil:
				return err
			default:
				receipts, found = append(receipts, receipt), append(found, one)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	shown := make([]Metadata, len(found))
	for i, one := range found {
		shown[i] = re.showMetadata(ctx, c, receipts[i], one.row, one, now)
	}
	return shown, nil
}

// view moves a receipt from new to viewed and returns it as it was before. If
// it has left the state new meanwhile, view returns it as it is.
func (re *Receipts) view(ctx context.Context, row seal.RowKey, now time.Time) (before *MetadataRecord, err error) {
	err = re.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		record, err := getMetadata(tx, row)
		if err != nil {
			return err
		}
		shown := *record
		before = &shown
		to := record.State.after(moveView)
		if to == StateNone || !now.Before(record.expires) {
			return nil
		}
		record.State, record.viewed, record.updated = to, now, now
		if err := tx.Put(BucketMetadata, row[:], record.encode()); err != nil {
			return err
		}
		return audit.Write(tx, now, audit.View, row)
	})
	if err == nil {
		re.watches.Tell(row)
	}
	return before, err
}

// findMetadata loads a receipt and what belongs to it in a read transaction, or
// returns ErrNotFound.
func (re *Receipts) findMetadata(ctx context.Context, row seal.RowKey, now time.Time) (found foundReceipt, err error) {
	err = re.store.View(ctx, func(tx *rows.Tx) (err error) {
		found, err = readMetadata(tx, row, now)
		return err
	})
	return found, err
}

// readMetadata loads a receipt and what belongs to it, as of now, or returns
// ErrNotFound.
func readMetadata(tx *rows.Tx, row seal.RowKey, now time.Time) (found foundReceipt, err error) {
	found.row = row
	if found.record, err = getMetadata(tx, row); err != nil {
		return foundReceipt{}, err
	}
	if !now.Before(found.record.forgotten()) {
		return foundReceipt{}, refusal.ErrNotFound
	}
	found.record = found.record.asOf(now)
	if found.timeline, err = getTimeline(tx, row); err != nil {
		return foundReceipt{}, err
	}
	if found.lockedForGood, err = lockedForGood(tx, found.record, now); err != nil {
		return foundReceipt{}, err
	}
	found.deliveries, err = outbox.GetDeliveries(tx, row)
	return found, err
}

// lockedForGood reports whether all tries at a receipt's secret are used up.
func lockedForGood(tx *rows.Tx, r *MetadataRecord, now time.Time) (bool, error) {
	if !r.passphrase || !r.State.Live() || !now.Before(r.expires) {
		return false, nil
	}
	return passphrase.UsedUp(tx, r.Secret)
}

// asOf returns the receipt as of now: a secret past its time is shown as
// expired, even before the sweeper ran.
func (r *MetadataRecord) asOf(now time.Time) *MetadataRecord {
	if r.State.Live() && !now.Before(r.expires) {
		r.markEnded(StateExpired, r.expires)
	}
	return r
}

// markEnded moves a receipt to the state in which its secret ended.
func (r *MetadataRecord) markEnded(state State, at time.Time) {
	r.State, r.ended, r.Secret, r.SealedKey = state, at, seal.RowKey{}, nil
	if at.After(r.updated) {
		r.updated = at
	}
}

// openKey returns the secret key, which a receipt holds while the secret is
// live.
func (re *Receipts) openKey(receipt seal.Token, row seal.RowKey, r *MetadataRecord) (seal.Token, error) {
	plain, err := re.keys.OpenMetadata(receipt, row, labelKey, r.SealedKey)
	if err != nil {
		return seal.Token{}, fmt.Errorf("opening a receipt: %w", errors.Join(err, rows.ErrInconsistent))
	}
	token, ok := seal.ParseToken(string(plain))
	if !ok {
		return seal.Token{}, fmt.Errorf("receipt without a key: %w", rows.ErrInconsistent)
	}
	return token, nil
}

// showMetadata opens what is sealed in a record and returns the sender's view.
// It leaves out and logs what does not open: the rest is still worth showing.
func (re *Receipts) showMetadata(ctx context.Context, c caller.Caller, receipt seal.Token, row seal.RowKey, found foundReceipt, now time.Time) Metadata {
	r := found.record
	m := describe(receipt, r, now)
	m.LockedForGood = found.lockedForGood && r.State.Live()
	m.Account = re.custid(ctx, c, r.Custid)
	m.ShareDomain = re.receiptDomain(ctx, r)
	if r.State.Live() && r.showsKey(c) {
		token, err := re.openKey(receipt, row, r)
		if err != nil {
			re.log.Error("receipt's key does not open", "cause", err)
		} else {
			m.Secret = &token
		}
	}
	m.Memo = re.openMemo(receipt, row, r)
	if r.Custid == "" || r.ownedBy(c) {
		m.Events, m.Deliveries = found.timeline.timeline(r), found.deliveries
	}
	return m
}

// receiptDomain returns the domain of the links that a receipt shows. On an
// error it returns none: the service's own links open the secret too.
func (re *Receipts) receiptDomain(ctx context.Context, r *MetadataRecord) (name string) {
	if r.shareDomain == "" {
		return ""
	}
	err := re.store.View(ctx, func(tx *rows.Tx) (err error) {
		name, err = domain.NameShown(tx, r.Custid, r.shareDomain, r.created)
		return err
	})
	if err != nil && ctx.Err() == nil {
		re.log.Error("reading a receipt's domain", "cause", err)
	}
	return name
}

// custid returns the address of an account; empty for no account and for a
// destroyed one.
func (re *Receipts) custid(ctx context.Context, c caller.Caller, owner string) string {
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
func (re *Receipts) openMemo(receipt seal.Token, row seal.RowKey, r *MetadataRecord) caller.Text {
	if len(r.sealedMemo) == 0 {
		return ""
	}
	memo, err := re.keys.OpenMetadata(receipt, row, labelMemo, r.sealedMemo)
	if err != nil {
		re.log.Error("receipt's memo does not open", "cause", err)
	}
	return caller.Text(memo)
}

// describe returns the plain fields of a record as Metadata.
func describe(receipt seal.Token, r *MetadataRecord, now time.Time) Metadata {
	m := Metadata{
		Key: receipt, Hint: string(r.hint[:]), State: r.State, HasPassphrase: r.passphrase, Encryption: r.encryption, Outcome: r.outcome,
		Created: r.created, Updated: r.updated, Forgotten: r.forgotten(), Expires: r.expires,
		Viewed: r.viewed, Ended: r.ended, TTL: r.ttl, TTLLeft: left(r.forgotten(), now),
		Recipients: r.recipients, ShareDomain: r.shareDomain, Account: r.Custid, Group: r.group,
	}
	if r.State.Live() {
		m.SecretTTLLeft = left(r.expires, now)
	}
	return m
}
