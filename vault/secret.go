package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
)

// Secret is what may be told of a secret without consuming it.
type Secret struct {
	Key           seal.Token
	State         State
	HasPassphrase bool
	Created       time.Time
	Expires       time.Time
	// TTL is the lifetime as granted, TTLLeft what was left of it, both in
	// whole seconds.
	TTL, TTLLeft time.Duration
	ShareDomain  string
	Owned        bool
}

// Wish is what a sender asks for besides the text.
type Wish struct {
	// TTL is nil for the default.
	TTL         *time.Duration
	Passphrase  Text
	Recipients  []string
	ShareDomain string
	// Challenge is a solved challenge of the action conceal, where the policy
	// asks for one.
	Challenge string
}

// Concealed is what a sender gets.
type Concealed struct {
	Metadata Metadata
	Secret   Secret
}

// ConcealSecret keeps text, which must hold at least one byte, and returns
// after it is durable. It returns ErrTooLarge, ErrInvalid, ErrQuota,
// ErrAccountRequired, ErrDomainNotFound, ErrPolicy, ErrMaintenance or
// ErrChallenge, and then has kept nothing.
func (v *Vault) ConcealSecret(ctx context.Context, c Caller, text Text, wish Wish) (Concealed, error) {
	return v.conceal(ctx, c, text, wish, StateNew)
}

// GenerateSecret draws a text of length characters (0 means 12), conceals it
// and returns it. Its errors are those of ConcealSecret.
//
// Its sender has seen the value, so the stored state is viewed from the start;
// the answer says new.
func (v *Vault) GenerateSecret(ctx context.Context, c Caller, length int, sets seal.CharacterSets, wish Wish) (Concealed, Text, error) {
	if length == 0 {
		length = seal.GenerateLengthDefault
	}
	value, err := seal.Generate(length, sets)
	if errors.Is(err, seal.ErrGenerateLength) {
		return Concealed{}, "", &InvalidError{Field: "length", Text: "must be 4 to 128"}
	}
	if err != nil {
		return Concealed{}, "", fmt.Errorf("generating: %w", err)
	}
	concealed, err := v.conceal(ctx, c, Text(value), wish, StateViewed)
	return concealed, Text(value), err
}

// draft is a secret on its way into the store.
type draft struct {
	key, receipt       seal.Token
	secret             secretRecord
	metadata           metadataRecord
	secretRow, metaRow seal.RowKey
	owner              AccountID    // of entry
	entry              *entryRecord // nil without an account
	recipients         []recipient
	mails              []*mailDraft // to the recipients; none where no mail is set up
	delivery           DeliveryState
}

func (v *Vault) conceal(ctx context.Context, c Caller, text Text, wish Wish, stored State) (Concealed, error) {
	now := v.clock.now()
	d, err := v.draft(ctx, c, text, wish, now)
	if err != nil {
		return Concealed{}, err
	}
	charged := d.secret.charge()
	charged.secret, charged.receipt = int64(seal.PaddedSize(len(text))), d.metadata.charge().receipt
	if err := v.checkRoom(); err != nil {
		return Concealed{}, err
	}
	if err := v.usage.reserve(charged, v.limits); err != nil {
		return Concealed{}, err
	}
	d.metadata.state = stored
	if stored == StateViewed {
		d.metadata.viewed = now
	}
	if err := v.keep(ctx, c, d, text, wish); err != nil {
		v.usage.release(charged)
		return Concealed{}, err
	}
	d.metadata.state = StateNew
	return d.concealed(c, now), nil
}

// concealed is what the sender gets.
func (d *draft) concealed(c Caller, now time.Time) Concealed {
	kept := Concealed{Metadata: describe(d.receipt, &d.metadata, now), Secret: showSecret(c, d.key, &d.secret, now)}
	kept.Metadata.Secret = &kept.Secret.Key
	if c.with != nil {
		kept.Metadata.Account = c.Address()
	}
	kept.Metadata.Events = new(timelineRecord).timeline(&d.metadata)
	for _, r := range d.recipients {
		kept.Metadata.Deliveries = append(kept.Metadata.Deliveries, Delivery{Recipient: r.obscured, State: d.delivery, Updated: now})
	}
	return kept
}

// draft checks the wish and lays out both records.
func (v *Vault) draft(ctx context.Context, c Caller, text Text, wish Wish, now time.Time) (*draft, error) {
	if err := v.policy.admitSecret(c, wish.Passphrase); err != nil {
		return nil, err
	}
	if c.Anonymous() {
		if err := v.AdmitVisitor(ctx, c.Site); err != nil {
			return nil, err
		}
	}
	if limit := v.limits.secretSize(c); int64(len(text)) > limit {
		return nil, &TooLargeError{Field: "secret", Limit: limit}
	}
	if len(text) == 0 {
		return nil, &InvalidError{Field: "secret", Text: "must not be empty"}
	}
	ttl, err := v.limits.grant(c, wish.TTL)
	if err != nil {
		return nil, err
	}
	if len(wish.Recipients) > 0 && c.Anonymous() {
		return nil, ErrAccountRequired
	}
	recipients, err := parseRecipients(wish.Recipients)
	if err != nil {
		return nil, err
	}
	domain, err := v.shareDomain(ctx, c, wish.ShareDomain)
	if err != nil {
		return nil, err
	}
	d := &draft{key: seal.NewToken(now), receipt: seal.NewToken(now), recipients: recipients, delivery: DeliveryNotConfigured}
	if v.send != nil {
		d.delivery = DeliveryQueued
	}
	d.secretRow, d.metaRow = d.key.RowKey(seal.KindSecret), d.receipt.RowKey(seal.KindMetadata)
	d.secret = secretRecord{
		kid: v.keys.KID(), created: now, expires: now.Add(ttl), metadata: d.metaRow,
		network: v.keys.NetworkID(c.Network.bytes()), owner: c.Account, shareDomain: domain,
	}
	if wide := c.Network.wide(); wide != nil && c.Anonymous() {
		d.secret.wide = v.keys.NetworkID(wide)
	}
	d.metadata = metadataRecord{
		passphrase: wish.Passphrase != "", created: now, expires: now.Add(ttl), updated: now,
		ttl: ttl, secret: d.secretRow, custid: c.Account, shareDomain: domain, createdBy: c.Network.Masked(),
	}
	for _, r := range recipients {
		d.metadata.recipients = append(d.metadata.recipients, r.obscured)
	}
	if c.Account == "" {
		d.metadata.network, d.metadata.wide = d.secret.network, d.secret.wide
	}
	copy(d.metadata.hint[:], d.key.Short(hintSize))
	return d, nil
}

// keep takes a durable share, seals the text with it and commits both records.
func (v *Vault) keep(ctx context.Context, c Caller, d *draft, text Text, wish Wish) error {
	if err := v.admitConceal(ctx, c, wish.Challenge); err != nil {
		return err
	}
	var hash [32]byte
	if wish.Passphrase != "" {
		params := seal.NewPassphraseParams()
		var err error
		if hash, err = v.hasher.hash(ctx, c.Network, params, wish.Passphrase); err != nil {
			return err
		}
		d.secret.passphrase = &params
	}
	if err := v.address(ctx, c, d); err != nil {
		return err
	}
	ready, err := v.pool.take(ctx)
	if err != nil {
		v.discardMail(err, d.mails...)
		return fmt.Errorf("writing the share: %w", unavailable(err))
	}
	v.usage.handed(ready.slot.Number, d.metaRow)
	key := v.keys.SecretKey(d.key, d.secretRow, ready.share, hash)
	d.secret.slot, d.secret.verifier = ready.slot, key.Verifier()
	d.secret.encodeHeader()
	d.secret.sealed = key.Seal(d.secret.header, []byte(text))
	d.metadata.sealedKey = v.keys.SealMetadata(d.receipt, d.metaRow, labelKey, []byte(d.key.Expose()))
	if err := v.store.Update(ctx, d.commit()); err != nil {
		v.discard(err, ready.slot)
		v.discardMail(err, d.mails...)
		return fmt.Errorf("keeping the secret: %w", err)
	}
	if len(d.mails) > 0 {
		v.posted()
	}
	return nil
}

// address seals the receipt for its account's list, and the mails to the
// recipients.
func (v *Vault) address(ctx context.Context, c Caller, d *draft) (err error) {
	if c.with == nil {
		return nil
	}
	d.owner = c.with.id
	if d.entry, err = v.draftEntry(ctx, c, d.receipt, d.metaRow); err != nil {
		return err
	}
	d.mails, err = v.draftShares(ctx, c, d, d.recipients, d.secret.created)
	return err
}

// commit returns the transaction that makes the draft a secret.
func (d *draft) commit() func(storage.Tx) error {
	secret, metadata := d.secret.encode(), d.metadata.encode()
	expiry := expiryKey(d.secret.expires, d.metaRow)
	return func(tx storage.Tx) error {
		if err := tx.Put(bucketSecret, d.secretRow[:], secret); err != nil {
			return err
		}
		if err := tx.Put(bucketMetadata, d.metaRow[:], metadata); err != nil {
			return err
		}
		if err := tx.Put(bucketExpiry, expiry, nil); err != nil {
			return err
		}
		if err := d.commitBeside(tx); err != nil {
			return err
		}
		if err := tally(tx, tallied{countSecrets, 1}, tallied{countCreated, 1}, tallied{countMetadata, 1}); err != nil {
			return err
		}
		return audit(tx, d.secret.created, AuditConceal, d.metaRow)
	}
}

// commitBeside writes what an account's secret has besides its records.
func (d *draft) commitBeside(tx storage.Tx) error {
	if d.entry == nil {
		return nil
	}
	if err := putEntry(tx, d.owner, d.secret.created, d.metaRow, d.entry); err != nil {
		return err
	}
	for _, m := range d.mails {
		if err := m.put(tx); err != nil {
			return err
		}
	}
	return putDeliveries(tx, d.metaRow, d.recipients, d.delivery, d.secret.created, d.metadata.forgotten())
}

// discard gives back the slot of a secret that was certainly not kept. After
// an unknown outcome the next start finds out.
func (v *Vault) discard(cause error, slot storage.Slot) {
	if errors.Is(cause, storage.ErrUnknownOutcome) || errors.Is(cause, storage.ErrClosed) {
		return
	}
	if err := v.shares.Destroy(context.Background(), slot); err != nil {
		v.log.Error("destroying the share of a secret that was not kept", "cause", err)
		return
	}
	v.recycle(slot)
}

// recycle gives slots back to backends that use them again.
func (v *Vault) recycle(slots ...storage.Slot) {
	if r, ok := v.shares.(storage.Recycler); ok {
		r.Release(slots...)
	}
}

// GetSecret tells about a secret that waits, for somebody who opened its link.
// It changes no state; its sender sees that somebody looked. It returns
// ErrNotFound.
func (v *Vault) GetSecret(ctx context.Context, c Caller, key string) (Secret, error) {
	found, err := v.lookAt(ctx, c, []string{key}, true)
	if err != nil {
		return Secret{}, err
	}
	if found[0].State == StateNone {
		return Secret{}, ErrNotFound
	}
	return found[0], nil
}

// StatusLimit is the most keys that GetSecretStatus takes.
const StatusLimit = 25

// GetSecretStatus tells about up to StatusLimit secrets, in the order of keys.
// The state of those that do not wait is StateNone. It changes nothing.
func (v *Vault) GetSecretStatus(ctx context.Context, c Caller, keys []string) ([]Secret, error) {
	if len(keys) > StatusLimit {
		return nil, &InvalidError{Field: "secret_keys", Text: fmt.Sprintf("must be at most %d", StatusLimit)}
	}
	return v.lookAt(ctx, c, keys, false)
}

func (v *Vault) lookAt(ctx context.Context, c Caller, keys []string, noted bool) ([]Secret, error) {
	now, site := v.clock.now(), v.siteDomain(c.Site)
	var found []Secret
	var last *secretRecord
	err := v.store.View(ctx, func(tx storage.Tx) error {
		found = make([]Secret, len(keys))
		for i, key := range keys {
			token, ok := seal.ParseToken(key)
			if !ok {
				continue
			}
			record, shown, err := lookFrom(tx, c, site, token, now)
			switch {
			case errors.Is(err, ErrNotFound):
			case err != nil:
				return err
			default:
				found[i], last = shown, record
			}
		}
		return nil
	})
	if err == nil && noted && last != nil {
		v.look(ctx, c, found[0].Key.RowKey(seal.KindSecret), last, now)
	}
	return found, err
}

// lookFrom finds a secret that waits and belongs on a site, and what it shows.
func lookFrom(tx storage.Tx, c Caller, site string, token seal.Token, now time.Time) (*secretRecord, Secret, error) {
	record, err := getSecret(tx, token.RowKey(seal.KindSecret), now)
	if err != nil {
		return nil, Secret{}, err
	}
	belongs, err := record.belongsOn(tx, site)
	if err != nil {
		return nil, Secret{}, err
	}
	if !belongs {
		return nil, Secret{}, ErrNotFound
	}
	shown := showSecret(c, token, record, now)
	shown.ShareDomain, err = domainNow(tx, record.owner, record.shareDomain)
	return record, shown, err
}

// getSecret loads a secret that waits, or returns ErrNotFound. Expired ones
// are gone even before the sweeper came.
func getSecret(tx storage.Tx, row seal.RowKey, now time.Time) (*secretRecord, error) {
	data, err := tx.Get(bucketSecret, row[:])
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	record, err := decodeSecret(data)
	if err != nil {
		return nil, err
	}
	if !now.Before(record.expires) {
		return nil, ErrNotFound
	}
	return record, nil
}

func showSecret(c Caller, key seal.Token, r *secretRecord, now time.Time) Secret {
	return Secret{
		Key: key, State: StateNew, HasPassphrase: r.passphrase != nil,
		Created: r.created, Expires: r.expires,
		TTL: r.expires.Sub(r.created), TTLLeft: left(r.expires, now),
		ShareDomain: r.shareDomain, Owned: r.owner != "" && r.owner == c.Account,
	}
}

// left is the time until end in whole seconds, rounded up, never negative.
func left(end, now time.Time) time.Duration {
	return max(0, (end.Sub(now) + time.Second - 1).Truncate(time.Second))
}

// CharacterSets says what a generated secret is made of.
type CharacterSets = seal.CharacterSets
