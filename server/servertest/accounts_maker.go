package servertest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"hush/routes/apitest"
	"hush/seal"
	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/storagetest"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/vaulttest"
)

// fill makes the data folder. The program has no clock that can be set, so the
// vault is used directly: what is over has to have begun in the past.
func (k *Env) fill(data string, open storeOpener) (err error) {
	keys, err := WriteRootKey(data)
	if err != nil {
		return err
	}
	clock := vaulttest.NewClock(time.Now().Add(-25 * time.Hour))
	s, err := open(context.Background(), data, keys, clock.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Release()) }()
	return k.fillStore(s, s.Shares, keys, clock)
}

// FillDatabase makes the same in a database, and returns the root key. To the
// vault it is a store without a clock, so that it too may begin in the past.
func (k *Env) FillDatabase(url string) (root seal.RootKey, err error) {
	store, shares, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		return root, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	root = seal.NewRootKey()
	keys, clock := seal.NewKeys(root), vaulttest.NewClock(time.Now().Add(-25*time.Hour))
	timeless := storagetest.WithoutClock(store)
	if err := vault.InitShared(context.Background(), timeless, keys, clock.Now()); err != nil {
		return root, err
	}
	return root, k.fillStore(timeless, shares, keys, clock)
}

// fillStore makes what a store holds that was just initialised.
func (k *Env) fillStore(store storage.Store, shares storage.Shares, keys *seal.Keys, clock *vaulttest.Clock) error {
	v, err := vault.Open(context.Background(), vault.Options{
		Store: store, Shares: shares, Keys: keys, Now: clock.Now, Log: slog.New(slog.DiscardHandler), Manual: true,
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
