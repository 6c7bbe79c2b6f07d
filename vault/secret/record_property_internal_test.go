package secret

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/storage"
	"hush/testtier/property"
	"hush/vault/answer"
	"hush/vault/receipt"
	"hush/vault/recordtest"
)

// Whatever a record holds, it holds after it was stored and read.

func TestSecretRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		r := &Record{
			slot:    storage.Slot{Number: rapid.Uint64().Draw(t, "slot"), Generation: rapid.Uint64().Draw(t, "generation")},
			kid:     [4]byte(recordtest.Bytes(4).Draw(t, "kid")),
			created: recordtest.Moments().Draw(t, "created"), expires: recordtest.Moments().Draw(t, "expires"),
			metadata: seal.RowKey(recordtest.Bytes(22).Draw(t, "metadata")),
			network:  [8]byte(recordtest.Bytes(8).Draw(t, "network")), wide: [8]byte(recordtest.Bytes(8).Draw(t, "wide")), verifier: [32]byte(recordtest.Bytes(32).Draw(t, "verifier")),
			shareDomain: rapid.String().Draw(t, "domain"), owner: rapid.String().Draw(t, "owner"),
			sealed: rapid.SliceOf(rapid.Byte()).Draw(t, "sealed"), encryption: drawEncryption(t),
		}
		switch guarded := rapid.Bool().Draw(t, "with passphrase"); {
		case r.encryption == receipt.EncryptionEndToEnd:
			r.isGuarded, r.linkProof = guarded, [32]byte(recordtest.Bytes(32).Draw(t, "link proof"))
			if rapid.Bool().Draw(t, "answer") {
				r.answer = &answerPart{
					ref:          answer.Ref{Request: seal.RowKey(recordtest.Bytes(22).Draw(t, "request")), Number: answer.Number(recordtest.Bytes(16).Draw(t, "number"))},
					collectProof: [32]byte(recordtest.Bytes(32).Draw(t, "collect proof")),
				}
			}
		case guarded:
			r.passphrase = &seal.PassphraseParams{
				MemoryKiB: rapid.Uint32().Draw(t, "memory"), Time: rapid.Uint32().Draw(t, "time"),
				Threads: rapid.Uint8().Draw(t, "threads"), Salt: [16]byte(recordtest.Bytes(16).Draw(t, "salt")),
			}
		}
		r.encodeHeader()
		got, err := decodeSecret(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(Record{}, answerPart{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" || err != nil {
			t.Errorf("decodeSecret(encode(r)): got %v, -want +got\n%s", err, diff)
		}
	})
}

func drawEncryption(t *rapid.T) receipt.Encryption {
	return rapid.SampledFrom([]receipt.Encryption{receipt.EncryptionServer, receipt.EncryptionEndToEnd}).Draw(t, "encryption")
}
