package receipt

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hush/seal"
	"hush/testtier/property"
	"hush/vault/recordtest"
)

// Whatever a record holds, it holds after it was stored and read.

func TestMetadataRoundTrip(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		r := &Record{
			state: State(rapid.Byte().Draw(t, "state")), hasPassphrase: rapid.Bool().Draw(t, "passphrase"),
			created: recordtest.Moments().Draw(t, "created"), expires: recordtest.Moments().Draw(t, "expires"),
			updated: recordtest.Moments().Draw(t, "updated"), viewed: recordtest.Moments().Draw(t, "viewed"), ended: recordtest.Moments().Draw(t, "ended"),
			ttl:    time.Duration(rapid.Int64Range(0, 1<<33).Draw(t, "ttl")) * time.Second,
			secret: seal.RowKey(recordtest.Bytes(22).Draw(t, "secret")), hint: [hintSize]byte(recordtest.Bytes(hintSize).Draw(t, "hint")),
			shareDomain: rapid.String().Draw(t, "domain"), owner: rapid.String().Draw(t, "custid"),
			recipients: rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "recipients"),
			sealedKey:  rapid.SliceOf(rapid.Byte()).Draw(t, "key"), sealedMemo: rapid.SliceOf(rapid.Byte()).Draw(t, "memo"),
			network: [8]byte(recordtest.Bytes(8).Draw(t, "network")), wide: [8]byte(recordtest.Bytes(8).Draw(t, "wide")),
			encryption: rapid.SampledFrom([]Encryption{EncryptionServer, EncryptionEndToEnd}).Draw(t, "encryption"), outcome: Outcome(rapid.ByteRange(0, 3).Draw(t, "outcome")),
			outcomeAt: recordtest.Moments().Draw(t, "outcome at"),
		}
		got, err := decode(r.encode())
		if diff := cmp.Diff(r, got, cmp.AllowUnexported(Record{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" || err != nil {
			t.Errorf("decode(encode(r)): got %v, -want +got\n%s", err, diff)
		}
	})
}
