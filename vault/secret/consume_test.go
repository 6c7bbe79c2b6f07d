package secret_test

import (
	"context"
	"errors"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/keylist"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: a caller who cannot open a secret tries to use it up for the one
// who can, or damage hits what is stored. None of it consumes anything.
func TestNotConsumed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// attack harms kept and returns what undoes the harm.
		attack func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) (undo func())
		fault  bool // the answer is an internal fault, else ErrNotFound or ErrPassphrase
		expiry bool // it is about the expiry
	}{
		{"wrong passphrase", func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) func() {
			t.Helper()
			if kept.Secret.HasPassphrase {
				vaulttest.WantErr(t, "RevealSecret(wrong passphrase)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), "wrong"), refusal.ErrPassphrase)
			}
			return nil
		}, false, false},
		{"flipped token", func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) func() {
			t.Helper()
			vaulttest.WantErr(t, "RevealSecret(flipped)", vaulttest.RevealErr(t, k, caller.Caller{}, vaulttest.Flipped(kept.Secret.Key), "right"), refusal.ErrNotFound)
			return nil
		}, false, false},
		{"damaged ciphertext", func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) func() {
			t.Helper()
			record := vaulttest.SecretRow(t, k, kept.Secret.Key)
			offset := vaulttest.SealedOffset(record)
			return replaceSecret(t, k, kept, flipByte(record, offset+40))
		}, true, false},
		{"later expiry in the header", func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) func() {
			t.Helper()
			// version, slot, length and kid, creation: then the expiry.
			return replaceSecret(t, k, kept, flipByte(vaulttest.SecretRow(t, k, kept.Secret.Key), 1+16+4+4+8+1))
		}, true, true},
		{"damaged share", func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) func() {
			t.Helper()
			return vaulttest.FlipShare(t, k, vaulttest.SlotOf(t, k, kept.Secret.Key))
		}, true, false},
		{"newer generation in the record", otherSlot(storage.Slot{Generation: 1}), true, false},
		{"slot of nobody", otherSlot(storage.Slot{Number: 5}), true, false},
		{"slot outside the file", otherSlot(storage.Slot{Number: 1 << 40}), true, false},
	}
	for _, test := range tests {
		for _, passphrase := range []caller.Text{"", "right"} {
			t.Run(test.name+map[caller.Text]string{"right": " with passphrase"}[passphrase], func(t *testing.T) {
				t.Parallel()
				k := vaulttest.New(t, vaulttest.Options{Manual: true})
				kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{Passphrase: passphrase})
				undo := test.attack(t, k, kept)
				switch {
				case test.expiry && !vaulttest.Overwrites(k):
					// The mask's key is that of the expiry's hour, which has none.
					err := vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), passphrase)
					vaulttest.WantErr(t, "RevealSecret(later expiry)", err, refusal.ErrNotFound)
				case test.fault:
					wantFault(t, k, kept, passphrase)
				}
				if undo != nil {
					undo()
				}
				vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateNew)
				vaulttest.Want(t, "RevealSecret(right)", k.MustReveal(t, caller.Caller{}, kept.Secret.Key, passphrase), "the text")
			})
		}
	}
}

// wantFault expects that revealing and burning are faults, and never the wrong
// passphrase or an unknown key.
func wantFault(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, passphrase caller.Text) {
	t.Helper()
	vaulttest.WantErr(t, "RevealSecret(damaged)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), passphrase), rows.ErrInconsistent)
	for _, other := range []error{refusal.ErrPassphrase, refusal.ErrNotFound, refusal.ErrLocked} {
		if err := vaulttest.RevealErr(t, k, vaulttest.Caller(2), kept.Secret.Key.Expose(), passphrase); err == nil || errors.Is(err, other) {
			t.Errorf("RevealSecret(damaged): got %v, want a fault that is no %v", err, other)
		}
	}
}

func otherSlot(shift storage.Slot) func(*testing.T, *vaulttest.Kit, secret.Concealed) func() {
	return func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) func() {
		t.Helper()
		slot := vaulttest.SlotOf(t, k, kept.Secret.Key)
		slot.Number, slot.Generation = slot.Number+shift.Number, slot.Generation+shift.Generation
		return replaceSecret(t, k, kept, vaulttest.WithSlot(vaulttest.SecretRow(t, k, kept.Secret.Key), slot))
	}
}

func replaceSecret(t *testing.T, k *vaulttest.Kit, kept secret.Concealed, record []byte) (undo func()) {
	t.Helper()
	row, before := kept.Secret.Key.RowKey(seal.KindSecret), vaulttest.SecretRow(t, k, kept.Secret.Key)
	vaulttest.Put(t, k.Store, secret.BucketSecret, row[:], record)
	return func() { vaulttest.Put(t, k.Store, secret.BucketSecret, row[:], before) }
}

func flipByte(data []byte, i int) []byte {
	changed := append([]byte(nil), data...)
	changed[i] ^= 1
	return changed
}

// The attack: the operator starts with another root key. The start is refused;
// and if that check were ever lost, nothing opens and nothing is consumed.
func TestWrongRootKey(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	plain := k.MustConceal(t, caller.Caller{}, "plain", secret.Terms{})
	locked := k.MustConceal(t, caller.Caller{}, "locked", secret.Terms{Passphrase: "right"})
	other := seal.NewKeys(seal.NewRootKey())
	opts := k.VaultOptions()
	opts.Keys = other
	_, err := vault.Open(t.Context(), opts)
	vaulttest.WantErr(t, "Open(other root key)", err, seal.ErrWrongRootKey)

	opts.Store = verifierStore{k.Store, rows.BucketSystem, keylist.SystemVerifier, other.Verifier()}
	fooled, err := vault.Open(t.Context(), opts)
	if errors.Is(err, seal.ErrWrongRootKey) && !vaulttest.Overwrites(k) {
		// A node also compares its keys in the transaction in which it joins.
		vaulttest.Want(t, "RevealSecret(right root key)", k.MustReveal(t, caller.Caller{}, plain.Secret.Key, ""), "plain")
		return
	}
	if err != nil {
		t.Fatalf("Open(other root key, other verifier): got %v, want nil", err)
	}
	// Where shares are masked, the key of the mask does not open either. Where
	// not, the secret's record names the root key that is missing.
	broken := rows.ErrInconsistent
	if !vaulttest.Overwrites(k) {
		broken = rows.ErrDamaged
	}
	for range 2 {
		got, err := fooled.Secrets.RevealSecret(t.Context(), caller.Caller{}, plain.Secret.Key.Expose(), secret.Opening{})
		vaulttest.WantErr(t, "RevealSecret(other root key)", err, broken)
		vaulttest.Want(t, "RevealSecret(other root key).Value", string(got.Value), "")
		got, err = fooled.Secrets.RevealSecret(t.Context(), caller.Caller{}, locked.Secret.Key.Expose(), secret.Opening{Passphrase: "right"})
		vaulttest.WantErr(t, "RevealSecret(other root key, passphrase)", err, broken)
		vaulttest.Want(t, "RevealSecret(other root key, passphrase).Value", string(got.Value), "")
		_, err = fooled.Burns.BurnGuarded(t.Context(), caller.Caller{}, plain.Metadata.Key.Expose(), "")
		vaulttest.WantErr(t, "BurnGuarded(other root key)", err, rows.ErrInconsistent)
	}
	fooled.Close()
	vaulttest.Want(t, "RevealSecret(right root key)", k.MustReveal(t, caller.Caller{}, plain.Secret.Key, ""), "plain")
	vaulttest.Want(t, "RevealSecret(right root key)", k.MustReveal(t, caller.Caller{}, locked.Secret.Key, "right"), "locked")
}

// A store may run a transaction again. What the first run did of a consumed secret
// must leave nothing in the record that the second one looks at.
func TestConsumeRunsAgain(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return twice{s} }})
	kept := k.MustConceal(t, vaulttest.Caller(1), "the text", secret.Terms{})
	got, err := k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(2), kept.Secret.Key.Expose(), secret.Opening{})
	if err != nil || got.Value != "the text" {
		t.Errorf("RevealSecret(in two runs): got %q, %v, want the text", got.Value, err)
	}
	if _, err := k.Vault.Secrets.RevealSecret(t.Context(), vaulttest.Caller(2), kept.Secret.Key.Expose(), secret.Opening{}); !errors.Is(err, refusal.ErrNotFound) {
		t.Errorf("RevealSecret(again): got %v, want %v", err, refusal.ErrNotFound)
	}
}

// twice runs each update two times, and keeps the second.
type twice struct{ storage.Store }

var errFirstRun = errors.New("the first run")

func (s twice) Update(ctx context.Context, fn func(storage.Tx) error) error {
	err := s.Store.Update(ctx, func(tx storage.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errFirstRun
	})
	if !errors.Is(err, errFirstRun) {
		return err
	}
	return s.Store.Update(ctx, fn)
}

func (s twice) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}
