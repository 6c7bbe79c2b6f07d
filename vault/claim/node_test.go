package claim_test

import (
	"testing"
	"time"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// nodes returns two nodes of one store.
func nodes(t *testing.T) (a, b *vaulttest.Kit) {
	t.Helper()
	c, opts := vaulttest.NewCluster(t), vaulttest.Options{Manual: true}
	return c.Node(t, "a", opts), c.Node(t, "b", opts)
}

// advance moves the clocks of nodes, which send their heartbeats.
func advance(t *testing.T, d time.Duration, kits ...*vaulttest.Kit) {
	t.Helper()
	for _, k := range kits {
		k.Clock.Advance(d)
		vaulttest.Want(t, "Beat()", k.Vault.Beat(t.Context()), nil)
	}
}

// A claim that one node made is repeated and acknowledged on another. The bytes
// count once, on both.
func TestClaimOnAnotherNode(t *testing.T) {
	t.Parallel()
	a, b := nodes(t)
	kept := a.MustConceal(t, vaulttest.Caller(7), text, secret.Terms{})
	stored := a.MustLiveBytes(t)
	vaulttest.Want(t, "RevealSecret(claim)", a.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
	advance(t, time.Second, a, b)
	vaulttest.Want(t, "RevealSecret(claim, other node)", b.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
	b.WantNotRevealed(t, "another claim", kept.Secret.Key, others())
	vaulttest.Want(t, "bytes while the claim lasts", b.MustLiveBytes(t), stored)
	b.MustAcknowledge(t, kept.Secret.Key, mine())
	a.WantNotRevealed(t, "after the end on another node", kept.Secret.Key, mine())
	advance(t, 2*time.Second, a, b)
	vaulttest.Want(t, "bytes after the end", a.MustLiveBytes(t), 0)
	advance(t, claim.Lifetime, a, b)
	vaulttest.Want(t, "Lapse(ended on another node)", a.MustLapse(t), 0)
	vaulttest.Want(t, "Live()", a.Vault.Claims.Live(), 0)
	metadata := a.MustMetadata(t, caller.Caller{}, kept.Metadata.Key)
	vaulttest.Want(t, "Outcome", metadata.Outcome, receipt.OutcomeDelivered)
}

// The node that made a claim is gone. Another one finds the claim, and ends it
// when the time is over.
func TestClaimOfADeadNode(t *testing.T) {
	t.Parallel()
	a, b := nodes(t)
	kept := a.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	a.MustRevealClaimed(t, kept.Secret.Key, mine())
	a.Close(t)
	advance(t, 60*time.Second, b)
	for range 2 {
		vaulttest.Want(t, "Seek()", b.Vault.Claims.Seek(t.Context()), nil)
		vaulttest.Want(t, "Live()", b.Vault.Claims.Live(), 1)
		vaulttest.Want(t, "Lapse(in time)", b.MustLapse(t), 0)
		advance(t, 20*time.Second, b)
	}
	vaulttest.Want(t, "RevealSecret(claim)", b.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
	advance(t, claim.Lifetime-time.Second, b)
	vaulttest.Want(t, "Lapse(before the moved deadline)", b.MustLapse(t), 0)
	advance(t, time.Second, b)
	vaulttest.Want(t, "Lapse(at the moved deadline)", b.MustLapse(t), 1)
	wantEnded(t, b, kept, receipt.EventLapsed)
	vaulttest.Want(t, "bytes after the end", b.MustLiveBytes(t), 0)
}

// The node that revealed a secret died before it destroyed the share. Another one
// does so before it shows the content.
func TestRepeatDestroysForADeadNode(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	faulty := &vaulttest.FaultyShares{}
	a := c.Node(t, "a", vaulttest.Options{Manual: true, WrapShares: func(s storage.Shares) storage.Shares {
		faulty.Shares = s
		return faulty
	}})
	b := c.Node(t, "b", vaulttest.Options{Manual: true})
	kept := a.MustConceal(t, caller.Caller{}, text, secret.Terms{})
	slot := vaulttest.SlotOf(t, a, kept.Secret.Key)
	failure := storage.ErrUnavailable
	faulty.DestroyErr.Store(&failure)
	_, err := a.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, kept.Secret.Key.Expose(), secret.Opening{Claim: mine()})
	vaulttest.WantErr(t, "RevealSecret(share not destroyed)", err, refusal.ErrUnavailable)
	_, err = b.Shares.Get(t.Context(), slot)
	vaulttest.Want(t, "Get(share, before the repeat)", err, nil)
	vaulttest.Want(t, "RevealSecret(claim, other node)", b.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
	_, err = b.Shares.Get(t.Context(), slot)
	vaulttest.WantErr(t, "Get(share, after the repeat)", err, storage.ErrShareGone)
	faulty.DestroyErr.Store(nil)
}

// A node that starts with a clock slightly behind leaves the claims of others
// alone; one whose clock is ahead can only forfeit them.
func TestClaimsAtTheStartOfANode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		off   time.Duration
		lasts bool
	}{
		"a little behind": {-4 * time.Second, true},
		"far behind":      {-time.Minute, false},
		"ahead":           {claim.Lifetime, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := vaulttest.NewMemoryCluster(t)
			a := cluster.Node(t, "a", vaulttest.Options{Manual: true})
			advance(t, time.Hour, a)
			kept := a.MustConceal(t, caller.Caller{}, text, secret.Terms{})
			a.MustRevealClaimed(t, kept.Secret.Key, mine())
			cluster.Node(t, "b", vaulttest.Options{Manual: true, Start: a.Clock.Now().Add(c.off)})
			if c.lasts {
				vaulttest.Want(t, "RevealSecret(claim)", a.MustRevealClaimed(t, kept.Secret.Key, mine()), text)
				return
			}
			a.WantNotRevealed(t, "after the start", kept.Secret.Key, mine())
		})
	}
}
