package receipt

import (
	"context"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/email"
	"hush/vault/outbox"
	"hush/vault/quota"
	"hush/vault/rows"
)

// DraftOptions say what a receipt keeps of a new secret.
type DraftOptions struct {
	Secret seal.Token // the secret's key
	// Keyless says that the receipt never shows the secret's key.
	Keyless       bool
	Encryption    Encryption
	HasPassphrase bool
	// Viewed says that the sender has seen the secret, so the receipt is stored as
	// viewed. The sender is shown new all the same.
	Viewed  bool
	Created time.Time
	TTL     time.Duration
	// ShareDomain is the domain that the sender chose for the link; empty for none.
	ShareDomain string
	Recipients  []email.Recipient
	Memo        caller.Text
	Group       Group
	// Network and Wide are those of the secret. They count only without an account.
	Network, Wide [8]byte
}

// Draft is a receipt that is not yet stored.
type Draft struct {
	key        seal.Token
	row        seal.RowKey
	secret     seal.Token // the secret's key
	keyless    bool       // the receipt never shows it
	memo       caller.Text
	recipients []email.Recipient
	record     Record

	// Seal sets these.
	owner   caller.AccountID // of entry
	entry   *EntryRecord     // nil without an account
	encoded []byte
	expiry  []byte
}

// Draft returns the receipt of a secret that the caller is about to conceal. It stores
// nothing.
func (re *Receipts) Draft(c caller.Caller, o DraftOptions) Draft {
	d := Draft{key: seal.NewToken(o.Created), secret: o.Secret, keyless: o.Keyless, memo: o.Memo, recipients: o.Recipients}
	d.row = d.key.RowKey(seal.KindMetadata)
	d.record = Record{
		state:         StateNew,
		hasPassphrase: o.HasPassphrase,
		created:       o.Created,
		expires:       o.Created.Add(o.TTL),
		updated:       o.Created,
		ttl:           o.TTL,
		secret:        o.Secret.RowKey(seal.KindSecret),
		shareDomain:   o.ShareDomain,
		owner:         c.Account(),
		createdBy:     c.Network.Masked(),
		encryption:    o.Encryption,
		group:         o.Group,
	}
	copy(d.record.hint[:], o.Secret.Short(hintSize))
	if o.Viewed {
		d.record.state = StateViewed
		d.record.viewed = o.Created
	}
	if c.Anonymous() {
		d.record.network = o.Network
		d.record.wide = o.Wide
	}
	for _, r := range o.Recipients {
		d.record.recipients = append(d.record.recipients, r.Obscured)
	}
	if o.Memo != "" {
		d.record.sealedMemo = re.keys.SealMetadata(d.key, d.row, labelMemo, []byte(o.Memo))
	}
	return d
}

// Key returns the key of the receipt.
func (d *Draft) Key() seal.Token { return d.key }

// Row returns the row of the receipt.
func (d *Draft) Row() seal.RowKey { return d.row }

// Forgotten returns when the receipt will be forgotten.
func (d *Draft) Forgotten() time.Time { return d.record.Forgotten() }

// Charge returns what the receipt will count for.
func (d *Draft) Charge() quota.Charge { return d.record.Charge() }

// Seal seals the secret's key for the holder of the receipt, unless it is keyless, and the receipt's for the list
// of the caller's account. It is called once, before Put.
func (re *Receipts) Seal(ctx context.Context, c caller.Caller, d *Draft) error {
	if !c.Anonymous() {
		d.owner = c.AccountID()
		var err error
		if d.entry, err = re.sealEntry(ctx, d); err != nil {
			return err
		}
	}
	if !d.keyless {
		d.record.sealedKey = re.keys.SealMetadata(d.key, d.row, labelKey, []byte(d.secret.Expose()))
	}
	d.encoded = d.record.encode()
	d.expiry = rows.TimeKey(d.record.expires, d.row[:])
	return nil
}

// sealEntry seals a receipt's key to the pairs of its account.
func (re *Receipts) sealEntry(ctx context.Context, d *Draft) (*EntryRecord, error) {
	var pairs []credential.Pair
	err := re.store.View(ctx, func(tx *rows.Tx) (err error) {
		pairs, err = credential.LivePairs(tx, d.owner)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the account's keys: %w", err)
	}
	entry := &EntryRecord{}
	for _, p := range pairs {
		sealed, err := p.Public.SealEntry(d.row, d.key)
		if err != nil {
			return nil, fmt.Errorf("sealing an entry: %w", err)
		}
		entry.Boxes = append(entry.Boxes, entryBox{p.ID, sealed})
	}
	return entry, nil
}

// Put stores a sealed draft in the transaction that stores its secret: the receipt, its
// row in the index of what is due, and its entry in the list of its account. It returns
// refusal.ErrUnauthenticated if the account is not active. The caller counts the receipt
// together with the secret.
func (d *Draft) Put(tx *rows.Tx) error {
	encoded := d.encoded
	if tx.Format() < rows.FormatClaims {
		encoded = d.encodeUngrouped() // which every node can read
	}
	if err := tx.Put(BucketMetadata, d.row[:], encoded); err != nil {
		return err
	}
	if err := tx.Put(BucketExpiry, d.expiry, nil); err != nil {
		return err
	}
	if d.entry == nil {
		return nil
	}
	return putEntry(tx, d.owner, d.record.created, d.row, d.entry)
}

func (d *Draft) encodeUngrouped() []byte {
	r := d.record
	r.group = Group{}
	return r.encode()
}

// Show returns the receipt as its sender c is shown it when the secret is stored.
func (d *Draft) Show(c caller.Caller, now time.Time) Metadata {
	m := describe(d.key, &d.record, now)
	m.State = StateNew
	if !d.keyless {
		m.Secret = &d.secret
	}
	m.Memo = d.memo
	if !c.Anonymous() {
		m.Account = c.Address()
	}
	m.Events = []Event{d.record.createdEvent()}
	for _, r := range d.recipients {
		m.Deliveries = append(m.Deliveries, outbox.Delivery{Recipient: r.Obscured, State: outbox.DeliveryQueued, Updated: now})
	}
	return m
}
