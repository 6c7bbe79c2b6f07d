package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
)

// What is sealed under the metadata's key.
const (
	labelKey  = "key"
	labelMemo = "memo"
)

// Metadata is the sender's receipt.
type Metadata struct {
	Key seal.Token
	// Secret is the secret's key while it waits and the caller may see it;
	// otherwise nil. See metadataRecord.showsKey.
	Secret        *seal.Token
	Hint          string // the first characters of the secret's key
	State         State
	HasPassphrase bool
	// LockedForGood: so many passphrases were wrong that none is accepted any
	// more. The secret can only be burned, without its passphrase.
	LockedForGood bool
	Created       time.Time
	Updated       time.Time
	Forgotten     time.Time // when the receipt goes
	Expires       time.Time // when the secret goes, or would have
	Viewed        time.Time // zero before
	Ended         time.Time // when it was received, burned or expired
	// TTL is the secret's lifetime as granted; SecretTTLLeft and TTLLeft are
	// what was left to secret and receipt. All in whole seconds.
	TTL, SecretTTLLeft, TTLLeft time.Duration
	Recipients                  []string // obscured
	ShareDomain                 string
	Memo                        Text
	// Account is the address of the account that concealed it; empty for
	// secrets concealed without one. It must not be logged.
	Account string
	// Events and Deliveries are for the account that concealed it, or for
	// whoever holds the receipt of a secret concealed without one.
	Events     []Event
	Deliveries []Delivery
}

// GetMetadata shows a receipt, or returns ErrNotFound. The first call moves it
// from new to viewed and still shows new.
func (v *Vault) GetMetadata(ctx context.Context, c Caller, key string) (Metadata, error) {
	receipt, ok := seal.ParseToken(key)
	if !ok {
		return Metadata{}, ErrNotFound
	}
	now, row := v.clock.now(), receipt.RowKey(seal.KindMetadata)
	found, err := v.findMetadata(ctx, row, now)
	if err == nil && found.record.state == StateNew {
		found.record, err = v.view(ctx, row, now)
	}
	if err != nil {
		return Metadata{}, err
	}
	return v.showMetadata(ctx, c, receipt, row, found, now), nil
}

// BatchMost is the most receipts of one call.
const BatchMost = 25

// BatchGetMetadata shows the receipts of keys, in their order and without those
// that do not exist. It changes no state, and returns ErrInvalid for more keys
// than BatchMost.
func (v *Vault) BatchGetMetadata(ctx context.Context, c Caller, keys []string) ([]Metadata, error) {
	if len(keys) > BatchMost {
		return nil, &InvalidError{Field: "metadata_keys", Text: fmt.Sprintf("must be at most %d", BatchMost)}
	}
	now := v.clock.now()
	var receipts []seal.Token
	var found []listed
	err := v.store.View(ctx, func(tx storage.Tx) error {
		receipts, found = nil, nil
		for _, key := range keys {
			receipt, ok := seal.ParseToken(key)
			if !ok {
				continue
			}
			one, err := readMetadata(tx, receipt.RowKey(seal.KindMetadata), now)
			switch {
			case errors.Is(err, ErrNotFound):
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
		shown[i] = v.showMetadata(ctx, c, receipts[i], one.row, one, now)
	}
	return shown, nil
}

// view moves a receipt from new to viewed and returns it as it was before. If
// it has moved on meanwhile, it is returned as it is.
func (v *Vault) view(ctx context.Context, row seal.RowKey, now time.Time) (before *metadataRecord, err error) {
	err = v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		record, err := getMetadata(tx, row)
		if err != nil {
			return err
		}
		shown := *record
		before = &shown
		to := record.state.after(moveView)
		if to == StateNone || !now.Before(record.expires) {
			return nil
		}
		record.state, record.viewed, record.updated = to, now, now
		if err := tx.Put(bucketMetadata, row[:], record.encode()); err != nil {
			return err
		}
		return audit(tx, now, AuditView, row)
	})
	if err == nil {
		v.watches.tell(row)
	}
	return before, err
}

// UpdateMemo sets the sender's note; an empty one removes it. It returns
// ErrNotFound, and ErrQuota if the account or network that the receipt counts
// toward has no room for a longer note.
func (v *Vault) UpdateMemo(ctx context.Context, c Caller, key string, memo Text) (Metadata, error) {
	receipt, ok := seal.ParseToken(key)
	if !ok {
		return Metadata{}, ErrNotFound
	}
	now, row := v.clock.now(), receipt.RowKey(seal.KindMetadata)
	found, err := v.findMetadata(ctx, row, now)
	if err != nil {
		return Metadata{}, err
	}
	var sealed []byte
	if memo != "" {
		if err := v.checkRoom(); err != nil {
			return Metadata{}, err
		}
		sealed = v.keys.SealMetadata(receipt, row, labelMemo, []byte(memo))
	}
	room := memoRoom{usage: v.usage, limits: v.limits}
	err = v.store.Update(ctx, func(tx storage.Tx) (err error) {
		if found.record, err = getMetadata(tx, row); err != nil {
			return err
		}
		if err := room.want(row, found.record, len(sealed)); err != nil {
			return err
		}
		found.record.sealedMemo, found.record.updated = sealed, now
		if err := tx.Put(bucketMetadata, row[:], found.record.encode()); err != nil {
			return err
		}
		return audit(tx, now, AuditMemo, row)
	})
	room.settle(err)
	if err != nil {
		return Metadata{}, err
	}
	v.watches.tell(row)
	found.record = found.record.asOf(now)
	return v.showMetadata(ctx, c, receipt, row, found, now), nil
}

// findMetadata loads a receipt with what belongs to it, outside of any change,
// or returns ErrNotFound.
func (v *Vault) findMetadata(ctx context.Context, row seal.RowKey, now time.Time) (found listed, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) (err error) {
		found, err = readMetadata(tx, row, now)
		return err
	})
	return found, err
}

// readMetadata loads a receipt with what belongs to it, as it is now, or returns
// ErrNotFound.
func readMetadata(tx storage.Tx, row seal.RowKey, now time.Time) (found listed, err error) {
	found.row = row
	if found.record, err = getMetadata(tx, row); err != nil {
		return listed{}, err
	}
	if !now.Before(found.record.forgotten()) {
		return listed{}, ErrNotFound
	}
	found.record = found.record.asOf(now)
	if found.timeline, err = getTimeline(tx, row); err != nil {
		return listed{}, err
	}
	if found.lockedForGood, err = lockedForGood(tx, found.record, now); err != nil {
		return listed{}, err
	}
	found.deliveries, err = getDeliveries(tx, row)
	return found, err
}

// asOf shows a receipt whose secret has run out as expired, even before the
// sweeper came.
func (r *metadataRecord) asOf(now time.Time) *metadataRecord {
	if r.state.Live() && !now.Before(r.expires) {
		r.ending(StateExpired, r.expires)
	}
	return r
}

// ending moves a receipt to the state in which its secret ended.
func (r *metadataRecord) ending(state State, at time.Time) {
	r.state, r.ended, r.secret, r.sealedKey = state, at, seal.RowKey{}, nil
	if at.After(r.updated) {
		r.updated = at
	}
}

func getMetadata(tx storage.Tx, row seal.RowKey) (*metadataRecord, error) {
	data, err := tx.Get(bucketMetadata, row[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return decodeMetadata(data)
}

// openKey returns the secret's key, which a receipt holds while it waits.
func (v *Vault) openKey(receipt seal.Token, row seal.RowKey, r *metadataRecord) (seal.Token, error) {
	plain, err := v.keys.OpenMetadata(receipt, row, labelKey, r.sealedKey)
	if err != nil {
		return seal.Token{}, fmt.Errorf("opening a receipt: %w", errors.Join(err, errFault))
	}
	token, ok := seal.ParseToken(string(plain))
	if !ok {
		return seal.Token{}, fmt.Errorf("receipt without a key: %w", errFault)
	}
	return token, nil
}

// showMetadata turns a record into what its sender sees, and opens what is
// sealed in it. A seal that does not open is left out and logged: the rest is
// still worth showing.
func (v *Vault) showMetadata(ctx context.Context, c Caller, receipt seal.Token, row seal.RowKey, found listed, now time.Time) Metadata {
	r := found.record
	m := describe(receipt, r, now)
	m.LockedForGood = found.lockedForGood && r.state.Live()
	m.Account = v.custid(ctx, c, r.custid)
	m.ShareDomain = v.receiptDomain(ctx, r)
	if r.state.Live() && r.showsKey(c) {
		token, err := v.openKey(receipt, row, r)
		if err != nil {
			v.log.Error("receipt's key does not open", "cause", err)
		} else {
			m.Secret = &token
		}
	}
	m.Memo = v.openMemo(receipt, row, r)
	if r.custid == "" || r.ownedBy(c) {
		m.Events, m.Deliveries = found.timeline.timeline(r), found.deliveries
	}
	return m
}

// receiptDomain is the domain of the links that a receipt shows. One that
// cannot be looked up is left out: the service's own links open the secret too.
func (v *Vault) receiptDomain(ctx context.Context, r *metadataRecord) (domain string) {
	if r.shareDomain == "" {
		return ""
	}
	err := v.store.View(ctx, func(tx storage.Tx) (err error) {
		domain, err = domainNow(tx, r.custid, r.shareDomain)
		return err
	})
	if err != nil && ctx.Err() == nil {
		v.log.Error("reading a receipt's domain", "cause", err)
	}
	return domain
}

// custid is the address of the account with that id; empty for no account and
// for one that was destroyed.
func (v *Vault) custid(ctx context.Context, c Caller, account string) string {
	if account == c.Account && c.with != nil {
		return c.Address()
	}
	id, ok := ParseAccountID(account)
	if !ok {
		return account
	}
	address := ""
	err := v.store.View(ctx, func(tx storage.Tx) error {
		record, err := getAccount(tx, id)
		if err == nil && record.destroyed.IsZero() {
			address = v.addressOf(id, record)
		}
		return err
	})
	if err != nil && !errors.Is(err, ErrNotFound) && ctx.Err() == nil {
		v.log.Error("reading a receipt's account", "cause", err)
	}
	return address
}

// openMemo returns the sender's note, empty if there is none or it does not
// open.
func (v *Vault) openMemo(receipt seal.Token, row seal.RowKey, r *metadataRecord) Text {
	if len(r.sealedMemo) == 0 {
		return ""
	}
	memo, err := v.keys.OpenMetadata(receipt, row, labelMemo, r.sealedMemo)
	if err != nil {
		v.log.Error("receipt's memo does not open", "cause", err)
	}
	return Text(memo)
}

// describe turns what stands in a record in the clear into Metadata.
func describe(receipt seal.Token, r *metadataRecord, now time.Time) Metadata {
	m := Metadata{
		Key: receipt, Hint: string(r.hint[:]), State: r.state, HasPassphrase: r.passphrase,
		Created: r.created, Updated: r.updated, Forgotten: r.forgotten(), Expires: r.expires,
		Viewed: r.viewed, Ended: r.ended, TTL: r.ttl, TTLLeft: left(r.forgotten(), now),
		Recipients: r.recipients, ShareDomain: r.shareDomain, Account: r.custid,
	}
	if r.state.Live() {
		m.SecretTTLLeft = left(r.expires, now)
	}
	return m
}
