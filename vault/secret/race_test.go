package secret_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: a stranger who saw the link asks for it at the same moment as its
// owner, thirty times over, while the sender burns it. One of them wins, and
// only that one gets the text.
func TestOneWinner(t *testing.T) {
	t.Parallel()
	const secrets, callers, burners = 200, 32, 4
	counting := countingStore{bucket: secret.BucketSecret}
	k := vaulttest.New(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		counting.Store = s
		return &counting
	}})
	kept := make([]secret.Concealed, secrets)
	for i := range kept {
		kept[i] = k.MustConceal(t, vaulttest.Caller(i), caller.Text("text of "+string(rune('A'+i))), secret.Terms{})
	}
	outcomes := make([]outcome, secrets)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range kept {
		for c := range callers {
			all.Go(func() {
				<-start
				outcomes[i].try(t, k, kept[i], c, c < burners)
			})
		}
	}
	close(start)
	all.Wait()

	revealed := 0
	for i := range outcomes {
		if got := outcomes[i].revealed.Load() + outcomes[i].burned.Load(); got != 1 {
			t.Errorf("winners of secret %d: got %d, want 1", i, got)
		}
		state := receipt.StateBurned
		if outcomes[i].revealed.Load() == 1 {
			state, revealed = receipt.StateReceived, revealed+1
		}
		vaulttest.WantState(t, k, kept[i].Metadata.Key, state)
	}
	// No loser ever got as far as the ciphertext.
	vaulttest.Want(t, "secrets found by reveals", counting.opened.Load(), secrets)
	vaulttest.Want(t, "secrets taken by reveals", counting.taken.Load(), secrets)
	kinds := vaulttest.AuditKinds(t, k)
	vaulttest.Want(t, "audit rows of reveals", kinds[audit.Reveal], revealed)
	vaulttest.Want(t, "audit rows of burns", kinds[audit.Burn], secrets-revealed)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
}

// outcome counts what the callers of one secret got.
type outcome struct{ revealed, burned atomic.Int32 }

func (o *outcome) try(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, caller int, burn bool) {
	t.Helper()
	var err error
	won := &o.revealed
	if burn {
		won = &o.burned
		_, err = k.Vault.Burns.BurnGuarded(t.Context(), vaulttest.Caller(caller), kept.Metadata.Key.Expose(), "")
	} else {
		var got secret.Revealed
		got, err = k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(caller), kept.Secret.Key.Expose(), secret.Opening{})
		if (got.Value == "") != (err != nil) {
			t.Errorf("RevealSecret(key): got %d bytes with %v, want either", len(got.Value), err)
		}
	}
	switch {
	case err == nil:
		won.Add(1)
	case !errors.Is(err, refusal.ErrNotFound):
		t.Errorf("losing: got %v, want %v", err, refusal.ErrNotFound)
	}
}

// The same with a passphrase that all of them know: at most five of a network
// may try, and one wins.
func TestOneWinnerWithPassphrase(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{Passphrase: "right"})
	var won, refused atomic.Int32
	var all sync.WaitGroup
	for c := range 16 {
		all.Go(func() {
			err := vaulttest.RetryBusy(func() error { return vaulttest.RevealErr(t, k, vaulttest.Caller(c), kept.Secret.Key.Expose(), "right") })
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, refusal.ErrNotFound):
				refused.Add(1)
			default:
				t.Errorf("RevealSecret(right): got %v, want nil or %v", err, refusal.ErrNotFound)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "winners", won.Load(), 1)
	vaulttest.Want(t, "losers", refused.Load(), 15)
	vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
}

// A secret that is concealed where another one just ended gets its own share,
// however the two overlap.
func TestSlotsAreNotMixedUp(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{})
	var all sync.WaitGroup
	for c := range 16 {
		all.Go(func() {
			for i := range 25 {
				text := string(rune('a'+c)) + string(rune('a'+i))
				kept, err := k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(c), caller.Text(text), secret.Terms{})
				vaulttest.Want(t, "ConcealSecret(text)", err, nil)
				got, err := k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(c), kept.Secret.Key.Expose(), secret.Opening{})
				vaulttest.Want(t, "RevealSecret(key)", err, nil)
				vaulttest.Want(t, "RevealSecret(key)", string(got.Value), text)
			}
		})
	}
	all.Wait()
}
