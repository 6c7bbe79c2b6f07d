package receipt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/file"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Metadata is a receipt as a caller is shown it.
type Metadata struct {
	Key seal.Token
	// Secret is the secret key while the secret is live and the caller may see
	// it; otherwise nil. See Record.showsKey.
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
	// File is how far a file has come; nil for other secrets.
	File *file.Progress
	// Account is the address of the account that concealed the secret; empty
	// for anonymous secrets. It must not be logged.
	Account string
	// Events and Deliveries are set for the account that concealed the secret.
	// For an anonymous secret they are set for every holder of the receipt.
	Events     []Event
	Deliveries []outbox.Delivery
}

// GetMetadata returns a receipt, or ErrNotFound. The first call moves it from
// new to viewed and still returns new.
func (re *Receipts) GetMetadata(ctx context.Context, c caller.Caller, key string) (Metadata, error) {
	token, ok := seal.ParseToken(key)
	if !ok {
		return Metadata{}, refusal.ErrNotFound
	}
	now := re.clock.Now()
	found, err := re.find(ctx, token, now)
	if err == nil && found.record.state == StateNew {
		found.record, err = re.view(ctx, found.row, now)
	}
	if err != nil {
		return Metadata{}, err
	}
	return re.show(ctx, c, &found, now), nil
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
	var found []Found
	err := re.store.View(ctx, func(tx *rows.Tx) error {
		found = nil
		for _, key := range keys {
			token, ok := seal.ParseToken(key)
			if !ok {
				continue
			}
			one, err := read(tx, token, now)
			switch {
			case errors.Is(err, refusal.ErrNotFound):
			case err != nil:
				return err
			default:
				found = append(found, one)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	shown := make([]Metadata, len(found))
	for i := range found {
		shown[i] = re.show(ctx, c, &found[i], now)
	}
	return shown, nil
}

// Repeated returns a receipt to a caller who sent again what it is for, or ErrNotFound. It
// changes no state.
func (re *Receipts) Repeated(ctx context.Context, key seal.Token) (Metadata, error) {
	now := re.clock.Now()
	found, err := re.find(ctx, key, now)
	if err != nil {
		return Metadata{}, err
	}
	return re.show(ctx, caller.Caller{}, &found, now), nil
}

// EventsIn returns what happened to the secret of the receipt in a row, oldest first; none
// for a receipt that is forgotten.
func (re *Receipts) EventsIn(tx *rows.Tx, row seal.RowKey, now time.Time) ([]Event, error) {
	r, err := Load(tx, row)
	if errors.Is(err, refusal.ErrNotFound) || err == nil && !now.Before(r.Forgotten()) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	timeline, err := getTimeline(tx, row)
	if err != nil {
		return nil, err
	}
	return timeline.timeline(r.asOf(now)), nil
}

// view moves a receipt from new to viewed and returns it as it was before. If
// it has left the state new meanwhile, view returns it as it is.
func (re *Receipts) view(ctx context.Context, row seal.RowKey, now time.Time) (before *Record, err error) {
	err = re.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		record, err := Load(tx, row)
		if err != nil {
			return err
		}
		shown := *record
		before = &shown
		if !record.state.mayBecome(StateViewed) || !now.Before(record.expires) {
			return nil
		}
		record.state = StateViewed
		record.viewed = now
		record.updated = now
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

// Redacted returns what a record says of a secret without any key: it names neither the
// account nor the recipients, and has no note.
func (r *Record) Redacted(now time.Time) Metadata {
	m := describe(seal.Token{}, r, now)
	m.Account = ""
	m.Recipients = nil
	m.Group = Group{}
	return m
}

// describe returns the plain fields of a record as Metadata.
func describe(key seal.Token, r *Record, now time.Time) Metadata {
	m := Metadata{
		Key: key, Hint: r.Hint(), State: r.state, HasPassphrase: r.hasPassphrase, Encryption: r.encryption, Outcome: r.outcome,
		Created: r.created, Updated: r.updated, Forgotten: r.Forgotten(), Expires: r.expires,
		Viewed: r.viewed, Ended: r.ended, TTL: r.ttl, TTLLeft: TimeLeft(r.Forgotten(), now),
		Recipients: r.recipients, ShareDomain: r.shareDomain, Account: r.owner, Group: r.group,
	}
	if r.state.Live() {
		m.SecretTTLLeft = TimeLeft(r.expires, now)
	}
	return m
}

// TimeLeft returns the time until end in whole seconds, rounded up, never negative.
func TimeLeft(end, now time.Time) time.Duration {
	return max(0, (end.Sub(now) + time.Second - 1).Truncate(time.Second))
}
