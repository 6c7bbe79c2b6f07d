package claim_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// slowShares destroy nothing before they may.
type slowShares struct {
	storage.Shares
	may   chan struct{}
	calls *atomic.Int64
}

func (s slowShares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	s.calls.Add(1)
	<-s.may
	return s.Shares.Destroy(ctx, slots...)
}

// The connection of a reveal breaks while the share of the secret is being
// destroyed, and the caller repeats it at once. The repeat waits for that, shows
// nothing before, and destroys nothing a second time: a spent log would have the
// end twice.
func TestRepeatDuringTheShred(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := slowShares{may: make(chan struct{}), calls: new(atomic.Int64)}
		k := vaulttest.NewMemoryCluster(t).Node(t, "a", vaulttest.Options{Manual: true, WrapShares: func(s storage.Shares) storage.Shares {
			slow.Shares = s
			return slow
		}})
		kept := k.MustConceal(t, caller.Caller{}, text, secret.Terms{})
		var got [2]atomic.Pointer[secret.Revealed]
		for i := range got {
			go func() {
				revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: mine()})
				vaulttest.Want(t, "RevealSecret(claim)", err, nil)
				got[i].Store(&revealed)
			}()
			synctest.Wait()
		}
		for i := range got {
			vaulttest.Want(t, "RevealSecret(claim) has returned", got[i].Load() != nil, false)
		}
		vaulttest.Want(t, "calls of Destroy", slow.calls.Load(), 1)
		close(slow.may)
		synctest.Wait()
		for i := range got {
			vaulttest.Want(t, "RevealSecret(claim)", got[i].Load().Value, text)
		}
		vaulttest.Want(t, "calls of Destroy", slow.calls.Load(), 1)
		k.Close(t)
	})
}
