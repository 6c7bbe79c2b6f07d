package secret_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/seal/endtoend"
	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/tables"
	"hush/vault/vaulttest"
)

// openErr reveals an end-to-end encrypted secret and returns the error, which must
// come without content.
func openErr(t *testing.T, k *vaulttest.Kit, c caller.Caller, key seal.Token, o secret.Opening) error {
	t.Helper()
	revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), c, key.Expose(), o)
	if err != nil && (revealed.Value != "" || revealed.Content != "") {
		t.Errorf("RevealSecret(key): got content with error %v, want none", err)
	}
	return err
}

// storedRows returns every row of every bucket.
func storedRows(t *testing.T, k *vaulttest.Kit) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := k.Store.View(t.Context(), func(tx storage.Tx) error {
		for _, bucket := range tables.Names() {
			err := tx.Range(bucket, nil, nil, func(key, value []byte) error {
				all[bucket+"\x00"+string(key)] = string(value)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	vaulttest.Want(t, "View(all rows)", err, nil)
	return all
}

// without returns an opening with one part changed.
func without(o secret.Opening, link, proof caller.Text) secret.Opening {
	if link != "-" {
		o.LinkProof = link
	}
	if proof != "-" {
		o.Proof = proof
	}
	return o
}

func TestEndToEnd(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for _, entered := range []string{"", "quick otter"} {
		kept, keys := k.MustConcealSealed(t, vaulttest.Caller(1), vaulttest.Plaintext, entered, secret.Terms{})
		for name, shown := range map[string]receipt.Encryption{"Secret": kept.Secret.Encryption, "Metadata": kept.Metadata.Encryption} {
			vaulttest.Want(t, name+".Encryption", shown, receipt.EncryptionEndToEnd)
		}
		vaulttest.Want(t, "Secret.HasPassphrase", kept.Secret.HasPassphrase, entered != "")
		vaulttest.Want(t, "Metadata.HasPassphrase", kept.Metadata.HasPassphrase, entered != "")
		found, err := k.Vault.Secrets.GetSecret(t.Context(), vaulttest.Caller(2), kept.Secret.Key.Expose())
		vaulttest.Want(t, "GetSecret(key)", err, nil)
		vaulttest.Want(t, "GetSecret(key).Encryption", found.Encryption, receipt.EncryptionEndToEnd)
		vaulttest.Want(t, "GetSecret(key).HasPassphrase", found.HasPassphrase, entered != "")
		got, err := k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(2), kept.Secret.Key.Expose(), vaulttest.Prove(keys))
		vaulttest.Want(t, "RevealSecret(key)", err, nil)
		vaulttest.Want(t, "RevealSecret(key).Value", string(got.Value), "")
		vaulttest.Want(t, "RevealSecret(key).Secret.Encryption", got.Secret.Encryption, receipt.EncryptionEndToEnd)
		vaulttest.Want(t, "the device's content", vaulttest.MustOpen(t, keys, got.Content), vaulttest.Plaintext)
		vaulttest.WantErr(t, "RevealSecret(again)", openErr(t, k, vaulttest.Caller(2), kept.Secret.Key, vaulttest.Prove(keys)), refusal.ErrNotFound)
		vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateReceived)
		vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
		vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
	}
}

// What a device sends opens nothing: neither proof is stored in any form.
func TestProofsAreNotStored(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Folder: true})
	sealed, keys := vaulttest.MustSeal(t, vaulttest.Plaintext, "quick otter")
	kept := k.MustConceal(t, vaulttest.Caller(1), "", secret.Terms{Sealed: sealed})
	link, proof := keys.LinkProof(), keys.Proof()
	vaulttest.Want(t, "the hash of the link's proof is stored", k.Holds(t, []byte(sealed.LinkProofHash)), true)
	for name, data := range map[string][]byte{
		"link proof": link[:], "proof": proof[:], "hash of the proof": []byte(sealed.ProofHash), "content": []byte(sealed.Content[:64]),
	} {
		vaulttest.Want(t, name+" is stored", k.Holds(t, data), false)
	}
	vaulttest.Want(t, "RevealSecret(key)", openErr(t, k, vaulttest.Caller(1), kept.Secret.Key, vaulttest.Prove(keys)), nil)
}

// The record of a content says no more than its length, which the device padded.
func TestSealedContentIsNotPaddedAgain(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	sealed, _ := vaulttest.MustSeal(t, vaulttest.Plaintext, "")
	kept := k.MustConceal(t, vaulttest.Caller(1), "", secret.Terms{Sealed: sealed})
	record := vaulttest.SecretRow(t, k, kept.Secret.Key)
	want := seal.UnpaddedSize(len(sealed.Content))
	vaulttest.Want(t, "bytes of the record's seal", len(record)-vaulttest.SealedOffset(record), want)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), int64(want))
	k.Reopen(t)
	k.MustReclaim(t)
	vaulttest.Want(t, "KeptBytes(after a start)", k.MustLiveBytes(t), int64(want))
}

func TestConcealSealedRefusals(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	account := k.MustStoredAccount(t, caller.Caller{}, "ada@example.com")
	sealed, _ := vaulttest.MustSeal(t, vaulttest.Plaintext, "")
	content := func(size int) caller.Text { return caller.Text(strings.Repeat("x", size)) }
	for name, c := range map[string]struct {
		caller caller.Caller
		text   caller.Text
		change func(*secret.Terms)
		field  string
		limit  int64 // 0: ErrInvalid
	}{
		"a text too":          {text: "x", field: "secret", change: func(*secret.Terms) {}},
		"a passphrase":        {field: "passphrase", change: func(w *secret.Terms) { w.Passphrase = "p" }},
		"recipients":          {caller: account, field: "recipients", change: func(w *secret.Terms) { w.Recipients = []string{"bob@example.com"} }},
		"no content":          {field: "sealed.content", change: func(w *secret.Terms) { w.Sealed.Content = "" }},
		"327 bytes":           {field: "sealed.content", change: func(w *secret.Terms) { w.Sealed.Content = content(327) }},
		"a chunk of 15 bytes": {field: "sealed.content", change: func(w *secret.Terms) { w.Sealed.Content = content(56 + 16400 + 15) }},
		"no chunk at the end": {field: "sealed.content", change: func(w *secret.Terms) { w.Sealed.Content = content(56 + 2*16400) }},
		"over the limit":      {field: "sealed.content", limit: 104_616, change: func(w *secret.Terms) { w.Sealed.Content = content(104_617) }},
		"over the account's":  {caller: account, field: "sealed.content", limit: 1_082_472, change: func(w *secret.Terms) { w.Sealed.Content = content(1_082_473) }},
		"no link proof":       {field: "sealed.link_proof_hash", change: func(w *secret.Terms) { w.Sealed.LinkProofHash = "" }},
		"31 bytes of it":      {field: "sealed.link_proof_hash", change: func(w *secret.Terms) { w.Sealed.LinkProofHash = content(31) }},
		"no proof":            {field: "sealed.proof_hash", change: func(w *secret.Terms) { w.Sealed.ProofHash = "" }},
		"33 bytes of it":      {field: "sealed.proof_hash", change: func(w *secret.Terms) { w.Sealed.ProofHash = content(33) }},
	} {
		own := *sealed
		terms := secret.Terms{Sealed: &own}
		c.change(&terms)
		_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c.caller, c.text, terms)
		if c.limit == 0 {
			vaulttest.WantInvalid(t, "ConcealSecret("+name+")", err, c.field)
		} else if diff := cmp.Diff(error(&refusal.TooLargeError{Field: c.field, Limit: c.limit}), err); diff != "" {
			t.Errorf("ConcealSecret(%s): -want +got\n%s", name, diff)
		}
	}
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
	vaulttest.Want(t, "audit rows", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), 0)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
}

// A limit on texts allows end-to-end encrypted content of the same text.
func TestSealedLimitsFollowThoseOfTexts(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Limits: caller.Limits{AnonymousSecret: 5000, AccountSecret: 1 << 20}})
	account := k.MustStoredAccount(t, caller.Caller{}, "ada@example.com")
	for size, c := range map[int]caller.Caller{5000: vaulttest.Caller(1), 1 << 20: account} {
		text := strings.Repeat("x", size)
		kept, keys := k.MustConcealSealed(t, c, text, "", secret.Terms{})
		got, err := k.Vault.Secrets.RevealSecret(t.Context(), c, kept.Secret.Key.Expose(), vaulttest.Prove(keys))
		vaulttest.Want(t, "RevealSecret(key)", err, nil)
		vaulttest.Want(t, "the device's content", vaulttest.MustOpen(t, keys, got.Content) == text, true)
	}
	sealed, _ := vaulttest.MustSeal(t, strings.Repeat("x", 8000), "")
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), "", secret.Terms{Sealed: sealed})
	vaulttest.WantErr(t, "ConcealSecret(over the limit)", err, refusal.ErrTooLarge)
}

// A passphrase that the operator requires is one on the device. How long it is, no
// service can tell.
func TestSealedPolicy(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: caller.Policy{PassphraseRequired: true, PassphraseMin: 20}})
	sealed, _ := vaulttest.MustSeal(t, vaulttest.Plaintext, "")
	_, err := k.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), "", secret.Terms{Sealed: sealed})
	want := error(&caller.PolicyError{Field: "sealed.has_passphrase", Text: "A passphrase is required for all secrets"})
	if diff := cmp.Diff(want, err); diff != "" {
		t.Errorf("ConcealSecret(sealed): -want +got\n%s", diff)
	}
	k.MustConcealSealed(t, vaulttest.Caller(1), vaulttest.Plaintext, "short", secret.Terms{})
}

// The order of the checks: the kind, the link's proof, the pause, the proof.
func TestRevealSealedRefusals(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	plain := k.MustConceal(t, c, vaulttest.Plaintext, secret.Terms{Passphrase: "p"})
	kept, keys := k.MustConcealSealed(t, c, vaulttest.Plaintext, "", secret.Terms{})
	guarded, guardedKeys := k.MustConcealSealed(t, c, vaulttest.Plaintext, "quick otter", secret.Terms{})
	other := caller.Text(strings.Repeat("o", 32))
	before := storedRows(t, k)
	for name, r := range map[string]struct {
		key  seal.Token
		o    secret.Opening
		want error
	}{
		"proofs for the other kind":      {plain.Secret.Key, vaulttest.Prove(keys), &refusal.EncryptionError{}},
		"and a passphrase":               {plain.Secret.Key, secret.Opening{Passphrase: "wrong", Proof: other}, &refusal.EncryptionError{}},
		"no proofs":                      {kept.Secret.Key, secret.Opening{}, &refusal.EncryptionError{EndToEnd: true}},
		"no proofs, a passphrase":        {guarded.Secret.Key, secret.Opening{Passphrase: "quick otter"}, &refusal.EncryptionError{EndToEnd: true}},
		"no proof":                       {guarded.Secret.Key, without(vaulttest.Prove(guardedKeys), "-", ""), &refusal.EncryptionError{EndToEnd: true}},
		"no link proof":                  {guarded.Secret.Key, without(vaulttest.Prove(guardedKeys), "", "-"), &refusal.EncryptionError{EndToEnd: true}},
		"31 bytes":                       {kept.Secret.Key, without(vaulttest.Prove(keys), "-", other[:31]), &refusal.EncryptionError{EndToEnd: true}},
		"another link":                   {kept.Secret.Key, without(vaulttest.Prove(keys), other, "-"), refusal.ErrLink},
		"another link, right passphrase": {guarded.Secret.Key, without(vaulttest.Prove(guardedKeys), other, "-"), refusal.ErrLink},
		"another proof":                  {kept.Secret.Key, without(vaulttest.Prove(keys), "-", other), refusal.ErrLink},
		"the hash as the proof":          {kept.Secret.Key, hashes(keys), refusal.ErrLink},
	} {
		if err := openErr(t, k, c, r.key, r.o); err == nil || err.Error() != r.want.Error() {
			t.Errorf("RevealSecret(%s): got %v, want %v", name, err, r.want)
		}
	}
	if diff := cmp.Diff(before, storedRows(t, k)); diff != "" {
		t.Errorf("rows after refusals: -want +got\n%s", diff)
	}
	wrong := without(vaulttest.Prove(guardedKeys), "-", other)
	for left := passphrase.NetworkTries - 1; left > 0; left-- {
		vaulttest.WantPassphrase(t, "RevealSecret(wrong proof)", openErr(t, k, c, guarded.Secret.Key, wrong), &refusal.PassphraseError{TriesLeft: left})
	}
	vaulttest.WantErr(t, "RevealSecret(last try)", openErr(t, k, c, guarded.Secret.Key, wrong), refusal.ErrPassphrase)
	vaulttest.WantErr(t, "RevealSecret(in the pause)", openErr(t, k, c, guarded.Secret.Key, vaulttest.Prove(guardedKeys)), refusal.ErrLocked)
	vaulttest.WantErr(t, "RevealSecret(another link in the pause)", openErr(t, k, c, guarded.Secret.Key, without(wrong, other, "-")), refusal.ErrLink)
	shown := k.MustMetadata(t, c, guarded.Metadata.Key)
	vaulttest.Want(t, "tries in the receipt", shown.Events[len(shown.Events)-1].Kind, receipt.EventPassphrase)
	vaulttest.Want(t, "RevealSecret(another network)", openErr(t, k, vaulttest.Caller(9), guarded.Secret.Key, vaulttest.Prove(guardedKeys)), nil)
	vaulttest.Want(t, "RevealSecret(key)", openErr(t, k, c, kept.Secret.Key, vaulttest.Prove(keys)), nil)
}

// hashes shows what the sender's device sent instead of the proofs.
func hashes(keys endtoend.Keys) secret.Opening {
	link, proof := keys.LinkProof().Hash(), keys.Proof().Hash()
	return secret.Opening{LinkProof: caller.Text(link[:]), Proof: caller.Text(proof[:])}
}

// The sender has no link to prove anything with: the receipt burns the secret.
func TestBurnSealedTakesTheReceiptAlone(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for _, entered := range []caller.Text{"", "wrong"} {
		kept, keys := k.MustConcealSealed(t, vaulttest.Caller(1), vaulttest.Plaintext, "quick otter", secret.Terms{})
		burned := k.MustBurn(t, vaulttest.Caller(2), kept.Metadata.Key, entered)
		vaulttest.Want(t, "State", burned.State, receipt.StateBurned)
		vaulttest.Want(t, "Encryption", burned.Encryption, receipt.EncryptionEndToEnd)
		vaulttest.WantErr(t, "RevealSecret(burned)", openErr(t, k, vaulttest.Caller(1), kept.Secret.Key, vaulttest.Prove(keys)), refusal.ErrNotFound)
	}
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
	for kind := range vaulttest.AuditKinds(t, k) {
		vaulttest.Want(t, "audit of a try", kind == audit.Passphrase, false)
	}
}

// The operator may allow one kind only. The refusal names what is allowed, and what
// exists stays readable.
func TestKindsOfThePolicy(t *testing.T) {
	t.Parallel()
	sealed, keys := vaulttest.MustSeal(t, vaulttest.Plaintext, "")
	anyKind := vaulttest.New(t, vaulttest.Options{Manual: true})
	plain := anyKind.MustConceal(t, vaulttest.Caller(1), vaulttest.Plaintext, secret.Terms{})
	endToEnd := anyKind.MustConceal(t, vaulttest.Caller(1), "", secret.Terms{Sealed: sealed})
	anyKind.Close(t)

	only := vaulttest.New(t, vaulttest.Options{Manual: true, After: anyKind, Policy: caller.Policy{Kinds: caller.KindsEndToEnd}})
	_, err := only.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), "x", secret.Terms{})
	wantPolicy(t, "ConcealSecret(text)", err, "Only end-to-end encrypted secrets can be shared here: in a browser, or with the hush client.")
	_, _, err = only.Vault.Secrets.GenerateSecret(t.Context(), vaulttest.Caller(1), 0, secret.CharacterSets{}, secret.Terms{})
	wantPolicy(t, "GenerateSecret()", err, "Only end-to-end encrypted secrets can be shared here: in a browser, or with the hush client.")
	only.MustConceal(t, vaulttest.Caller(1), "", secret.Terms{Sealed: sealed})
	vaulttest.Want(t, "RevealSecret(text)", only.MustReveal(t, vaulttest.Caller(1), plain.Secret.Key, ""), vaulttest.Plaintext)
	only.Close(t)

	server := vaulttest.New(t, vaulttest.Options{Manual: true, After: only, Policy: caller.Policy{Kinds: caller.KindsServer}})
	_, err = server.Vault.Secrets.ConcealSecret(t.Context(), vaulttest.Caller(1), "", secret.Terms{Sealed: sealed})
	wantPolicy(t, "ConcealSecret(sealed)", err, "Only secrets that the server encrypts can be shared here.")
	server.MustConceal(t, vaulttest.Caller(1), "x", secret.Terms{})
	vaulttest.Want(t, "RevealSecret(sealed)", openErr(t, server, vaulttest.Caller(1), endToEnd.Secret.Key, vaulttest.Prove(keys)), nil)
}

func wantPolicy(t *testing.T, call string, err error, text string) {
	t.Helper()
	if diff := cmp.Diff(error(&caller.PolicyError{Text: text}), err); diff != "" {
		t.Errorf("%s: -want +got\n%s", call, diff)
	}
}

// No caller generates content that a device has encrypted.
func TestGenerateSealed(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	sealed, _ := vaulttest.MustSeal(t, vaulttest.Plaintext, "")
	_, _, err := k.Vault.Secrets.GenerateSecret(t.Context(), vaulttest.Caller(1), 0, secret.CharacterSets{}, secret.Terms{Sealed: sealed})
	vaulttest.WantInvalid(t, "GenerateSecret(sealed)", err, "secret")
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
}

// The attack: a stranger who has the key, but not the rest of the link, tries
// 100,000 times, from many networks, with proofs and claims of every form. Nothing is
// consumed, nothing is written, and no one is locked out: then the recipient opens
// it, with the first try at the passphrase.
func TestAttemptsWithTheKeyAlone(t *testing.T) {
	t.Parallel()
	attempts := 100_000
	if testing.Short() {
		attempts = 2_000
	}
	work := &vaulttest.WorkStore{}
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		work.Store = s
		return work
	}})
	plain, plainKeys := k.MustConcealSealed(t, vaulttest.Caller(1), vaulttest.Plaintext, "", secret.Terms{})
	guarded, guardedKeys := k.MustConcealSealed(t, vaulttest.Caller(1), vaulttest.Plaintext, "quick otter", secret.Terms{})
	before := storedRows(t, k)
	ctx := vaulttest.Counted(t.Context())
	const strangers = 8
	var all sync.WaitGroup
	for stranger := range strangers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(stranger), 7))
			for n := range attempts / strangers {
				knockAt(ctx, t, k, random, n, []seal.Token{plain.Secret.Key, guarded.Secret.Key}[n%2])
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "transactions that write", work.Updates.Load(), 0)
	vaulttest.Want(t, "transactions that read are counted", work.Views.Load() > 0, true)
	if diff := cmp.Diff(before, storedRows(t, k)); diff != "" {
		t.Errorf("rows after the attempts: -want +got\n%s", diff)
	}
	for key, keys := range map[seal.Token]endtoend.Keys{plain.Secret.Key: plainKeys, guarded.Secret.Key: guardedKeys} {
		got, err := k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(0), key.Expose(), vaulttest.Prove(keys))
		vaulttest.Want(t, "RevealSecret(key)", err, nil)
		vaulttest.Want(t, "the device's content", vaulttest.MustOpen(t, keys, got.Content), vaulttest.Plaintext)
	}
}

// knockAt is one attempt of a stranger at a secret.
func knockAt(ctx context.Context, t *testing.T, k *vaulttest.Kit, random *rand.Rand, n int, key seal.Token) {
	c := vaulttest.Caller(random.IntN(1000))
	draw := func(size int) caller.Text {
		drawn := make([]byte, size)
		for i := range drawn {
			drawn[i] = byte(random.Uint32())
		}
		return caller.Text(drawn)
	}
	o, want := secret.Opening{LinkProof: draw(32), Proof: draw(32)}, refusal.ErrLink
	switch n / 2 % 8 {
	case 0:
		o, want = secret.Opening{Passphrase: draw(8)}, refusal.ErrEncryption
	case 1:
		o.LinkProof, want = "", refusal.ErrEncryption
	case 2:
		o.Proof = ""
		o.Claim = draw(32)
		want = refusal.ErrEncryption
	case 3:
		o.LinkProof, o.Claim = caller.Text(make([]byte, 32)), draw(32)
	case 4:
		o.Passphrase, o.Claim = draw(8), draw(32)
	case 5:
		if err := k.Vault.Secrets.AcknowledgeReveal(ctx, key.Expose(), draw(32)); err != nil {
			t.Errorf("AcknowledgeReveal(stranger): got %v, want nil", err)
		}
	case 6:
		if _, err := k.Vault.Burns.BurnGuarded(ctx, c, key.Expose(), draw(8)); !errors.Is(err, refusal.ErrNotFound) {
			t.Errorf("BurnGuarded(the secret's key): got %v, want %v", err, refusal.ErrNotFound)
		}
	}
	got, err := k.Vault.Secrets.RevealSecret(ctx, c, key.Expose(), o)
	if !errors.Is(err, want) || got.Content != "" || got.Value != "" {
		t.Errorf("RevealSecret(stranger): got %v, want %v and no content", err, want)
	}
}
