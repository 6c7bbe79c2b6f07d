package secret

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Concealed is the result for the sender.
type Concealed struct {
	Metadata Metadata
	Secret   Secret
}

// ConcealSecret stores text, which must not be empty, or the content of wish.Sealed
// and no text, and returns once it is durable. If it returns ErrTooLarge, ErrInvalid, ErrQuota, ErrAccountRequired,
// ErrNoMail, ErrDomainNotFound, ErrPolicy, ErrMaintenance or ErrChallenge, it has
// stored nothing.
func (se *Secrets) ConcealSecret(ctx context.Context, c caller.Caller, text caller.Text, wish Wish) (Concealed, error) {
	return se.conceal(ctx, c, text, wish.normal(), StateNew)
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
	concealed, err := se.conceal(ctx, c, caller.Text(value), wish.normal(), StateViewed)
	return concealed, caller.Text(value), err
}

// CharacterSets selects the characters of a generated secret.
type CharacterSets = seal.CharacterSets

func (se *Secrets) conceal(ctx context.Context, c caller.Caller, text caller.Text, wish Wish, stored State) (_ Concealed, err error) {
	defer func() { err = refusal.NothingStored(err) }()
	now := se.clock.Now()
	d, err := se.draft(ctx, c, text, wish, now)
	if err != nil {
		return Concealed{}, err
	}
	if wish.Sealed != nil {
		text = wish.Sealed.Content
	}
	// The text is not sealed yet, so its size is computed.
	charged := d.secret.charge()
	charged.Secret, charged.Receipt = int64(d.secret.sealedSize(len(text))), d.metadata.charge().Receipt
	if err := se.store.CheckDiskSpace(); err != nil {
		return Concealed{}, err
	}
	if d.elsewhere, err = se.usage.Reserve(ctx, charged, se.limits); err != nil {
		return Concealed{}, err
	}
	d.charged = charged
	d.metadata.State = stored
	if stored == StateViewed {
		d.metadata.viewed = now
	}
	if err := se.keep(ctx, c, d, text, wish); err != nil {
		se.usage.Cancel(charged, err)
		return Concealed{}, err
	}
	d.metadata.State = StateNew
	return d.concealed(c, now), nil
}

// concealed returns the result for the sender.
func (d *draft) concealed(c caller.Caller, now time.Time) Concealed {
	kept := Concealed{Metadata: describe(d.receipt, &d.metadata, now), Secret: showSecret(c, d.key, &d.secret, now)}
	// Senders compare it with what they asked for.
	kept.Secret.ShareDomain = d.linkDomain
	kept.Metadata.Secret, kept.Metadata.Memo = &kept.Secret.Key, d.memo
	if !c.Anonymous() {
		kept.Metadata.Account = c.Address()
	}
	kept.Metadata.Events = new(timelineRecord).timeline(&d.metadata)
	for _, r := range d.recipients {
		kept.Metadata.Deliveries = append(kept.Metadata.Deliveries, outbox.Delivery{Recipient: r.Obscured, State: outbox.DeliveryQueued, Updated: now})
	}
	return kept
}

// keep writes a durable share, seals the text with it and commits both records.
func (se *Secrets) keep(ctx context.Context, c caller.Caller, d *draft, text caller.Text, wish Wish) error {
	if err := se.challenges.AdmitConceal(ctx, c, wish.Challenge); err != nil {
		return err
	}
	var hash [32]byte
	switch {
	case wish.Sealed != nil:
		copy(hash[:], wish.Sealed.ProofHash)
	case wish.Passphrase != "":
		params := se.newPassphraseParams()
		var err error
		if hash, err = se.hasher.Hash(ctx, c.Network, params, wish.Passphrase); err != nil {
			return err
		}
		d.secret.passphrase = &params
	}
	if err := se.draftForAccount(ctx, c, d); err != nil {
		return err
	}
	ready, err := se.shares.Take(ctx, d.secret.shareOwner(d.secretRow))
	if err != nil {
		se.outbox.Discard(err, d.mails...)
		return fmt.Errorf("writing the share: %w", refusal.Unavailable(err))
	}
	se.usage.Handed(ready.Slot.Number, d.metaRow)
	key, err := se.secretKeys.Key(d.secret.kid, d.key, d.secretRow, ready.Share, hash)
	if err != nil {
		se.shares.Discard(err, ready.Slot)
		se.outbox.Discard(err, d.mails...)
		return err
	}
	d.secret.slot, d.secret.verifier = ready.Slot, key.Verifier()
	d.secret.encodeHeader()
	d.secret.sealText(key, []byte(text))
	d.metadata.SealedKey = se.keys.SealMetadata(d.receipt, d.metaRow, labelKey, []byte(d.key.Expose()))
	begin := func(tx *rows.Tx) error {
		if err := se.shares.Own(tx, ready); err != nil {
			return err
		}
		return se.usage.Put(tx, d.charged, d.elsewhere, se.limits, d.secretRow, d.metaRow)
	}
	if err := se.store.Update(ctx, d.commit(begin)); err != nil {
		se.shares.Discard(err, ready.Slot)
		se.outbox.Discard(err, d.mails...)
		return fmt.Errorf("keeping the secret: %w", err)
	}
	if len(d.mails) > 0 {
		se.outbox.Wake()
	}
	return nil
}

// newPassphraseParams returns the parameters for hashing the next passphrase.
func (se *Secrets) newPassphraseParams() seal.PassphraseParams {
	if se.cost == (seal.PassphraseParams{}) {
		return seal.NewPassphraseParams()
	}
	return se.cost.Renewed()
}

// draftForAccount seals the receipt for its account's list and drafts the mails
// to the recipients.
func (se *Secrets) draftForAccount(ctx context.Context, c caller.Caller, d *draft) (err error) {
	if c.Anonymous() {
		return nil
	}
	d.owner = c.AccountID()
	if d.entry, err = se.receipts.draftEntry(ctx, c, d.receipt, d.metaRow); err != nil {
		return err
	}
	d.mails, err = se.draftShares(ctx, c, d, d.recipients, d.secret.created)
	return err
}

// commit returns the transaction that stores the draft. It starts with begin, which
// gives the share to the secret and counts the bytes.
func (d *draft) commit(begin func(*rows.Tx) error) func(*rows.Tx) error {
	secret, metadata := d.secret.encode(), d.metadata.encode()
	ungrouped := d.metadata
	ungrouped.group = Group{}
	expiry := expiryKey(d.secret.expires, d.metaRow)
	return func(tx *rows.Tx) error {
		if d.secret.encryption == EncryptionEndToEnd && tx.Format() < rows.FormatClaims {
			return &caller.PolicyError{Text: "End-to-end encrypted secrets can be shared here once all nodes of the service are upgraded."}
		}
		if err := begin(tx); err != nil {
			return err
		}
		if err := tx.Put(BucketSecret, d.secretRow[:], secret); err != nil {
			return err
		}
		receipt := metadata
		if tx.Format() < rows.FormatClaims {
			receipt = ungrouped.encode() // which every node can read
		}
		if err := tx.Put(BucketMetadata, d.metaRow[:], receipt); err != nil {
			return err
		}
		if err := tx.Put(BucketExpiry, expiry, nil); err != nil {
			return err
		}
		if err := d.commitBeside(tx); err != nil {
			return err
		}
		if err := counter.Add(tx, counter.Change{Counter: counter.Secrets, By: 1}, counter.Change{Counter: counter.Created, By: 1}, counter.Change{Counter: counter.Metadata, By: 1}); err != nil {
			return err
		}
		return audit.Write(tx, d.secret.created, audit.Conceal, d.metaRow)
	}
}

// commitBeside writes what belongs to an account's secret besides its records.
func (d *draft) commitBeside(tx *rows.Tx) error {
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
	return outbox.PutDeliveries(tx, d.metaRow, d.recipients, d.secret.created, d.metadata.forgotten())
}
