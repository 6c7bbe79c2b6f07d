package secret

import (
	"context"
	"errors"
	"fmt"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/shares"
)

// Concealed is the result for the sender.
type Concealed struct {
	Metadata receipt.Metadata
	Secret   Secret
}

// ConcealSecret stores text, which must not be empty, or the content of terms.Sealed
// and no text, and returns once it is durable. If it returns ErrTooLarge, ErrInvalid,
// ErrQuota, ErrAccountRequired, ErrNoMail, ErrDomainNotFound, ErrPolicy, ErrMaintenance
// or ErrChallenge, it has stored nothing.
func (se *Secrets) ConcealSecret(ctx context.Context, c caller.Caller, text caller.Text, terms Terms) (Concealed, error) {
	return se.conceal(ctx, c, text, terms, false)
}

// GenerateSecret generates a text of length characters (0 means 12), conceals
// it and returns it. Its errors are those of ConcealSecret.
//
// The sender has seen the value, so the stored state is viewed from the start;
// the response says new.
func (se *Secrets) GenerateSecret(ctx context.Context, c caller.Caller, length int, sets seal.CharacterSets, terms Terms) (Concealed, caller.Text, error) {
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
	concealed, err := se.conceal(ctx, c, caller.Text(value), terms, true)
	return concealed, caller.Text(value), err
}

// CharacterSets selects the characters of a generated secret.
type CharacterSets = seal.CharacterSets

func (se *Secrets) conceal(ctx context.Context, c caller.Caller, text caller.Text, terms Terms, viewed bool) (_ Concealed, err error) {
	defer func() { err = refusal.NothingStored(err) }()
	terms.Passphrase = normalForm(terms.Passphrase)
	now := se.clock.Now()
	var d *draft
	if terms.answer != nil {
		d, err = se.draftAnswer(c, terms, now)
	} else {
		d, err = se.draft(ctx, c, text, terms, viewed, now)
	}
	if err != nil {
		return Concealed{}, err
	}
	stored := len(text) // of what is not sealed yet
	switch {
	case terms.file != nil:
		stored = fileKeySize
	case terms.Sealed != nil:
		text = terms.Sealed.Content
		stored = len(text)
	}
	d.charged = d.secret.charge()
	d.charged.Secret += int64(d.secret.sealedSize(stored))
	if d.answer == nil {
		d.charged.Receipt = d.receipt.Charge().Receipt
	}
	if err := se.store.CheckDiskSpace(); err != nil {
		return Concealed{}, err
	}
	if d.elsewhere, err = se.usage.Reserve(ctx, d.charged, se.limits); err != nil {
		return Concealed{}, err
	}
	switch {
	case d.answer != nil:
		err = se.storeAnswer(ctx, c, d, text, terms)
	case terms.file != nil:
		err = se.storeFile(ctx, c, d, terms)
	default:
		err = se.storeDraft(ctx, c, d, text, terms)
	}
	if err != nil {
		se.usage.Cancel(d.charged, err)
		return Concealed{}, err
	}
	concealed := Concealed{Metadata: d.receipt.Show(d.sender, now), Secret: showSecret(c, d.key, &d.secret, now)}
	concealed.Secret.ShareDomain = d.linkDomain // senders compare it with what they asked for
	return concealed, nil
}

// storeDraft writes a durable share, seals the text with it, and stores the secret and its
// receipt.
func (se *Secrets) storeDraft(ctx context.Context, c caller.Caller, d *draft, text caller.Text, terms Terms) error {
	if err := se.challenges.AdmitConceal(ctx, c, terms.Challenge); err != nil {
		return err
	}
	var hash [32]byte
	switch {
	case terms.Sealed != nil:
		copy(hash[:], terms.Sealed.ProofHash)
	case terms.Passphrase != "":
		params := se.newPassphraseParams()
		var err error
		if hash, err = se.hasher.Hash(ctx, c.Network, params, terms.Passphrase); err != nil {
			return err
		}
		d.secret.passphrase = &params
	}
	if err := se.receipts.Seal(ctx, d.sender, &d.receipt); err != nil {
		return err
	}
	var err error
	if d.mails, err = se.draftShares(ctx, c, d); err != nil {
		return err
	}
	ready, err := se.shares.Take(ctx, d.secret.shareOwner(d.row))
	if err != nil {
		se.outbox.Discard(err, d.mails...)
		return fmt.Errorf("writing the share: %w", refusal.Unavailable(err))
	}
	key, err := se.secretKeys.Key(d.secret.kid, d.key, d.row, ready.Share, hash)
	if err != nil {
		se.shares.Discard(err, ready.Slot)
		se.outbox.Discard(err, d.mails...)
		return err
	}
	if d.file != nil {
		preview, err := se.sealPreview(&d.secret, d.key, d.row, ready.Share, []byte(terms.file.Preview))
		if err != nil {
			se.shares.Discard(err, ready.Slot)
			return err
		}
		d.file.Keep(preview)
	}
	d.secret.slot = ready.Slot
	d.secret.verifier = key.Verifier()
	d.secret.encodeHeader()
	d.secret.sealText(key, []byte(text))
	encoded := d.secret.encode()
	if err := se.store.Update(ctx, func(tx *rows.Tx) error { return se.putDraft(tx, d, encoded, ready) }); err != nil {
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

// putDraft stores a draft, of which encoded is the secret, and gives it its share.
func (se *Secrets) putDraft(tx *rows.Tx, d *draft, encoded []byte, ready shares.Ready) error {
	if d.secret.encryption == receipt.EncryptionEndToEnd && tx.Format() < rows.FormatClaims {
		return &caller.PolicyError{Text: "End-to-end encrypted secrets can be shared here once all nodes of the service are upgraded."}
	}
	if d.answer != nil {
		if err := se.putAnswer(tx, d, ready); err != nil {
			return err
		}
	}
	if d.file != nil {
		if err := se.files.Put(tx, d.file); err != nil {
			return err
		}
	}
	if err := se.shares.Own(tx, ready); err != nil {
		return err
	}
	if err := se.usage.Put(tx, d.charged, d.elsewhere, se.limits, ready.Slot.Number, d.row, d.receipt.Row()); err != nil {
		return err
	}
	if err := tx.Put(BucketSecret, d.row[:], encoded); err != nil {
		return err
	}
	if err := d.receipt.Put(tx); err != nil {
		return err
	}
	for _, m := range d.mails {
		if err := m.Put(tx); err != nil {
			return err
		}
	}
	if err := outbox.PutDeliveries(tx, d.receipt.Row(), d.recipients, d.secret.created, d.receipt.Forgotten()); err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Secrets, By: 1}, counter.Change{Counter: counter.Created, By: 1}, counter.Change{Counter: counter.Metadata, By: 1}); err != nil {
		return err
	}
	return audit.Write(tx, d.secret.created, audit.Conceal, d.receipt.Row())
}
