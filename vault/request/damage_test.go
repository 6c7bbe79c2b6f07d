package request_test

import (
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/receipt"
	"hush/vault/request"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// damageReceipt damages the receipt of an answer.
func damageReceipt(t *testing.T, k *vaulttest.Kit, made *vaulttest.Answered) {
	t.Helper()
	row := made.Metadata.Key.RowKey(seal.KindMetadata)
	vaulttest.Put(t, k.Store, receipt.BucketMetadata, row[:], []byte("damaged"))
}

// A receipt that cannot be read hides no answer, and keeps none of the others from being
// opened or burned.
func TestDamagedReceipt(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	a := k.MustAsk(t, caller.Caller{}, 3)
	damaged, opened, burned := k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext),
		k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext), k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	damageReceipt(t, k, damaged)
	shown := k.MustCollect(t, caller.Caller{}, a)
	vaulttest.Want(t, "answers", len(shown.Answers), 3)
	vaulttest.Want(t, "events of the damaged one", len(vaulttest.AnswerOf(t, shown, damaged).Events), 0)
	vaulttest.Want(t, "its link is shown", vaulttest.AnswerOf(t, shown, damaged).SealedLink, damaged.SealedLink)
	text, err := k.OpenAnswer(t, caller.Caller{}, a, vaulttest.AnswerOf(t, shown, opened), "")
	vaulttest.Want(t, "OpenAnswer(another)", err, nil)
	vaulttest.Want(t, "text", text, vaulttest.Plaintext)
	_, err = k.Vault.Requests.CloseByLink(t.Context(), caller.Caller{}, a.CollectLink(), true)
	vaulttest.Want(t, "CloseByLink(burn) tells of damage", rows.IsDamage(err), true)
	vaulttest.WantState(t, k, burned.Metadata.Key, receipt.StateBurned)
}

// A request that cannot be read keeps no other of its account open, and its own answers
// burn all the same.
func TestDamagedRequestOfAnAccountThatEnds(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	owner := k.MustStoredAccount(t, vaulttest.Caller(1), "a")
	for range 3 {
		k.MustAnswer(t, vaulttest.Caller(2), k.MustAsk(t, owner, 3), vaulttest.Plaintext)
	}
	damaged := k.MustAsk(t, owner, 3)
	k.MustAnswer(t, vaulttest.Caller(2), damaged, vaulttest.Plaintext)
	row := damaged.Key.RowKey(seal.KindRequest)
	vaulttest.Put(t, k.Store, request.BucketRequest, row[:], []byte("damaged"))
	burned, err := k.Vault.Requests.EndAccount(t.Context(), owner.AccountID(), k.Clock.Now())
	vaulttest.Want(t, "EndAccount() tells of damage", rows.IsDamage(err), true)
	vaulttest.Want(t, "EndAccount() burned", burned, 4)
	vaulttest.Want(t, "secrets", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
}

// A restored store drops the claim on an answer whose receipt cannot be read, and the
// answer says that nothing is left to open.
func TestDropOfAClaimWithADamagedReceipt(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	a := k.MustAsk(t, caller.Caller{}, 3)
	made := k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	shown := k.MustCollect(t, caller.Caller{}, a).Answers[0]
	_, err := k.OpenAnswer(t, caller.Caller{}, a, shown, vaulttest.Claim(1))
	vaulttest.Want(t, "OpenAnswer()", err, nil)
	damageReceipt(t, k, made)
	row := shown.Secret.RowKey(seal.KindSecret)
	err = k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error { return claim.Drop(tx, row[:], k.Clock.Now()) }))
	vaulttest.Want(t, "Drop()", err, nil)
	vaulttest.Want(t, "claims", len(vaulttest.RowsIn(t, k.Store, claim.BucketClaim)), 0)
	vaulttest.Want(t, "what opens it", k.MustCollect(t, caller.Caller{}, a).Answers[0].SealedLink, "")
}

// What nodes read every few seconds of a watched collection is one small row, however many
// answers it has.
func TestPollOfACollectionIsSmall(t *testing.T) {
	t.Parallel()
	var work vaulttest.WorkStore
	k := vaulttest.NewMemoryCluster(t).Node(t, "a", vaulttest.Options{Manual: true, Policy: anyone(), WrapStore: func(s storage.Store) storage.Store {
		work.Store = s
		return &work
	}})
	a := k.MustAsk(t, caller.Caller{}, 5)
	for range 5 {
		k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	}
	w, err := k.Vault.Requests.WatchCollection(t.Context(), caller.Caller{}, a.CollectLink())
	vaulttest.Want(t, "WatchCollection()", err, nil)
	defer w.Close()
	vaulttest.Want(t, "Poll()", k.Vault.Watches.Poll(vaulttest.Counted(t.Context())), nil)
	vaulttest.Want(t, "rows read", work.Reads.Load(), 1)
	vaulttest.Want(t, "bytes of it", len(vaulttest.RowsIn(t, k.Store, answer.BucketAnswers)[0]) < 64, true)
}
