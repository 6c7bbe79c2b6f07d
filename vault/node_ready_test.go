package vault_test

import (
	"context"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// offsetStore has a clock that is ahead of the machine's.
type offsetStore struct {
	storage.Store
	machine *vaulttest.Clock
	ahead   time.Duration
}

func (s *offsetStore) Clock() storage.Clock { return s }

func (s *offsetStore) Now(context.Context) (time.Time, error) {
	if s.machine == nil {
		return vaulttest.StartTime().Add(s.ahead), nil
	}
	return s.machine.Now().Add(s.ahead), nil
}

// A machine whose clock is not that of the database serves like any other, and
// does not count as ready for longer.
func TestReadyWithAnotherClock(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, time.Minute, -time.Minute} {
		store := &offsetStore{ahead: ahead}
		k := vaulttest.NewMemoryCluster(t).Node(t, "a", vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
			store.Store = s
			return store
		}})
		store.machine = k.Clock
		vaulttest.Want(t, "Beat()", k.Vault.Beat(t.Context()), nil)
		vaulttest.WantErr(t, "Ready() of a node whose database is "+ahead.String()+" ahead", k.Vault.Ready(), nil)
		k.Clock.Advance(16 * time.Second)
		vaulttest.WantErr(t, "Ready() without heartbeats", k.Vault.Ready(), refusal.ErrUnavailable)
	}
}
