package outbox_test

import (
	"context"
	"testing"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// The attack: the store overwrites nothing, and the thief has the root key,
// every share that ever was and every old row but those of epoch keys. A mail
// that was sent opens until the hour has passed after which it would have been
// given up, and never again. It is the hour of the mail, not of its secret.
func TestTheftOfMailFromAStoreThatKeeps(t *testing.T) {
	t.Parallel()
	root, clock := seal.NewRootKey(), vaulttest.NewClock(vaulttest.StartTime())
	store := vaulttest.NewKeepingStore(t, seal.NewKeys(root), clock)
	office := &postOffice{}
	k := store.Open(t, root, clock, office.send)
	sender := putMailer(t, k)
	kept := k.MustConceal(t, sender, vaulttest.Plaintext, secret.Terms{Recipients: []string{friend}, TTL: new(72 * time.Hour)})
	moment := store.Moment()
	vaulttest.Want(t, "epoch keys of secret and mail", len(vaulttest.RowsIn(t, store, shares.BucketEpoch)), 2)
	vaulttest.Want(t, "PostDue()", vaulttest.MustPost(t, k), 1)
	wantMailed(t, office, kept)

	// thief sends what was queued at the moment, as the service would have.
	thief := func() *postOffice {
		sent := &postOffice{}
		copied := store.Theft(t, moment, shares.BucketEpoch).Open(t, root, vaulttest.NewClock(vaulttest.StartTime()), sent.send)
		vaulttest.Want(t, "PostDue(copy)", vaulttest.MustPost(t, copied), 1)
		return sent
	}
	wantMailed(t, thief(), kept)
	wantNoShareOpens(t, k, store.Theft(t, moment))
	for range 26 {
		clock.Advance(time.Hour)
		k.MustSweep(t)
	}
	vaulttest.Want(t, "epoch keys of the secret alone", len(vaulttest.RowsIn(t, store, shares.BucketEpoch)), 1)
	vaulttest.Want(t, "mails that open after the hour", len(thief().mails()), 0)
	vaulttest.Want(t, "RevealSecret()", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, ""), vaulttest.Plaintext)
}

// wantNoShareOpens tries the share of a queued mail as it is stored.
func wantNoShareOpens(t *testing.T, k *vaulttest.Kit, stolen *vaulttest.KeepingStore) {
	t.Helper()
	mails := queuedMails(t, stolen)
	vaulttest.Want(t, "mails in the copy", len(mails), 1)
	share, err := stolen.Shares.Get(t.Context(), *mails[0].Slot)
	vaulttest.Want(t, "Get(slot of the mail)", err, nil)
	_, err = mails[0].Open(k.Keys, share)
	vaulttest.WantErr(t, "Open(mail, share without mask)", err, seal.ErrSealBroken)
}

func wantMailed(t *testing.T, office *postOffice, kept secret.Concealed) {
	t.Helper()
	var keys []string
	for _, m := range office.mails() {
		keys = append(keys, string(m.Key))
	}
	vaulttest.Want(t, "mails sent", len(keys), 1)
	vaulttest.Want(t, "Mail.Key", keys[0], kept.Secret.Key.Expose())
}

// A mail that waits over many attempts keeps its epoch's key, though its place
// in the queue moves.
func TestPostponedMailKeepsItsEpoch(t *testing.T) {
	t.Parallel()
	root, clock := seal.NewRootKey(), vaulttest.NewClock(vaulttest.StartTime())
	store := vaulttest.NewKeepingStore(t, seal.NewKeys(root), clock)
	office := &postOffice{err: context.DeadlineExceeded}
	k := store.Open(t, root, clock, office.send)
	sender := putMailer(t, k)
	kept := k.MustConceal(t, sender, vaulttest.Plaintext, secret.Terms{Recipients: []string{friend}, TTL: new(72 * time.Hour)})
	for range 20 {
		vaulttest.MustPost(t, k)
		clock.Advance(time.Hour)
		k.MustSweep(t)
	}
	office.fail(nil)
	fresh := store.Open(t, root, clock, office.send) // has no key in memory
	vaulttest.MustPost(t, fresh)
	wantDeliveries(t, fresh, sender, kept, delivery(outbox.DeliverySent, clock.Now(), 9))
}
