package servertest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"hush/routes/apitest"
	"hush/seal"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/vaulttest"
)

// fill makes the data folder. The program has no clock that can be set, so the
// vault is used directly: what is over has to have begun in the past.
func (k *Env) fill(data string, open storeOpener) error {
	keys, err := WriteRootKey(data)
	if err != nil {
		return err
	}
	return k.fillStore(data, keys, open)
}

// FillDatabase makes the same in the database at a URL, and returns the root key.
func (k *Env) FillDatabase(url string) (seal.RootKey, error) {
	root := seal.NewRootKey()
	return root, k.fillStore(url, seal.NewKeys(root), openDatabase)
}

// fillStore makes a store at a place that open understands, and what it holds.
func (k *Env) fillStore(place string, keys *seal.Keys, open storeOpener) (err error) {
	clock := vaulttest.NewClock(time.Now().Add(-25 * time.Hour))
	s, err := open(context.Background(), place, keys, clock.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Release()) }()
	v, err := vault.Open(context.Background(), vault.Options{
		Store: s, Shares: s.Shares, Keys: keys, Now: clock.Now, Log: slog.New(slog.DiscardHandler), Manual: true,
		Policy:    caller.Policy{SignUp: caller.SignUpOpen},
		Passwords: vaulttest.CheapPasswords(),
		Send:      func(context.Context, outbox.Mail) error { return nil }, // mails are dropped
	})
	if err != nil {
		return err
	}
	defer v.Close()
	made, err := apitest.Fill(context.Background(), v, clock)
	if err == nil {
		k.Accounts = *made
	}
	return err
}
