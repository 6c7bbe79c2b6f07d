package vault

import (
	"context"
	"errors"
	"strings"
	"time"

	"hush/seal"
	"hush/storage"
)

// BurnSecret destroys a secret unread. It takes the key of the metadata, and
// returns what RevealSecret does. The account that concealed the secret needs
// no passphrase, and nobody does once all tries are used up: no one can open
// it then, so that its sender can still end it.
func (v *Vault) BurnSecret(ctx context.Context, c Caller, metadataKey string, passphrase Text) (Metadata, error) {
	receipt, ok := seal.ParseToken(metadataKey)
	if !ok {
		return Metadata{}, ErrNotFound
	}
	now, row := v.clock.now(), receipt.RowKey(seal.KindMetadata)
	found, err := v.findMetadata(ctx, row, now)
	if err != nil {
		return Metadata{}, err
	}
	if !found.record.state.Live() {
		return Metadata{}, ErrNotFound
	}
	if found.record.ownedBy(c) || found.lockedForGood {
		if found.record, err = v.endUnproved(ctx, row, c.Network.Masked(), now, nil); err != nil {
			return Metadata{}, err
		}
		return v.showMetadata(ctx, c, receipt, row, found, now), nil
	}
	token, err := v.openKey(receipt, row, found.record)
	if err != nil {
		return Metadata{}, err
	}
	seen, err := v.prove(ctx, c, token, passphrase, moveBurn, now)
	if err != nil {
		return Metadata{}, err
	}
	end, err := v.claim(ctx, c, seen, moveBurn, now)
	if err != nil {
		return Metadata{}, err
	}
	found.record = end.metadata
	return v.showMetadata(ctx, c, receipt, row, found, now), nil
}

// endUnproved burns the secret of a receipt for somebody who need not know its
// key. It returns ErrNotFound if nothing waits there. beside, unless nil, runs
// in the same transaction.
func (v *Vault) endUnproved(ctx context.Context, row seal.RowKey, by string, now time.Time, beside func(storage.Tx) error) (*metadataRecord, error) {
	var burned *secretRecord
	var end ended
	err := v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		metadata, err := getMetadata(tx, row)
		if err != nil {
			return err
		}
		if !metadata.state.Live() {
			return ErrNotFound
		}
		secret := metadata.secret
		if burned, err = getSecret(tx, secret, now); err != nil {
			return err
		}
		end.counted = v.usage.touch(secret, burned.slot.Number)
		if end.metadata, err = v.endSecret(tx, secret, burned, moveBurn, by, now); err != nil || beside == nil {
			return err
		}
		return beside(tx)
	})
	if err != nil {
		return nil, err
	}
	if end.counted {
		v.usage.release(burned.charge())
	}
	if err := v.destroy(ctx, burned.slot); err != nil {
		return nil, err
	}
	v.watches.tell(row)
	return end.metadata, nil
}

// BurnAllSecrets burns every live secret of the caller's account and returns
// how many there were.
func (v *Vault) BurnAllSecrets(ctx context.Context, c Caller) (int, error) {
	if c.Anonymous() || c.with == nil {
		return 0, ErrUnauthenticated
	}
	return v.burnAccount(ctx, c.with.id, v.clock.now())
}

// burnAccount burns every live secret of an account, one transaction each: a
// caller who gives up in the middle has burned some and may ask again.
func (v *Vault) burnAccount(ctx context.Context, id AccountID, now time.Time) (burned int, err error) {
	from := id[:]
	for {
		rows, next, err := v.liveEntries(ctx, id, from)
		if err != nil {
			return burned, err
		}
		for _, row := range rows {
			_, err := v.endUnproved(ctx, row, "", now, nil)
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if err != nil {
				return burned, err
			}
			burned++
		}
		if next == nil {
			return burned, nil
		}
		from = next
	}
}

// liveEntries returns the receipts of a batch of an account's entries whose
// secrets wait, and where the next batch begins, nil after the last.
func (v *Vault) liveEntries(ctx context.Context, id AccountID, from []byte) (rows []seal.RowKey, next []byte, err error) {
	err = v.store.View(ctx, func(tx storage.Tx) error {
		rows, next = nil, nil
		looked := 0
		return ignoreEnough(tx.Range(bucketEntry, from, prefixEnd(id[:]), func(key, _ []byte) error {
			if looked == sweepBatch {
				next = append([]byte(nil), key...)
				return errEnough
			}
			looked++
			row, err := entryMetadata(key)
			if err != nil {
				return err
			}
			metadata, err := getMetadata(tx, row)
			if err == nil && metadata.state.Live() {
				rows = append(rows, row)
			}
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			return err
		}))
	})
	return rows, next, err
}

// BurnReportedSecret burns the secret of a link that somebody reported, and
// keeps who did. Nothing of the secret is shown: the receipt comes without
// keys and notes. Callers who are no colonels get ErrNotFound, as for a link
// that opens nothing.
func (v *Vault) BurnReportedSecret(ctx context.Context, c Caller, link Text) (Metadata, error) {
	if !c.Colonel() {
		return Metadata{}, ErrNotFound
	}
	return v.burnReported(ctx, link, c.with.id)
}

// BurnReportedSecret is the operator's.
func (o Operator) BurnReportedSecret(ctx context.Context, link Text) (Metadata, error) {
	return o.v.burnReported(ctx, link, AccountID{})
}

// burnReported writes the zero id for the operator.
func (v *Vault) burnReported(ctx context.Context, link Text, by AccountID) (Metadata, error) {
	token, ok := linkToken(string(link))
	if !ok {
		return Metadata{}, ErrNotFound
	}
	now := v.clock.now()
	var receipt seal.RowKey
	err := v.store.View(ctx, func(tx storage.Tx) error {
		record, err := getSecret(tx, token.RowKey(seal.KindSecret), now)
		if err != nil {
			return err
		}
		receipt = record.metadata
		return nil
	})
	if err != nil {
		return Metadata{}, err
	}
	metadata, err := v.endUnproved(ctx, receipt, "", now, func(tx storage.Tx) error {
		if err := audit(tx, now, AuditReport, receipt); err != nil {
			return err
		}
		return auditAccount(tx, now, AuditReport, by)
	})
	if err != nil {
		return Metadata{}, err
	}
	shown := describe(seal.Token{}, metadata, now)
	shown.Account, shown.Recipients = "", nil
	return shown, nil
}

// linkToken finds the secret's key in a link as people copy it: with a query
// that a chat program added, or with the punctuation of a sentence.
func linkToken(link string) (seal.Token, bool) {
	link = strings.TrimSpace(link)
	if path, fragment, found := strings.Cut(link, "#"); found && len(fragment) >= linkKeySize {
		link = fragment
	} else {
		link, _, _ = strings.Cut(path, "?")
	}
	link = strings.TrimRight(link, "/.,;:!?)]}>'\"")
	return seal.ParseToken(link[strings.LastIndexByte(link, '/')+1:])
}

// linkKeySize is the length of a secret's key.
const linkKeySize = 31
