package secret_test

import (
	"testing"

	"hush/storage"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// unit is what a short secret takes: 256 bytes, nonce and tag.
const unit = 284

// A secret that ends after the pass has read it and before it is counted is
// neither counted nor given back.
func TestQuotaOfEndDuringPass(t *testing.T) {
	t.Parallel()
	k, _, stays := endDuringPass(t, vaulttest.Options{Folder: true}) // nodes have no pass
	vaulttest.Want(t, "RevealSecret(stays)", k.MustReveal(t, vaulttest.Caller(1), stays.Secret.Key, ""), "stays")
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
}

// The slot of such a secret is not freed twice.
func TestSlotOfEndDuringPass(t *testing.T) {
	t.Parallel()
	k, slot, stays := endDuringPass(t, vaulttest.Options{Folder: true})
	c := vaulttest.Caller(1)
	// The slot is released a moment after it was struck off, and then it is the
	// next one to be used.
	for used := uint64(0); used != slot.Number; {
		more := k.MustConceal(t, c, "more", secret.Terms{})
		used = vaulttest.SlotOf(t, k, more.Secret.Key).Number
		vaulttest.Want(t, "RevealSecret(more)", k.MustReveal(t, c, more.Secret.Key, ""), "more")
	}
	vaulttest.Want(t, "RevealSecret(stays)", k.MustReveal(t, c, stays.Secret.Key, ""), "stays")
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
}

// endDuringPass reveals one of two secrets during the background pass, and
// returns its slot and the other one.
func endDuringPass(t *testing.T, opts vaulttest.Options) (*vaulttest.Kit, storage.Slot, secret.Concealed) {
	t.Helper()
	var between betweenStore
	opts.Manual = true
	opts.WrapStore = func(s storage.Store) storage.Store {
		between.Store, between.bucket = s, secret.BucketSecret
		return &between
	}
	k := vaulttest.New(t, opts)
	c := vaulttest.Caller(1)
	ends, stays := k.MustConceal(t, c, "ends", secret.Terms{}), k.MustConceal(t, c, "stays", secret.Terms{})
	k.Reopen(t)
	slot := vaulttest.SlotOf(t, k, ends.Secret.Key)
	between.then = func() {
		vaulttest.Want(t, "RevealSecret(ends)", k.MustReveal(t, c, ends.Secret.Key, ""), "ends")
		vaulttest.AwaitShred(t, k)
	}
	k.MustReclaim(t)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), unit)
	return k, slot, stays
}
