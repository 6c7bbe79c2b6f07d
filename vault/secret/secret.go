package secret

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Secret is what may be shown of a secret without consuming it.
type Secret struct {
	Key           seal.Token
	State         receipt.State
	Encryption    receipt.Encryption
	HasPassphrase bool
	Created       time.Time
	Expires       time.Time
	// TTL is the granted lifetime, TTLLeft the time left. Both are whole
	// seconds.
	TTL, TTLLeft time.Duration
	ShareDomain  string
	Owned        bool
}

// GetSecret describes a live secret to a holder of its link. It changes no
// state; the sender sees that the link was looked at. It returns ErrNotFound.
func (se *Secrets) GetSecret(ctx context.Context, c caller.Caller, key string) (Secret, error) {
	found, err := se.lookAt(ctx, c, []string{key}, true)
	if err != nil {
		return Secret{}, err
	}
	if found[0].State == receipt.StateNone {
		return Secret{}, refusal.ErrNotFound
	}
	return found[0], nil
}

// StatusLimit is the maximum number of keys that GetSecretStatus takes.
const StatusLimit = 25

// GetSecretStatus describes up to StatusLimit secrets in the order of keys. The
// state of a secret that is not live is receipt.StateNone. It changes nothing.
func (se *Secrets) GetSecretStatus(ctx context.Context, c caller.Caller, keys []string) ([]Secret, error) {
	if len(keys) > StatusLimit {
		return nil, &refusal.InvalidError{Field: "secret_keys", Text: fmt.Sprintf("must be at most %d", StatusLimit)}
	}
	return se.lookAt(ctx, c, keys, false)
}

func (se *Secrets) lookAt(ctx context.Context, c caller.Caller, keys []string, noted bool) ([]Secret, error) {
	now := se.clock.Now()
	site := se.domains.SiteDomain(c.Site)
	var found []Secret
	var last *Record
	err := se.store.View(ctx, func(tx *rows.Tx) error {
		found = make([]Secret, len(keys))
		for i, key := range keys {
			token, ok := seal.ParseToken(key)
			if !ok {
				continue
			}
			record, shown, err := lookFrom(tx, c, site, token, token.RowKey(seal.KindSecret), now)
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
		se.look(ctx, c, found[0].Key.RowKey(seal.KindSecret), last, now)
	}
	return found, err
}

// lookFrom finds the live secret of a token and its row, if it belongs on a site,
// and the domain that it shows.
func lookFrom(tx *rows.Tx, c caller.Caller, site string, token seal.Token, row seal.RowKey, now time.Time) (*Record, Secret, error) {
	record, err := getSecret(tx, row, now)
	if err != nil {
		return nil, Secret{}, err
	}
	belongs, err := domain.BelongsOn(tx, site, record.owner, record.shareDomain, record.created)
	if err != nil {
		return nil, Secret{}, err
	}
	if !belongs {
		return nil, Secret{}, refusal.ErrNotFound
	}
	shown := showSecret(c, token, record, now)
	shown.ShareDomain, err = domain.NameShown(tx, record.owner, record.shareDomain, record.created)
	return record, shown, err
}

func showSecret(c caller.Caller, key seal.Token, r *Record, now time.Time) Secret {
	return Secret{
		Key: key, State: receipt.StateNew, HasPassphrase: r.guarded(), Encryption: r.encryption,
		Created: r.created, Expires: r.expires,
		TTL: r.expires.Sub(r.created), TTLLeft: receipt.TimeLeft(r.expires, now),
		ShareDomain: r.shareDomain, Owned: r.owner != "" && r.owner == c.Account(),
	}
}
