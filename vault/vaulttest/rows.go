package vault_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// wantErr fails the test unless got is want.
func wantErr(t testing.TB, call string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", call, got, want)
	}
}

// want fails the test unless got equals want.
func want[T comparable](t *testing.T, call string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", call, got, want)
	}
}

// flipped returns a copy of a token with its first character changed.
func flipped(key seal.Token) string {
	text := []byte(key.Expose())
	if text[0]++; text[0] > 'z' || text[0] > '9' && text[0] < 'a' {
		text[0] = '0'
	}
	return string(text)
}

// revealErr returns the error of a reveal, and fails the test if one came
// together with a value.
func revealErr(t *testing.T, k *vaulttest.Kit, c caller.Caller, key string, passphrase caller.Text) error {
	t.Helper()
	revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), c, key, passphrase)
	if err != nil && revealed.Value != "" {
		t.Errorf("RevealSecret(key): got %d bytes with %v, want none", len(revealed.Value), err)
	}
	return err
}

// get returns the value of a row, or nil if there is none.
func get(t *testing.T, s storage.Store, bucket string, key []byte) (value []byte) {
	t.Helper()
	err := s.View(t.Context(), func(tx storage.Tx) (err error) {
		value, err = tx.Get(bucket, key)
		return err
	})
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		t.Fatalf("Get(%s): got %v, want nil", bucket, err)
	}
	return value
}

// put sets a row behind the vault's back, or deletes it if value is nil.
func put(t testing.TB, s storage.Store, bucket string, key, value []byte) {
	t.Helper()
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		if value == nil {
			return tx.Delete(bucket, key)
		}
		return tx.Put(bucket, key, value)
	})
	if err != nil {
		t.Fatalf("Put(%s): got %v, want nil", bucket, err)
	}
}

// rowsIn returns the values of a bucket in the order of their keys.
func rowsIn(t testing.TB, s storage.Store, bucket string) (values [][]byte) {
	t.Helper()
	err := s.View(context.Background(), func(tx storage.Tx) error {
		values = nil
		return tx.Range(bucket, nil, nil, func(_, value []byte) error {
			values = append(values, append([]byte{}, value...))
			return nil
		})
	})
	if err != nil {
		t.Fatalf("Range(%s): got %v, want nil", bucket, err)
	}
	return values
}

// SecretRow returns the stored secret of a key, or nil.
func secretRow(t *testing.T, k *vaulttest.Kit, key seal.Token) []byte {
	t.Helper()
	row := key.RowKey(seal.KindSecret)
	return get(t, k.Store, vault.BucketSecret, row[:])
}

// slotOf returns the slot of a secret that waits.
func slotOf(t *testing.T, k *vaulttest.Kit, key seal.Token) storage.Slot {
	t.Helper()
	slot, err := vault.SlotOf(secretRow(t, k, key))
	if err != nil {
		t.Fatalf("SlotOf(record): got %v, want nil", err)
	}
	return slot
}

// wantState fails the test unless the receipt is in that state.
func wantState(t *testing.T, k *vaulttest.Kit, receipt seal.Token, state secret.State) {
	t.Helper()
	want(t, "GetMetadata(key).State", k.MustMetadata(t, caller.Caller{}, receipt).State, state)
}

// struckOff waits until the vault has struck every destroyed share off its
// list, which it does in the background.
func struckOff(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	for len(rowsIn(t, k.Store, vault.BucketShred)) > 0 {
		if t.Context().Err() != nil {
			t.Fatal("shred list: got rows, want none before the test ends")
		}
		time.Sleep(time.Millisecond)
	}
}
