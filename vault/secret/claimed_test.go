package secret_test

import (
	"context"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// noRoomForClaims is a store that has room for all rows but those of claims.
type noRoomForClaims struct{ storage.Store }

func (s noRoomForClaims) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.Range(claim.BucketClaim, nil, nil, func(_, _ []byte) error { return storage.ErrFull })
	})
}

func (s noRoomForClaims) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// noRoomForShares has no room for the share of a claim, once full is set.
type noRoomForShares struct {
	storage.Shares
	full *bool
}

func (s noRoomForShares) Put(ctx context.Context, share [storage.ShareSize]byte) (storage.Slot, error) {
	if *s.full {
		return storage.Slot{}, storage.ErrFull
	}
	return s.Shares.Put(ctx, share)
}

func (s noRoomForShares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	return storage.PutEach(ctx, s, shares)
}

// revealClaimed reveals a secret with a claim.
func revealClaimed(t *testing.T, k *vaulttest.Kit, key seal.Token) (secret.Revealed, error) {
	t.Helper()
	return k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, key.Expose(), secret.Opening{Claim: vaulttest.Claim(1)})
}

// wantUnclaimed fails the test unless a secret opens without its claim, once.
func wantUnclaimed(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
	t.Helper()
	revealed, err := revealClaimed(t, k, kept.Secret.Key)
	if err != nil || revealed.Value != "x" || revealed.ClaimLeft != 0 {
		t.Errorf("RevealSecret(claim): got %d bytes for %s, %v, want the text and no claim", len(revealed.Value), revealed.ClaimLeft, err)
	}
	_, err = revealClaimed(t, k, kept.Secret.Key)
	vaulttest.WantErr(t, "RevealSecret(claim, again)", err, refusal.ErrNotFound)
	vaulttest.Want(t, "Outcome", k.MustMetadata(t, caller.Caller{}, kept.Metadata.Key).Outcome, receipt.OutcomeNone)
	vaulttest.Want(t, "claims kept", len(vaulttest.RowsIn(t, k.Store, claim.BucketClaim)), 0)
}

// A disk that takes no more content keeps no claim, and holds no secret back.
func TestRevealOnAFullDiskNeedsNoClaim(t *testing.T) {
	t.Parallel()
	t.Run("record", func(t *testing.T) {
		t.Parallel()
		k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store { return noRoomForClaims{s} }})
		wantUnclaimed(t, k, k.MustConceal(t, caller.Caller{}, "x", secret.Terms{}))
	})
	t.Run("share", func(t *testing.T) {
		t.Parallel()
		full := false
		k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapShares: func(s storage.Shares) storage.Shares {
			return noRoomForShares{s, &full}
		}})
		kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		full = true
		wantUnclaimed(t, k, kept)
	})
}

// A node of a release without claims would take their rows for damage.
func TestNoClaimWhileANodeLacksThem(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	formats := func(newest rows.Format) vaulttest.Options {
		return vaulttest.Options{Manual: true, Node: cluster.NodeOptions{Formats: cluster.Formats{Oldest: 1, Newest: newest}}}
	}
	c.Node(t, "old", formats(rows.FormatClaims-1))
	k := c.Node(t, "new", formats(rows.FormatClaims))
	wantUnclaimed(t, k, k.MustConceal(t, caller.Caller{}, "x", secret.Terms{}))
}

// The sender reads that a claimed secret was opened and not confirmed yet, and later how
// that ended.
func TestClaimedReceiptIsAwaited(t *testing.T) {
	t.Parallel()
	for want, end := range map[receipt.Outcome]func(*vaulttest.Kit, seal.Token){
		receipt.OutcomeDelivered: func(k *vaulttest.Kit, key seal.Token) { k.MustAcknowledge(t, key, vaulttest.Claim(1)) },
		receipt.OutcomeLapsed: func(k *vaulttest.Kit, _ seal.Token) {
			k.Clock.Advance(claim.Longest)
			k.MustLapse(t)
		},
	} {
		k := vaulttest.New(t, vaulttest.Options{Manual: true})
		kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		outcome := func() receipt.Outcome { return k.MustMetadata(t, caller.Caller{}, kept.Metadata.Key).Outcome }
		vaulttest.Want(t, "Outcome before the reveal", outcome(), receipt.OutcomeNone)
		if revealed, err := revealClaimed(t, k, kept.Secret.Key); err != nil || revealed.ClaimLeft == 0 {
			t.Fatalf("RevealSecret(claim): got %s, %v, want a claim", revealed.ClaimLeft, err)
		}
		vaulttest.Want(t, "Outcome of a claimed secret", outcome(), receipt.OutcomeAwaited)
		end(k, kept.Secret.Key)
		vaulttest.Want(t, "Outcome after the claim", outcome(), want)
	}
}
