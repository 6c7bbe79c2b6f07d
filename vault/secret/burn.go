package secret

import (
	"context"
	"errors"
	"strings"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Operator is what whoever runs the service may do with secrets. Nothing here asks
// for a password: who may be the operator is for those to know who hand it out.
type Operator struct{ v *Burns }

// NewOperator returns what the operator may do with secrets.
func NewOperator(v *Burns) Operator { return Operator{v} }

// BurnSecret destroys a secret unread. It takes the key of the metadata, and
// returns what RevealSecret does. The account that concealed the secret needs
// no passphrase, and nobody does once all tries are used up: no one can open
// it then, so that its sender can still end it.
func (bu *Burns) BurnSecret(ctx context.Context, c caller.Caller, metadataKey string, passphrase caller.Text) (Metadata, error) {
	receipt, ok := seal.ParseToken(metadataKey)
	if !ok {
		return Metadata{}, refusal.ErrNotFound
	}
	now, row := bu.clock.Now(), receipt.RowKey(seal.KindMetadata)
	found, err := bu.receipts.findMetadata(ctx, row, now)
	if err != nil {
		return Metadata{}, err
	}
	if !found.record.State.Live() {
		return Metadata{}, refusal.ErrNotFound
	}
	if found.record.ownedBy(c) || found.lockedForGood {
		if found.record, err = bu.endUnproved(ctx, row, c.Network.Masked(), now, nil); err != nil {
			return Metadata{}, err
		}
		return bu.receipts.showMetadata(ctx, c, receipt, row, found, now), nil
	}
	token, err := bu.receipts.openKey(receipt, row, found.record)
	if err != nil {
		return Metadata{}, err
	}
	seen, err := bu.secrets.verifyKey(ctx, c, token, passphrase, moveBurn, now)
	if err != nil {
		return Metadata{}, err
	}
	end, err := bu.secrets.claim(ctx, c, seen, moveBurn, now)
	if err != nil {
		return Metadata{}, err
	}
	found.record = end.metadata
	return bu.receipts.showMetadata(ctx, c, receipt, row, found, now), nil
}

// endUnproved burns the secret of a receipt for somebody who need not know its
// key. It returns ErrNotFound if nothing waits there. beside, unless nil, runs
// in the same transaction.
func (bu *Burns) endUnproved(ctx context.Context, row seal.RowKey, by string, now time.Time, beside func(storage.Tx) error) (*MetadataRecord, error) {
	var burned *Record
	var end claimResult
	err := bu.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		metadata, err := getMetadata(tx, row)
		if err != nil {
			return err
		}
		if !metadata.State.Live() {
			return refusal.ErrNotFound
		}
		secret := metadata.Secret
		if burned, err = getSecret(tx, secret, now); err != nil {
			return err
		}
		end.counted = bu.usage.touch(secret, burned.Slot.Number)
		if end.metadata, err = bu.secrets.endSecret(tx, secret, burned, moveBurn, by, now); err != nil || beside == nil {
			return err
		}
		return beside(tx)
	})
	if err != nil {
		return nil, err
	}
	if end.counted {
		bu.usage.release(burned.charge())
	}
	if err := bu.shares.Destroy(ctx, burned.Slot); err != nil {
		return nil, err
	}
	bu.watches.tell(row)
	return end.metadata, nil
}

// BurnAllSecrets burns every live secret of the caller's account and returns
// how many there were.
func (bu *Burns) BurnAllSecrets(ctx context.Context, c caller.Caller) (int, error) {
	if c.Anonymous() || c.Credential == nil {
		return 0, refusal.ErrUnauthenticated
	}
	return bu.BurnAccount(ctx, c.Credential.ID, bu.clock.Now())
}

// BurnAccount burns every live secret of an account, one transaction each: a
// caller who gives up in the middle has burned some and may ask again.
func (bu *Burns) BurnAccount(ctx context.Context, id caller.AccountID, now time.Time) (burned int, err error) {
	from := id[:]
	for {
		rows, next, err := bu.liveEntries(ctx, id, from)
		if err != nil {
			return burned, err
		}
		for _, row := range rows {
			_, err := bu.endUnproved(ctx, row, "", now, nil)
			if errors.Is(err, refusal.ErrNotFound) {
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
func (bu *Burns) liveEntries(ctx context.Context, id caller.AccountID, from []byte) (list []seal.RowKey, next []byte, err error) {
	err = bu.store.View(ctx, func(tx storage.Tx) error {
		list, next = nil, nil
		looked := 0
		return rows.IgnoreEnough(tx.Range(BucketEntry, from, rows.PrefixEnd(id[:]), func(key, _ []byte) error {
			if looked == rows.SweepBatch {
				next = append([]byte(nil), key...)
				return rows.ErrEnough
			}
			looked++
			row, err := entryMetadata(key)
			if err != nil {
				return err
			}
			metadata, err := getMetadata(tx, row)
			if err == nil && metadata.State.Live() {
				list = append(list, row)
			}
			if errors.Is(err, refusal.ErrNotFound) {
				return nil
			}
			return err
		}))
	})
	return list, next, err
}

// BurnReportedSecret burns the secret of a link that somebody reported, and
// keeps who did. Nothing of the secret is shown: the receipt comes without
// keys and notes. Callers who are no colonels get ErrNotFound, as for a link
// that opens nothing.
func (bu *Burns) BurnReportedSecret(ctx context.Context, c caller.Caller, link caller.Text) (Metadata, error) {
	if !c.Colonel() {
		return Metadata{}, refusal.ErrNotFound
	}
	return bu.burnReported(ctx, link, c.Credential.ID)
}

// BurnReportedSecret is the operator's.
func (o Operator) BurnReportedSecret(ctx context.Context, link caller.Text) (Metadata, error) {
	return o.v.burnReported(ctx, link, caller.AccountID{})
}

// burnReported writes the zero id for the operator.
func (bu *Burns) burnReported(ctx context.Context, link caller.Text, by caller.AccountID) (Metadata, error) {
	token, ok := linkToken(string(link))
	if !ok {
		return Metadata{}, refusal.ErrNotFound
	}
	now := bu.clock.Now()
	var receipt seal.RowKey
	err := bu.store.View(ctx, func(tx storage.Tx) error {
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
	metadata, err := bu.endUnproved(ctx, receipt, "", now, func(tx storage.Tx) error {
		if err := rows.WriteAudit(tx, now, rows.AuditReport, receipt); err != nil {
			return err
		}
		return rows.WriteAccountAudit(tx, now, rows.AuditReport, by)
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
