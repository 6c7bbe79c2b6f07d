package credential_test

import (
	"context"
	"time"

	"hush/seal"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// entryBoxes returns what the stored entry of a list is sealed to.
func entryBoxes(record []byte) (sealed [][]byte, err error) {
	r, err := receipt.DecodeEntry(record)
	for _, b := range r.Boxes {
		sealed = append(sealed, b.Sealed)
	}
	return sealed, err
}

// entryReceipt returns the receipt's row, by that of its entry.
func entryReceipt(entryRow []byte) seal.RowKey { return seal.RowKey(entryRow[len(entryRow)-22:]) }

// replaceMainPair gives an account another main pair and leaves its
// credentials as they are.
func replaceMainPair(ctx context.Context, m *vaulttest.Member, key seal.AccountKey, h seal.WrappingSecret, now time.Time) error {
	return m.Store.Update(ctx, rows.Plain(func(tx *rows.Tx) error { return m.Vault.Credentials.ReplaceMainPair(tx, m.ID, key, h, now) }))
}

// putMainPair gives an account its first main pair.
func putMainPair(ctx context.Context, m *vaulttest.Member, key seal.AccountKey, h seal.WrappingSecret, now time.Time) error {
	return m.Store.Update(ctx, rows.Plain(func(tx *rows.Tx) error { return m.Vault.Credentials.PutMainPair(tx, m.ID, key, h, now) }))
}

// endCredentials ends all sessions and tokens of an account and returns how
// many there were.
func endCredentials(ctx context.Context, m *vaulttest.Member) (sessions, tokens int, err error) {
	err = m.Store.Update(ctx, rows.Plain(func(tx *rows.Tx) (err error) {
		if sessions, err = credential.EndSessions(tx, m.ID, nil); err != nil {
			return err
		}
		tokens, err = credential.EndTokens(tx, m.ID)
		return err
	}))
	return sessions, tokens, err
}
