package secret_test

import (
	"errors"
	"testing"
	"time"

	"hush/seal"
	"hush/seal/endtoend"
	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/receipt"
	"hush/vault/recordtest"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// answerKit is a vault with a request that takes answers: of the request there is what
// answers need of it.
type answerKit struct {
	*vaulttest.Kit
	request seal.RowKey
	pair    seal.AccountKey
	collect endtoend.Proof
}

func newAnswerKit(t *testing.T) *answerKit {
	t.Helper()
	k := &answerKit{vaulttest.New(t, vaulttest.Options{Manual: true}), recordtest.Row("r"), seal.NewAccountKey(), endtoend.Proof{7}}
	vaulttest.Want(t, "Begin()", k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error { return answer.Begin(tx, k.request) })), nil)
	return k
}

// answered is an answer with the keys of its device.
type answered struct {
	ref      answer.Ref
	keys     endtoend.Keys
	metadata receipt.Metadata
}

func (k *answerKit) answer(t *testing.T, number byte, passphrase string) (answered, error) {
	t.Helper()
	sealed, keys := vaulttest.MustSeal(t, vaulttest.Plaintext, passphrase)
	ref := answer.Ref{Request: k.request, Number: answer.Number{number}}
	m, err := k.Vault.Secrets.ConcealAnswer(t.Context(), vaulttest.Caller(3), secret.Answer{
		Ref: ref, Places: 3, Pair: k.pair.Public(), CollectProof: k.collect.Hash(), Owner: "a", Content: *sealed,
		SealedLink: make([]byte, answer.SealedLinkSize), Call: answer.CallOf([]byte{number}),
	}, func(*rows.Tx) error { return nil })
	return answered{ref, keys, m}, err
}

func (k *answerKit) mustAnswer(t *testing.T, number byte, passphrase string) answered {
	t.Helper()
	a, err := k.answer(t, number, passphrase)
	vaulttest.Want(t, "ConcealAnswer()", err, nil)
	return a
}

// stored returns the row of an answer.
func (k *answerKit) stored(t *testing.T, a answered) *answer.Record {
	t.Helper()
	var r *answer.Record
	err := k.Store.View(t.Context(), rows.Plain(func(tx *rows.Tx) (err error) {
		r, err = answer.Load(tx, a.ref)
		return err
	}))
	vaulttest.Want(t, "Load(answer)", err, nil)
	return r
}

// key opens the key of an answer's secret with the pair.
func (k *answerKit) key(t *testing.T, a answered) seal.Token {
	t.Helper()
	r := k.stored(t, a)
	key, err := k.pair.OpenEntry(r.Secret, r.SealedKey)
	vaulttest.Want(t, "OpenEntry()", err, nil)
	return key
}

func (k *answerKit) opening(a answered) secret.Opening {
	o := vaulttest.Prove(a.keys)
	o.CollectProof = caller.Text(k.collect[:])
	return o
}

func (k *answerKit) wantTally(t *testing.T, taken, waiting uint32) {
	t.Helper()
	err := k.Store.View(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		tally, err := answer.LoadTally(tx, k.request)
		vaulttest.Want(t, "answers taken", tally.Taken, taken)
		vaulttest.Want(t, "answers waiting", tally.Waiting, waiting)
		return err
	}))
	vaulttest.Want(t, "LoadTally()", err, nil)
}

// Each way in which the content of an answer ends notes it in the answer, and deletes
// what opens it, when nothing of the content is left.
func TestEndsOfAnswers(t *testing.T) {
	t.Parallel()
	claimed := func(t *testing.T, k *answerKit, a answered) seal.Token {
		t.Helper()
		key, o := k.key(t, a), k.opening(a)
		o.Claim = vaulttest.Claim(1)
		got, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, key.Expose(), o)
		vaulttest.Want(t, "RevealSecret(claim)", err, nil)
		vaulttest.Want(t, "content", vaulttest.MustOpen(t, a.keys, got.Content), vaulttest.Plaintext)
		r := k.stored(t, a)
		vaulttest.Want(t, "state while the claim lasts", r.State, receipt.StateReceived)
		vaulttest.Want(t, "outcome while the claim lasts", r.Outcome, receipt.OutcomeAwaited)
		vaulttest.Want(t, "sealed link while the claim lasts", len(r.SealedLink), answer.SealedLinkSize)
		vaulttest.Want(t, "key while the claim lasts", k.key(t, a), key)
		return key
	}
	for name, end := range map[string]struct {
		end     func(*testing.T, *answerKit, answered)
		state   receipt.State
		outcome receipt.Outcome
	}{
		"revealed": {func(t *testing.T, k *answerKit, a answered) {
			t.Helper()
			got, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, k.key(t, a).Expose(), k.opening(a))
			vaulttest.Want(t, "RevealSecret()", err, nil)
			vaulttest.Want(t, "content", vaulttest.MustOpen(t, a.keys, got.Content), vaulttest.Plaintext)
		}, receipt.StateReceived, receipt.OutcomeNone},
		"acknowledged": {func(t *testing.T, k *answerKit, a answered) {
			t.Helper()
			k.MustAcknowledge(t, claimed(t, k, a), vaulttest.Claim(1))
		}, receipt.StateReceived, receipt.OutcomeDelivered},
		"lapsed": {func(t *testing.T, k *answerKit, a answered) {
			t.Helper()
			claimed(t, k, a)
			k.Clock.Advance(claim.Lifetime)
			vaulttest.Want(t, "Lapse()", k.MustLapse(t), 1)
		}, receipt.StateReceived, receipt.OutcomeLapsed},
		"lapsed at a start": {func(t *testing.T, k *answerKit, a answered) {
			t.Helper()
			claimed(t, k, a)
			k.Clock.Advance(claim.Lifetime)
			k.Reopen(t)
			k.MustReclaim(t)
		}, receipt.StateReceived, receipt.OutcomeLapsed},
		"dropped by a restore": {func(t *testing.T, k *answerKit, a answered) {
			t.Helper()
			claimed(t, k, a)
			row := k.stored(t, a).Secret
			err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error { return claim.Drop(tx, row[:], k.Clock.Now()) }))
			vaulttest.Want(t, "Drop()", err, nil)
		}, receipt.StateReceived, receipt.OutcomeLapsed},
		"burned by the responder": {func(t *testing.T, k *answerKit, a answered) {
			t.Helper()
			k.MustBurn(t, vaulttest.Caller(3), a.metadata.Key, "")
		}, receipt.StateBurned, receipt.OutcomeNone},
		"burned by the requester": {func(t *testing.T, k *answerKit, a answered) {
			t.Helper()
			vaulttest.Want(t, "BurnAnswer()", k.Vault.Burns.BurnAnswer(t.Context(), k.stored(t, a).Receipt, ""), nil)
			vaulttest.WantErr(t, "BurnAnswer(again)", k.Vault.Burns.BurnAnswer(t.Context(), k.stored(t, a).Receipt, ""), refusal.ErrNotFound)
		}, receipt.StateBurned, receipt.OutcomeNone},
		"expired": {func(t *testing.T, k *answerKit, _ answered) {
			t.Helper()
			vaulttest.AdvanceInSteps(t, k.Kit, answer.Lifetime)
		}, receipt.StateExpired, receipt.OutcomeNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newAnswerKit(t)
			a, other := k.mustAnswer(t, 1, ""), k.mustAnswer(t, 2, "")
			k.wantTally(t, 2, 2)
			end.end(t, k, a)
			r := k.stored(t, a)
			vaulttest.Want(t, "state", r.State, end.state)
			vaulttest.Want(t, "outcome", r.Outcome, end.outcome)
			vaulttest.Want(t, "what opens it", len(r.SealedKey)+len(r.SealedLink), 0)
			vaulttest.Want(t, "ended", r.Ended.After(vaulttest.StartTime()) || r.Ended.Equal(vaulttest.StartTime()), true)
			vaulttest.WantState(t, k.Kit, a.metadata.Key, end.state)
			if end.state == receipt.StateExpired {
				vaulttest.Want(t, "ended", r.Ended, vaulttest.StartTime().Add(answer.Lifetime))
				k.wantTally(t, 2, 0)
				return
			}
			k.wantTally(t, 2, 1)
			vaulttest.Want(t, "other answer's link", len(k.stored(t, other).SealedLink), answer.SealedLinkSize)
			vaulttest.Want(t, "LiveBytes() of the other", k.MustLiveBytes(t) > answer.RowBytes, true)
		})
	}
}

// The attack: a caller has the link of an answer, its key and even the proofs, as a
// dishonest responder has. Without the proof of the collect link that opens nothing,
// consumes nothing, and uses up no try at the passphrase.
func TestAnswersNeedTheCollectProof(t *testing.T) {
	t.Parallel()
	k := newAnswerKit(t)
	a := k.mustAnswer(t, 1, vaulttest.Passphrase)
	key := k.key(t, a)
	before := storedRows(t, k.Kit)
	for name, proof := range map[string]caller.Text{
		"none": "", "zeros": caller.Text(make([]byte, 32)), "its hash": func() caller.Text { h := k.collect.Hash(); return caller.Text(h[:]) }(),
		"short": caller.Text(k.collect[:31]), "long": caller.Text(k.collect[:]) + "x",
	} {
		o := k.opening(a)
		o.CollectProof = proof
		vaulttest.WantErr(t, "RevealSecret(collect proof: "+name+")", openErr(t, k.Kit, caller.Caller{}, key, o), refusal.ErrLink)
		o.Claim = vaulttest.Claim(1)
		vaulttest.WantErr(t, "RevealSecret(claim, collect proof: "+name+")", openErr(t, k.Kit, caller.Caller{}, key, o), refusal.ErrLink)
	}
	o := k.opening(a)
	o.LinkProof = caller.Text(make([]byte, 32))
	vaulttest.WantErr(t, "RevealSecret(wrong link proof)", openErr(t, k.Kit, caller.Caller{}, key, o), refusal.ErrLink)
	for row, value := range storedRows(t, k.Kit) {
		if before[row] != value {
			t.Errorf("row %q: got it changed, want nothing stored", row[:8])
		}
	}
	o = k.opening(a)
	o.Proof = caller.Text(make([]byte, 32))
	err := openErr(t, k.Kit, caller.Caller{}, key, o)
	wrong, ok := errors.AsType[*refusal.PassphraseError](err)
	if !ok || wrong.TriesLeft != 4 {
		t.Errorf("RevealSecret(wrong passphrase): got %v, want a PassphraseError with 4 tries before a pause", err)
	}
	vaulttest.Want(t, "RevealSecret(all)", openErr(t, k.Kit, caller.Caller{}, key, k.opening(a)), nil)
}

// The receipt of an answer is an ordinary one without an account, but never shows the
// key. The secret counts for its requester's bytes, and for nothing else of the account.
func TestReceiptsOfAnswers(t *testing.T) {
	t.Parallel()
	k := newAnswerKit(t)
	a := k.mustAnswer(t, 1, "")
	vaulttest.Want(t, "Metadata.Secret", a.metadata.Secret, nil)
	vaulttest.Want(t, "Metadata.Account", a.metadata.Account, "")
	for range 2 {
		m := k.MustMetadata(t, vaulttest.Caller(3), a.metadata.Key)
		vaulttest.Want(t, "GetMetadata().Secret", m.Secret, nil)
		vaulttest.Want(t, "GetMetadata().Events", len(m.Events), 1)
	}
	_, err := k.Vault.Secrets.RevealSecret(t.Context(), caller.Caller{}, k.key(t, a).Expose(), k.opening(a))
	vaulttest.Want(t, "RevealSecret()", err, nil)
	m := k.MustMetadata(t, vaulttest.Caller(3), a.metadata.Key)
	vaulttest.Want(t, "state", m.State, receipt.StateReceived)
	kinds := vaulttest.AuditKinds(t, k.Kit)
	vaulttest.Want(t, "audit rows of reveals", kinds[audit.Reveal], 1)
	vaulttest.AdvanceInSteps(t, k.Kit, 2*answer.Lifetime+time.Hour)
	vaulttest.Want(t, "receipts left", len(vaulttest.RowsIn(t, k.Store, receipt.BucketMetadata)), 0)
	vaulttest.Want(t, "state when the receipt is forgotten", k.stored(t, a).State, receipt.StateReceived)
}

// No more places are taken than there are, and none for a number that is taken.
func TestPlacesOfAnswers(t *testing.T) {
	t.Parallel()
	k := newAnswerKit(t)
	k.mustAnswer(t, 1, "")
	_, err := k.answer(t, 1, "")
	vaulttest.WantErr(t, "ConcealAnswer(same number)", err, refusal.ErrDuplicate)
	k.mustAnswer(t, 2, "")
	last := k.mustAnswer(t, 3, "")
	vaulttest.Want(t, "place of the last", k.stored(t, last).Place, 3)
	_, err = k.answer(t, 4, "")
	vaulttest.WantErr(t, "ConcealAnswer(no place)", err, refusal.ErrRequestEnded)
	k.wantTally(t, 3, 3)
	vaulttest.Want(t, "secrets", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 3)
}
