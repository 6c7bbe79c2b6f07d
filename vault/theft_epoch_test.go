package vault_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// keeping is a vault on a store that keeps every old share and row.
type keeping struct {
	*vaulttest.Kit
	store *vaulttest.KeepingStore
}

func newKeeping(t *testing.T) *keeping {
	t.Helper()
	root, clock := seal.NewRootKey(), vaulttest.NewClock(vaulttest.StartTime())
	store := vaulttest.NewKeepingStore(t, seal.NewKeys(root), clock)
	return &keeping{Kit: store.Open(t, root, clock, nil), store: store}
}

// thief opens a copy from a moment, with the root key and the clock set back.
func (k *keeping) thief(t *testing.T, moment int, without ...string) *vaulttest.Kit {
	t.Helper()
	return k.store.Theft(t, moment, without...).Open(t, k.RootKey, vaulttest.NewClock(vaulttest.StartTime()), nil)
}

func wantEpochs(t *testing.T, s storage.Store, want int) {
	t.Helper()
	vaulttest.Want(t, "epoch keys", len(vaulttest.RowsIn(t, s, shares.BucketEpoch)), want)
}

// sweepAfter moves the clock in steps that are no leap, and sweeps after each.
func sweepAfter(t *testing.T, k *vaulttest.Kit, d time.Duration) {
	t.Helper()
	for d > 0 {
		step := min(d, 30*time.Minute)
		k.Clock.Advance(step)
		vaulttest.Want(t, "Beat()", k.Vault.Beat(t.Context()), nil)
		k.MustSweep(t)
		d -= step
	}
}

// The attack: the store overwrites nothing, and the thief has the links, the
// root key, every share that ever was and every old row but those of epoch
// keys. After the hour of expiry nothing opens. Before it, everything does,
// even what was revealed or burned; and it does for good if the thief has an
// old copy of the epoch's key too.
func TestTheftFromAStoreThatKeeps(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	terms := secret.Terms{TTL: new(time.Hour)}
	live, revealed, burned := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, terms),
		k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, terms), k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, terms)
	all := []secret.Concealed{live, revealed, burned}
	moment := k.store.Moment()
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, revealed.Secret.Key, ""), vaulttest.Plaintext)
	k.MustBurn(t, caller.Caller{}, burned.Metadata.Key, "")
	wantEpochs(t, k.Store, 1)

	before := k.thief(t, moment, shares.BucketEpoch)
	for _, kept := range all {
		vaulttest.Want(t, "RevealSecret(copy, before the hour has passed)", before.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), vaulttest.Plaintext)
	}
	sweepAfter(t, k.Kit, 2*time.Hour+5*time.Minute)
	wantEpochs(t, k.Store, 0)
	after := k.thief(t, moment, shares.BucketEpoch)
	for _, kept := range all {
		vaulttest.WantErr(t, "RevealSecret(copy, after the hour)", vaulttest.RevealErr(t, after, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
		wantNoShareOpens(t, after, kept.Secret.Key)
	}
	whole := k.thief(t, moment)
	for _, kept := range all {
		vaulttest.Want(t, "RevealSecret(copy with the old epoch key)", whole.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), vaulttest.Plaintext)
	}
}

// wantNoShareOpens tries the stored share as it is.
func wantNoShareOpens(t *testing.T, k *vaulttest.Kit, key seal.Token) {
	t.Helper()
	share, err := k.Shares.Get(t.Context(), vaulttest.SlotOf(t, k, key))
	vaulttest.Want(t, "Get(old slot)", err, nil)
	record := vaulttest.SecretRow(t, k, key)
	offset := vaulttest.SealedOffset(record)
	opener, err := k.Keys.SecretKeys().Key(k.Keys.KID(), key, key.RowKey(seal.KindSecret), share, [32]byte{})
	vaulttest.Want(t, "Key()", err, nil)
	_, err = opener.Open(record[21:offset], record[offset:])
	vaulttest.WantErr(t, "Open(old share without mask)", err, seal.ErrSealBroken)
}

// Two vaults on one store use the key of the one that was first.
func TestTwoVaultsShareEpochs(t *testing.T) {
	t.Parallel()
	first := newKeeping(t)
	second := first.store.Open(t, first.RootKey, first.Clock, nil)
	vaults := []*vaulttest.Kit{first.Kit, second}
	var kept [16]secret.Concealed
	var failed [len(kept)]error
	var all sync.WaitGroup
	for i := range kept {
		all.Go(func() {
			kept[i], failed[i] = vaults[i%2].Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
		})
	}
	all.Wait() // a reveal would open the key for the vault that conceals next
	for i := range kept {
		vaulttest.Want(t, "ConcealSecret()", failed[i], nil)
		vaulttest.Want(t, "RevealSecret(other vault)", vaults[(i+1)%2].MustReveal(t, caller.Caller{}, kept[i].Secret.Key, ""), vaulttest.Plaintext)
	}
	wantEpochs(t, first.Store, 1)
}

// One node sweeps. The others forget the keys that it deletes, so that nothing
// masked with them can be opened on any node, not even from a node's memory.
func TestEveryNodeForgetsEpochs(t *testing.T) {
	t.Parallel()
	root := seal.NewRootKey()
	store := vaulttest.NewKeepingStore(t, seal.NewKeys(root), vaulttest.NewClock(vaulttest.StartTime()))
	cluster := &vaulttest.Cluster{Store: store, Shares: store.Shares, Root: root}
	sweeps, waits := cluster.Node(t, "sweeps", vaulttest.Options{Manual: true}), cluster.Node(t, "waits", vaulttest.Options{Manual: true})
	sweeps.MustSweep(t) // takes the lease
	owner := shares.Owner{Kind: shares.KindSecret, Row: []byte("row"), Expires: vaulttest.StartTime().Add(time.Hour)}
	ready, err := vault.SharesOf(waits.Vault).Take(t.Context(), owner)
	vaulttest.Want(t, "Take(owner)", err, nil)
	for range 5 {
		for _, k := range []*vaulttest.Kit{sweeps, waits} {
			got, err := vault.SharesOf(k.Vault).Get(t.Context(), ready.Slot, owner)
			vaulttest.Want(t, "Get(owner)", err, nil)
			vaulttest.Want(t, "share", got, ready.Share)
		}
		for _, k := range []*vaulttest.Kit{sweeps, waits} {
			k.Clock.Advance(30 * time.Minute)
			vaulttest.Want(t, "Beat()", k.Vault.Beat(t.Context()), nil)
			k.MustSweep(t)
		}
		if len(vaulttest.RowsIn(t, store, shares.BucketEpoch)) == 0 {
			break
		}
	}
	wantEpochs(t, store, 0)
	for _, k := range []*vaulttest.Kit{sweeps, waits} {
		_, err := vault.SharesOf(k.Vault).Get(t.Context(), ready.Slot, owner)
		vaulttest.WantErr(t, "Get(owner of an hour that passed)", err, shares.ErrEnded)
	}
}

// A live secret keeps its epoch's key until its last moment, and the key goes
// soon after the hour.
func TestEpochOutlivesItsSecrets(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	expires := vaulttest.StartTime().Truncate(time.Hour).Add(3 * time.Hour).Add(-time.Millisecond)
	made := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{TTL: new(expires.Sub(k.Clock.Now()).Truncate(time.Second))})
	sweepAfter(t, k.Kit, made.Secret.Expires.Add(-time.Millisecond).Sub(k.Clock.Now()))
	wantEpochs(t, k.Store, 1)
	fresh := k.store.Open(t, k.RootKey, k.Clock, nil) // has no key in memory
	vaulttest.Want(t, "RevealSecret(last moment)", fresh.MustReveal(t, caller.Caller{}, made.Secret.Key, ""), vaulttest.Plaintext)
	sweepAfter(t, k.Kit, 5*time.Minute)
	wantEpochs(t, k.Store, 1) // for nodes whose clocks are behind
	sweepAfter(t, k.Kit, 2*time.Second)
	wantEpochs(t, k.Store, 0)
}

// One wrong reading of the clock deletes no key.
func TestLeapKeepsEpochs(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	made := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{TTL: new(time.Hour)})
	k.MustSweep(t)
	k.Clock.Advance(100 * time.Hour)
	k.MustSweep(t)
	wantEpochs(t, k.Store, 1)
	k.Clock.Advance(-100 * time.Hour)
	k.MustSweep(t)
	vaulttest.Want(t, "RevealSecret(after the leap)", k.MustReveal(t, caller.Caller{}, made.Secret.Key, ""), vaulttest.Plaintext)
	k.Clock.Advance(100 * time.Hour)
	for range 3 {
		k.MustSweep(t)
		k.Clock.Advance(time.Minute)
	}
	wantEpochs(t, k.Store, 0)
}

// A record whose epoch key is gone, as in a backup without that bucket, is not
// found. One whose key is damaged is an internal error.
func TestEpochGoneOrDamaged(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	made := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	row := vaulttest.Number(uint64(made.Secret.Expires.Unix() / 3600))
	vaulttest.Put(t, k.Store, shares.BucketEpoch, row, []byte{1})
	fresh := k.store.Open(t, k.RootKey, k.Clock, nil)
	vaulttest.WantErr(t, "RevealSecret(damaged key)", vaulttest.RevealErr(t, fresh, caller.Caller{}, made.Secret.Key.Expose(), ""), rows.ErrDamaged)
	_, err := fresh.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	vaulttest.Want(t, "ConcealSecret(damaged key) is damage", errors.Is(err, rows.ErrDamaged), true)
	vaulttest.Put(t, k.Store, shares.BucketEpoch, row, nil)
	vaulttest.WantErr(t, "RevealSecret(without key)", vaulttest.RevealErr(t, fresh, caller.Caller{}, made.Secret.Key.Expose(), ""), refusal.ErrNotFound)
}

// A store that overwrites has no epochs, and its shares are not masked.
func TestNoEpochsWhereSharesAreOverwritten(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	made := k.MustConceal(t, caller.Caller{}, vaulttest.Plaintext, secret.Terms{})
	wantEpochs(t, k.Store, 0)
	share, record := vaulttest.ShareOf(t, k, made.Secret.Key), vaulttest.SecretRow(t, k, made.Secret.Key)
	offset := vaulttest.SealedOffset(record)
	key, err := k.Keys.SecretKeys().Key(k.Keys.KID(), made.Secret.Key, made.Secret.Key.RowKey(seal.KindSecret), share, [32]byte{})
	vaulttest.Want(t, "Key()", err, nil)
	text, err := key.Open(record[21:offset], record[offset:])
	vaulttest.Want(t, "Open(share as stored)", err, nil)
	vaulttest.Want(t, "text", string(text), vaulttest.Plaintext)
}
