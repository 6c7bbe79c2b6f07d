package secret

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/email"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Secret is what may be shown of a secret without consuming it.
type Secret struct {
	Key           seal.Token
	State         State
	HasPassphrase bool
	Created       time.Time
	Expires       time.Time
	// TTL is the granted lifetime, TTLLeft the time left. Both are whole
	// seconds.
	TTL, TTLLeft time.Duration
	ShareDomain  string
	Owned        bool
}

// Wish holds a sender's options for a new secret.
type Wish struct {
	// TTL is nil for the default.
	TTL         *time.Duration
	Passphrase  caller.Text
	Recipients  []string
	ShareDomain string
	// Challenge is a solved challenge for the action conceal, if the policy
	// requires one.
	Challenge string
}

// Concealed is the result for the sender.
type Concealed struct {
	Metadata Metadata
	Secret   Secret
}

// ConcealSecret stores text, which must not be empty, and returns once it is
// durable. If it returns ErrTooLarge, ErrInvalid, ErrQuota, ErrAccountRequired,
// ErrDomainNotFound, ErrPolicy, ErrMaintenance or ErrChallenge, it has stored
// nothing.
func (se *Secrets) ConcealSecret(ctx context.Context, c caller.Caller, text caller.Text, wish Wish) (Concealed, error) {
	return se.conceal(ctx, c, text, wish, StateNew)
}

// GenerateSecret generates a text of length characters (0 means 12), conceals
// it and returns it. Its errors are those of ConcealSecret.
//
// The sender has seen the value, so the stored state is viewed from the start;
// the response says new.
func (se *Secrets) GenerateSecret(ctx context.Context, c caller.Caller, length int, sets seal.CharacterSets, wish Wish) (Concealed, caller.Text, error) {
	if length == 0 {
		length = seal.GenerateLengthDefault
	}
	value, err := seal.Generate(length, sets)
	if errors.Is(err, seal.ErrGenerateLength) {
		return Concealed{}, "", &refusal.InvalidError{Field: "length", Text: "must be 4 to 128"}
	}
	if err != nil {
		return Concealed{}, "", fmt.Errorf("generating: %w", err)
	}
	concealed, err := se.conceal(ctx, c, caller.Text(value), wish, StateViewed)
	return concealed, caller.Text(value), err
}

// draft is a secret that is not yet stored.
type draft struct {
	key, receipt       seal.Token
	secret             Record
	metadata           MetadataRecord
	secretRow, metaRow seal.RowKey
	owner              caller.AccountID // of entry
	entry              *EntryRecord     // nil without an account
	recipients         []email.Recipient
	mails              []*outbox.Draft // to the recipients; empty if mail is not configured
	delivery           outbox.DeliveryState
}

func (se *Secrets) conceal(ctx context.Context, c caller.Caller, text caller.Text, wish Wish, stored State) (Concealed, error) {
	now := se.clock.Now()
	d, err := se.draft(ctx, c, text, wish, now)
	if err != nil {
		return Concealed{}, err
	}
	charged := d.secret.charge()
	charged.secret, charged.receipt = int64(seal.PaddedSize(len(text))), d.metadata.charge().receipt
	if err := se.store.CheckDiskSpace(); err != nil {
		return Concealed{}, err
	}
	if err := se.usage.reserve(charged, se.limits); err != nil {
		return Concealed{}, err
	}
	d.metadata.State = stored
	if stored == StateViewed {
		d.metadata.viewed = now
	}
	if err := se.keep(ctx, c, d, text, wish); err != nil {
		se.usage.release(charged)
		return Concealed{}, err
	}
	d.metadata.State = StateNew
	return d.concealed(c, now), nil
}

// concealed returns the result for the sender.
func (d *draft) concealed(c caller.Caller, now time.Time) Concealed {
	kept := Concealed{Metadata: describe(d.receipt, &d.metadata, now), Secret: showSecret(c, d.key, &d.secret, now)}
	kept.Metadata.Secret = &kept.Secret.Key
	if c.Credential != nil {
		kept.Metadata.Account = c.Address()
	}
	kept.Metadata.Events = new(timelineRecord).timeline(&d.metadata)
	for _, r := range d.recipients {
		kept.Metadata.Deliveries = append(kept.Metadata.Deliveries, outbox.Delivery{Recipient: r.Obscured, State: d.delivery, Updated: now})
	}
	return kept
}

// draft checks the wish and prepares both records.
func (se *Secrets) draft(ctx context.Context, c caller.Caller, text caller.Text, wish Wish, now time.Time) (*draft, error) {
	if err := se.policy.AdmitSecret(c, wish.Passphrase); err != nil {
		return nil, err
	}
	if c.Anonymous() {
		if err := se.domains.AdmitVisitor(ctx, c.Site); err != nil {
			return nil, err
		}
	}
	if limit := se.limits.SecretSize(c); int64(len(text)) > limit {
		return nil, &refusal.TooLargeError{Field: "secret", Limit: limit}
	}
	if len(text) == 0 {
		return nil, &refusal.InvalidError{Field: "secret", Text: "must not be empty"}
	}
	ttl, err := se.limits.Grant(c, wish.TTL)
	if err != nil {
		return nil, err
	}
	if len(wish.Recipients) > 0 && c.Anonymous() {
		return nil, refusal.ErrAccountRequired
	}
	recipients, err := email.ParseRecipients(wish.Recipients)
	if err != nil {
		return nil, err
	}
	domain, err := se.domains.ShareDomain(ctx, c, wish.ShareDomain)
	if err != nil {
		return nil, err
	}
	d := &draft{key: seal.NewToken(now), receipt: seal.NewToken(now), recipients: recipients, delivery: outbox.DeliveryNotConfigured}
	if se.outbox.Enabled() {
		d.delivery = outbox.DeliveryQueued
	}
	d.secretRow, d.metaRow = d.key.RowKey(seal.KindSecret), d.receipt.RowKey(seal.KindMetadata)
	d.secret = Record{
		kid: se.keys.KID(), created: now, expires: now.Add(ttl), metadata: d.metaRow,
		network: se.keys.NetworkID(c.Network.Bytes()), owner: c.Account, shareDomain: domain,
	}
	if wide := c.Network.WideBytes(); wide != nil && c.Anonymous() {
		d.secret.wide = se.keys.NetworkID(wide)
	}
	d.metadata = MetadataRecord{
		passphrase: wish.Passphrase != "", created: now, expires: now.Add(ttl), updated: now,
		ttl: ttl, Secret: d.secretRow, Custid: c.Account, shareDomain: domain, createdBy: c.Network.Masked(),
	}
	for _, r := range recipients {
		d.metadata.recipients = append(d.metadata.recipients, r.Obscured)
	}
	if c.Account == "" {
		d.metadata.network, d.metadata.wide = d.secret.network, d.secret.wide
	}
	copy(d.metadata.hint[:], d.key.Short(hintSize))
	return d, nil
}

// keep writes a durable share, seals the text with it and commits both records.
func (se *Secrets) keep(ctx context.Context, c caller.Caller, d *draft, text caller.Text, wish Wish) error {
	if err := se.challenges.AdmitConceal(ctx, c, wish.Challenge); err != nil {
		return err
	}
	var hash [32]byte
	if wish.Passphrase != "" {
		params := seal.NewPassphraseParams()
		var err error
		if hash, err = se.hasher.Hash(ctx, c.Network, params, wish.Passphrase); err != nil {
			return err
		}
		d.secret.passphrase = &params
	}
	if err := se.address(ctx, c, d); err != nil {
		return err
	}
	ready, err := se.shares.Take(ctx)
	if err != nil {
		se.outbox.Discard(err, d.mails...)
		return fmt.Errorf("writing the share: %w", refusal.Unavailable(err))
	}
	se.usage.handed(ready.Slot.Number, d.metaRow)
	key := se.secretKeys.Key(d.key, d.secretRow, ready.Share, hash)
	d.secret.Slot, d.secret.verifier = ready.Slot, key.Verifier()
	d.secret.encodeHeader()
	d.secret.Sealed = key.Seal(d.secret.header, []byte(text))
	d.metadata.SealedKey = se.keys.SealMetadata(d.receipt, d.metaRow, labelKey, []byte(d.key.Expose()))
	if err := se.store.Update(ctx, d.commit()); err != nil {
		se.shares.Discard(err, ready.Slot)
		se.outbox.Discard(err, d.mails...)
		return fmt.Errorf("keeping the secret: %w", err)
	}
	if len(d.mails) > 0 {
		se.outbox.Wake()
	}
	return nil
}

// address seals the receipt for its account's list and drafts the mails to the
// recipients.
func (se *Secrets) address(ctx context.Context, c caller.Caller, d *draft) (err error) {
	if c.Credential == nil {
		return nil
	}
	d.owner = c.Credential.ID
	if d.entry, err = se.receipts.draftEntry(ctx, c, d.receipt, d.metaRow); err != nil {
		return err
	}
	d.mails, err = se.draftShares(ctx, c, d, d.recipients, d.secret.created)
	return err
}

// commit returns the transaction that stores the draft.
func (d *draft) commit() func(storage.Tx) error {
	secret, metadata := d.secret.Encode(), d.metadata.encode()
	expiry := ExpiryKey(d.secret.expires, d.metaRow)
	return func(tx storage.Tx) error {
		if err := tx.Put(BucketSecret, d.secretRow[:], secret); err != nil {
			return err
		}
		if err := tx.Put(BucketMetadata, d.metaRow[:], metadata); err != nil {
			return err
		}
		if err := tx.Put(BucketExpiry, expiry, nil); err != nil {
			return err
		}
		if err := d.commitBeside(tx); err != nil {
			return err
		}
		if err := rows.Count(tx, rows.Change{Counter: rows.CountSecrets, By: 1}, rows.Change{Counter: rows.CountCreated, By: 1}, rows.Change{Counter: rows.CountMetadata, By: 1}); err != nil {
			return err
		}
		return rows.WriteAudit(tx, d.secret.created, rows.AuditConceal, d.metaRow)
	}
}

// commitBeside writes what belongs to an account's secret besides its records.
func (d *draft) commitBeside(tx storage.Tx) error {
	if d.entry == nil {
		return nil
	}
	if err := putEntry(tx, d.owner, d.secret.created, d.metaRow, d.entry); err != nil {
		return err
	}
	for _, m := range d.mails {
		if err := m.Put(tx); err != nil {
			return err
		}
	}
	return outbox.PutDeliveries(tx, d.metaRow, d.recipients, d.delivery, d.secret.created, d.metadata.forgotten())
}

// GetSecret describes a live secret to a holder of its link. It changes no
// state; the sender sees that the link was looked at. It returns ErrNotFound.
func (se *Secrets) GetSecret(ctx context.Context, c caller.Caller, key string) (Secret, error) {
	found, err := se.lookAt(ctx, c, []string{key}, true)
	if err != nil {
		return Secret{}, err
	}
	if found[0].State == StateNone {
		return Secret{}, refusal.ErrNotFound
	}
	return found[0], nil
}

// StatusLimit is the maximum number of keys that GetSecretStatus takes.
const StatusLimit = 25

// GetSecretStatus describes up to StatusLimit secrets in the order of keys. The
// state of a secret that is not live is StateNone. It changes nothing.
func (se *Secrets) GetSecretStatus(ctx context.Context, c caller.Caller, keys []string) ([]Secret, error) {
	if len(keys) > StatusLimit {
		return nil, &refusal.InvalidError{Field: "secret_keys", Text: fmt.Sprintf("must be at most %d", StatusLimit)}
	}
	return se.lookAt(ctx, c, keys, false)
}

func (se *Secrets) lookAt(ctx context.Context, c caller.Caller, keys []string, noted bool) ([]Secret, error) {
	now, site := se.clock.Now(), se.domains.SiteDomain(c.Site)
	var found []Secret
	var last *Record
	err := se.store.View(ctx, func(tx storage.Tx) error {
		found = make([]Secret, len(keys))
		for i, key := range keys {
			token, ok := seal.ParseToken(key)
			if !ok {
				continue
			}
			record, shown, err := lookFrom(tx, c, site, token, now)
			switch {
			case errors.Is(err, refusal.ErrNotFound):
			case err != nil:
				return err
			default:
				found[i], last = shown, record
			}
		}
		return nil
	})
	if err == nil && noted && last != nil {
		se.receipts.look(ctx, c, found[0].Key.RowKey(seal.KindSecret), last, now)
	}
	return found, err
}

// look records a look at a link. If that fails, the request still succeeds.
func (re *Receipts) look(ctx context.Context, c caller.Caller, row seal.RowKey, record *Record, now time.Time) {
	if record.owner != "" && record.owner == c.Account {
		return // owners look at their own links when they share them
	}
	network := c.Network.Masked()
	if !re.viewDedup.fresh(record.metadata, network, now) {
		return
	}
	err := re.noteEvent(ctx, row, record, EventLooked, network, now)
	if err != nil && !errors.Is(err, refusal.ErrNotFound) && ctx.Err() == nil {
		re.log.Error("recording a look", "cause", err)
	}
}

// noteEvent adds an event to a timeline in its own transaction, if the secret
// is still live.
func (re *Receipts) noteEvent(ctx context.Context, row seal.RowKey, record *Record, kind EventKind, network string, now time.Time) error {
	err := re.store.Update(ctx, func(tx storage.Tx) error {
		if _, err := getSecret(tx, row, now); err != nil {
			return err
		}
		return addEvent(tx, record.metadata, kind, network, now)
	})
	if err == nil {
		re.watches.tell(record.metadata)
	}
	return err
}

// lookFrom finds a live secret that belongs on a site, and the domain that it
// shows.
func lookFrom(tx storage.Tx, c caller.Caller, site string, token seal.Token, now time.Time) (*Record, Secret, error) {
	record, err := getSecret(tx, token.RowKey(seal.KindSecret), now)
	if err != nil {
		return nil, Secret{}, err
	}
	belongs, err := record.belongsOn(tx, site)
	if err != nil {
		return nil, Secret{}, err
	}
	if !belongs {
		return nil, Secret{}, refusal.ErrNotFound
	}
	shown := showSecret(c, token, record, now)
	shown.ShareDomain, err = domain.NameShown(tx, record.owner, record.shareDomain)
	return record, shown, err
}

func showSecret(c caller.Caller, key seal.Token, r *Record, now time.Time) Secret {
	return Secret{
		Key: key, State: StateNew, HasPassphrase: r.passphrase != nil,
		Created: r.created, Expires: r.expires,
		TTL: r.expires.Sub(r.created), TTLLeft: left(r.expires, now),
		ShareDomain: r.shareDomain, Owned: r.owner != "" && r.owner == c.Account,
	}
}

// left returns the time until end in whole seconds, rounded up, never negative.
func left(end, now time.Time) time.Duration {
	return max(0, (end.Sub(now) + time.Second - 1).Truncate(time.Second))
}

// CharacterSets selects the characters of a generated secret.
type CharacterSets = seal.CharacterSets

// belongsOn reports whether a secret can be opened on the domain site, as
// SiteDomain returns it. A verified domain shows the secrets made for it and
// those of its own account, never those of another account. An anonymous secret
// belongs on every site: visitors share secrets on custom domains too. Any
// other host counts as the service's own.
func (r *Record) belongsOn(tx storage.Tx, site string) (bool, error) {
	if site == "" || r.owner == "" {
		return true, nil
	}
	holder, err := domain.VerifiedHolder(tx, site)
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return true, nil
	case err != nil:
		return false, err
	}
	return holder.String() == r.owner && (r.shareDomain == "" || r.shareDomain == site), nil
}
