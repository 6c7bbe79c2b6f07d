package secret

import (
	"context"
	"errors"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Operator holds the operator's actions on secrets. It asks for no password:
// only the process that owns the data folder hands it out.
type Operator struct{ burns *Burns }

// NewOperator returns the operator's actions on secrets.
func NewOperator(burns *Burns) Operator { return Operator{burns} }

// BurnSecret destroys a secret unread. Its receipt is enough: the sender may have
// forgotten the passphrase. It returns ErrNotFound if the secret is gone.
func (bu *Burns) BurnSecret(ctx context.Context, c caller.Caller, metadataKey string) (receipt.Metadata, error) {
	found, err := bu.receipts.FindLive(ctx, metadataKey)
	if err != nil {
		return receipt.Metadata{}, err
	}
	return bu.burnFound(ctx, c, found)
}

// BurnGuarded destroys a secret unread if the passphrase is right, and returns
// the same errors as RevealSecret. The owning account needs no passphrase, and
// no caller needs one for an end-to-end encrypted secret: the server does not
// have it. Once all tries are used up, no caller needs one either: the secret
// can no longer be opened, and its sender can still burn it.
func (bu *Burns) BurnGuarded(ctx context.Context, c caller.Caller, metadataKey string, passphrase caller.Text) (receipt.Metadata, error) {
	found, err := bu.receipts.FindLive(ctx, metadataKey)
	if err != nil {
		return receipt.Metadata{}, err
	}
	if found.OwnedBy(c) || found.Encryption() == receipt.EncryptionEndToEnd || found.LockedForGood() {
		return bu.burnFound(ctx, c, found)
	}
	now := bu.clock.Now()
	token, err := bu.receipts.OpenKey(&found)
	if err != nil {
		return receipt.Metadata{}, err
	}
	seen, err := bu.secrets.verifyKey(ctx, c, token, Opening{Passphrase: passphrase}, moveBurn, now)
	if err != nil {
		return receipt.Metadata{}, err
	}
	end, err := bu.secrets.consume(ctx, c, seen, moveBurn, nil, now)
	if err != nil {
		return receipt.Metadata{}, err
	}
	return bu.receipts.ShowEnded(ctx, c, found, end.receipt, now), nil
}

// burnFound burns the secret of a receipt without opening anything.
func (bu *Burns) burnFound(ctx context.Context, c caller.Caller, found receipt.Found) (receipt.Metadata, error) {
	now := bu.clock.Now()
	ended, err := bu.endUnproved(ctx, found.Row(), moveBurn, c.Network.Masked(), now, nil)
	if err != nil {
		return receipt.Metadata{}, err
	}
	return bu.receipts.ShowEnded(ctx, c, found, ended, now), nil
}

// endUnproved ends the secret of a receipt without its key. It returns
// ErrNotFound if the secret is gone. beside, unless nil, runs in the same
// transaction.
func (bu *Burns) endUnproved(ctx context.Context, row seal.RowKey, m move, by string, now time.Time, beside func(*rows.Tx) error) (*receipt.Record, error) {
	return bu.endIf(ctx, row, m, by, now, nil, beside)
}

// endIf is endUnproved, unless check returns an error in the same transaction; nil checks
// nothing.
func (bu *Burns) endIf(ctx context.Context, row seal.RowKey, m move, by string, now time.Time, check, beside func(*rows.Tx) error) (*receipt.Record, error) {
	var end ending
	err := bu.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		if check != nil {
			if err := check(tx); err != nil {
				return err
			}
		}
		secret, err := receipt.LiveSecret(tx, row)
		if err != nil {
			return err
		}
		burned, err := getSecret(tx, secret, now)
		if err != nil {
			return err
		}
		if end, err = bu.secrets.endSecret(tx, secret, burned, m, by, false, now); err != nil || beside == nil {
			return err
		}
		return beside(tx)
	})
	if err != nil {
		return nil, err
	}
	if err := bu.secrets.finish(ctx, m, end); err != nil {
		return nil, err
	}
	return end.receipt, nil
}

// BurnAllSecrets burns every live secret of the caller's account and returns
// how many there were.
func (bu *Burns) BurnAllSecrets(ctx context.Context, c caller.Caller) (int, error) {
	if c.Anonymous() {
		return 0, refusal.ErrUnauthenticated
	}
	return bu.BurnAccount(ctx, c.AccountID(), bu.clock.Now())
}

// BurnAccount burns every live secret of an account, each in its own
// transaction. If the caller cancels, some secrets are burned, and the call may
// be repeated.
func (bu *Burns) BurnAccount(ctx context.Context, id caller.AccountID, now time.Time) (burned int, err error) {
	from := id[:]
	for {
		live, next, err := bu.receipts.ListLive(ctx, id, from)
		if err != nil {
			return burned, err
		}
		for _, row := range live {
			_, err := bu.endUnproved(ctx, row, moveBurn, "", now, nil)
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

// BurnReportedSecret burns the secret behind a reported link and records who
// burned it. It shows nothing of the secret: the returned receipt has no keys
// and no notes. A caller who is not a colonel gets ErrNotFound, as for an
// unknown link. A text without a key returns an InvalidError.
func (bu *Burns) BurnReportedSecret(ctx context.Context, c caller.Caller, link caller.Text) (receipt.Metadata, error) {
	if !c.Colonel() {
		return receipt.Metadata{}, refusal.ErrNotFound
	}
	return bu.burnReported(ctx, link, c.AccountID())
}

// BurnReportedSecret burns the secret behind a reported link for the operator.
func (o Operator) BurnReportedSecret(ctx context.Context, link caller.Text) (receipt.Metadata, error) {
	return o.burns.burnReported(ctx, link, caller.AccountID{})
}

// burnReported burns the secret of a link, or of the link of its receipt. It audits the
// account that burns a reported secret; the zero id is the operator.
func (bu *Burns) burnReported(ctx context.Context, link caller.Text, by caller.AccountID) (receipt.Metadata, error) {
	token, ok := seal.TokenIn(string(link))
	if !ok {
		return receipt.Metadata{}, &refusal.InvalidError{Field: "link", Text: "This is not a link, or not all of it."}
	}
	now := bu.clock.Now()
	row := token.RowKey(seal.KindMetadata) // endUnproved finds out whether it is one
	err := bu.store.View(ctx, func(tx *rows.Tx) error {
		record, err := getSecret(tx, token.RowKey(seal.KindSecret), now)
		if errors.Is(err, refusal.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		row = record.metadata
		return nil
	})
	if err != nil {
		return receipt.Metadata{}, err
	}
	ended, err := bu.endUnproved(ctx, row, moveBurn, "", now, func(tx *rows.Tx) error {
		if err := audit.Write(tx, now, audit.Report, row); err != nil {
			return err
		}
		return audit.WriteAccount(tx, now, audit.Report, by)
	})
	if err != nil {
		return receipt.Metadata{}, err
	}
	return ended.Redacted(now), nil
}
