package receipt_test

import (
	"testing"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: the thief has the data folder, the root key and the receipt's
// key of a secret that has ended. A live secret's receipt holds its sealed key
// and its row, so the thief could link the receipt to the message that carried
// the link. Every end must remove both from the stored receipt.
func TestEndedReceiptForgetsTheLink(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *vaulttest.Kit, caller.Caller, secret.Concealed){
		"reveal": func(t *testing.T, k *vaulttest.Kit, _ caller.Caller, concealed secret.Concealed) {
			t.Helper()
			k.MustReveal(t, caller.Caller{}, concealed.Secret.Key, "")
		},
		"burn": func(t *testing.T, k *vaulttest.Kit, _ caller.Caller, concealed secret.Concealed) {
			t.Helper()
			k.MustBurn(t, caller.Caller{}, concealed.Metadata.Key, "")
		},
		"burn by the owner": func(t *testing.T, k *vaulttest.Kit, owner caller.Caller, concealed secret.Concealed) {
			t.Helper()
			k.MustBurn(t, owner, concealed.Metadata.Key, "")
		},
		"burn of everything": func(t *testing.T, k *vaulttest.Kit, owner caller.Caller, _ secret.Concealed) {
			t.Helper()
			burned, err := k.Vault.Burns.BurnAllSecrets(t.Context(), owner)
			vaulttest.Want(t, "BurnAllSecrets(owner)", err, nil)
			vaulttest.Want(t, "BurnAllSecrets(owner)", burned, 1)
		},
		"burn after a report": func(t *testing.T, k *vaulttest.Kit, _ caller.Caller, concealed secret.Concealed) {
			t.Helper()
			_, err := k.Vault.Operator().Secrets.BurnReportedSecret(t.Context(), caller.Text(concealed.Secret.Key.Expose()))
			vaulttest.Want(t, "BurnReportedSecret(link)", err, nil)
		},
		"expiry": func(t *testing.T, k *vaulttest.Kit, _ caller.Caller, _ secret.Concealed) {
			t.Helper()
			k.Clock.Advance(time.Minute)
			k.MustSweep(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true})
			owner := k.MustAccount(t, "ada@example.com")
			concealed := k.MustConceal(t, owner, "the text", secret.Terms{TTL: new(time.Minute)})
			row, metadataRow := concealed.Secret.Key.RowKey(seal.KindSecret), concealed.Metadata.Key.RowKey(seal.KindMetadata)

			link, sealed, err := storedLink(vaulttest.Get(t, k.Store, receipt.BucketMetadata, metadataRow[:]))
			vaulttest.Want(t, "StoredLink(live)", err, nil)
			vaulttest.Want(t, "StoredLink(live): row of the secret", link, row)
			vaulttest.Want(t, "StoredLink(live): sealed key is there", len(sealed) > 0, true)

			end(t, k, owner, concealed)
			record := vaulttest.Get(t, k.Store, receipt.BucketMetadata, metadataRow[:])
			state, err := storedState(record)
			vaulttest.Want(t, "StoredState(ended)", err, nil)
			vaulttest.Want(t, "StoredState(ended).Live()", state.Live(), false)
			link, sealed, err = storedLink(record)
			vaulttest.Want(t, "StoredLink(ended)", err, nil)
			vaulttest.Want(t, "StoredLink(ended): row of the secret", link, seal.RowKey{})
			vaulttest.Want(t, "StoredLink(ended): bytes of the sealed key", len(sealed), 0)
		})
	}
}
