package secret_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/storage/memory"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/recordtest"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// What the golden file below is made of.
const (
	goldenRoot    = "4a6f75726e657920627920746865207365612077697468206120667269656664"
	goldenKey     = "k7d2m9x4q1w8e5r3t6y0u2i4o0mk3wz"
	goldenReceipt = "r7d2m9x4q1w8e5r3t6y0u2i4o0mk3wz"
	goldenText    = "sealed by version 1"
	goldenOwner   = "ada@example.com" // as the receipt has it
)

func goldenShare() [32]byte { return [32]byte([]byte("thirty-two bytes that are random")) }

func goldenKeys(t *testing.T) *seal.Keys {
	t.Helper()
	root, err := seal.ParseRootKey([]byte(goldenRoot))
	if err != nil {
		t.Fatalf("ParseRootKey(golden): got %v, want nil", err)
	}
	return seal.NewKeys(root)
}

// A secret and a receipt that version 1 sealed open for ever: header, seal and
// keys are those of then, and only the slot is where the share lies now.
func TestOldSecretOpens(t *testing.T) {
	t.Parallel()
	now := recordtest.Moment(30)
	keys := goldenKeys(t)
	store, shares := memory.New()
	if err := store.Update(t.Context(), vault.Init(keys, now)); err != nil {
		t.Fatalf("Update(Init): got %v, want nil", err)
	}
	v, err := vault.Open(t.Context(), vault.Options{
		Store: store, Shares: shares, Keys: keys, Now: func() time.Time { return now },
		Log: slog.New(slog.DiscardHandler), Manual: true,
	})
	if err != nil {
		t.Fatalf("Open(memory): got %v, want nil", err)
	}
	defer v.Close()
	key, _ := seal.ParseToken(goldenKey)
	receiptKey, _ := seal.ParseToken(goldenReceipt)
	slot, err := shares.Put(t.Context(), goldenShare())
	if err != nil {
		t.Fatalf("Put(share): got %v, want nil", err)
	}
	owner := vaulttest.WithAccount(caller.Caller{}, goldenOwner)
	record := vaulttest.WithSlot(recordtest.Golden(t, "sealed-secret-v1"), slot)
	secretRow, receiptRow := key.RowKey(seal.KindSecret), receiptKey.RowKey(seal.KindMetadata)
	err = store.Update(t.Context(), func(tx storage.Tx) error {
		return errors.Join(
			tx.Put(secret.BucketSecret, secretRow[:], record),
			tx.Put(receipt.BucketMetadata, receiptRow[:], withOwner(recordtest.Golden(t, "sealed-metadata-v1"), goldenOwner, owner.Account())),
		)
	})
	if err != nil {
		t.Fatalf("Update(golden): got %v, want nil", err)
	}
	shown, err := v.Receipts.GetMetadata(t.Context(), owner, goldenReceipt)
	if err != nil || shown.Secret == nil || *shown.Secret != key || shown.Memo != goldenText {
		t.Errorf("GetMetadata(golden): got %v, want the key and the memo", err)
	}
	got, err := v.Secrets.RevealSecret(t.Context(), caller.Caller{}, goldenKey, secret.Opening{Passphrase: "golden passphrase"})
	if err != nil || got.Value != goldenText {
		t.Errorf("RevealSecret(golden): got %q, %v, want %q", string(got.Value), err, goldenText)
	}
}

// withOwner replaces the owner of a stored receipt, which predates ids of
// accounts.
func withOwner(record []byte, from, to string) []byte {
	field := func(text string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
	}
	return bytes.Replace(record, field(from), field(to), 1)
}
