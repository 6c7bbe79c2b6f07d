package secret

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/storage"
	"hush/vault/answer"
	"hush/vault/receipt"
	"hush/vault/recordtest"
)

func sampleSecret() *Record {
	r := &Record{
		slot: storage.Slot{Number: 7, Generation: 3}, kid: [4]byte{0xde, 0xad, 0xbe, 0xef},
		created: recordtest.Moment(5), expires: recordtest.Moment(65), metadata: recordtest.Row("m"),
		encryption: receipt.EncryptionServer,
		network:    [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, wide: [8]byte{0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18}, verifier: [32]byte(bytes.Repeat([]byte{0x55}, 32)),
		sealed: []byte("sealed bytes"),
	}
	r.encodeHeader()
	return r
}

func samplePassphraseSecret() *Record {
	r := sampleSecret()
	r.passphrase = &seal.PassphraseParams{MemoryKiB: 19456, Time: 2, Threads: 1, Salt: recordtest.Salt()}
	r.shareDomain, r.owner = "secrets.example.com", "ada@example.com"
	r.encodeHeader()
	return r
}

func sampleSealedSecret() *Record {
	r := sampleSecret()
	r.version = 0
	r.encryption = receipt.EncryptionEndToEnd
	r.isGuarded = true
	r.linkProof = [32]byte(bytes.Repeat([]byte{0x66}, 32))
	r.encodeHeader()
	return r
}

func sampleAnswer() *Record {
	r := sampleSealedSecret()
	r.version = 0
	r.answer = &answerPart{
		ref:          answer.Ref{Request: recordtest.Row("r"), Number: answer.Number([]byte("number of answer"))},
		collectProof: [32]byte(bytes.Repeat([]byte{0x77}, 32)),
	}
	r.encodeHeader()
	return r
}

// narrow is the record as version 1 had it, without a /48.
func narrow(r *Record) *Record {
	r.version, r.wide = 1, [8]byte{}
	r.encodeHeader()
	return r
}

// An examination finds a seal of a length that its kind cannot have.
func TestSealedSizes(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]struct{ server, endToEnd bool }{
		0: {}, 28: {}, 284: {true, false}, 355: {}, 356: {false, true}, 540: {true, true}, 541: {false, true},
	} {
		for kind, fits := range map[receipt.Encryption]bool{receipt.EncryptionServer: want.server, receipt.EncryptionEndToEnd: want.endToEnd} {
			r := Record{encryption: kind, sealed: make([]byte, size)}
			if got := r.isSealedSize(); got != fits {
				t.Errorf("isSealedSize(kind %d, %d bytes): got %t, want %t", kind, size, got, fits)
			}
		}
	}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenSecrets(t *testing.T) {
	t.Parallel()
	recordtest.CheckOpen(t, []recordtest.Case{
		{Name: "secret-v1", Record: narrow(sampleSecret()), Encoded: narrow(sampleSecret()).encode(), Decode: func(b []byte) (any, error) { return decodeSecret(b) }},
		{Name: "secret-passphrase-v1", Record: narrow(samplePassphraseSecret()), Decode: func(b []byte) (any, error) { return decodeSecret(b) }},
		{Name: "secret-v2", Record: sampleSecret(), Encoded: sampleSecret().encode(), Decode: func(b []byte) (any, error) { return decodeSecret(b) }},
		{Name: "secret-passphrase-v2", Record: samplePassphraseSecret(), Encoded: samplePassphraseSecret().encode(), Decode: func(b []byte) (any, error) { return decodeSecret(b) }},
		{Name: "secret-endtoend-v3", Record: sampleSealedSecret(), Encoded: sampleSealedSecret().encode(), Decode: func(b []byte) (any, error) { return decodeSecret(b) }},
		{Name: "secret-answer-v4", Record: sampleAnswer(), Encoded: sampleAnswer().encode(), Decode: func(b []byte) (any, error) { return decodeSecret(b) }},
	}, answerVersion, cmp.AllowUnexported(Record{}, answerPart{}), cmp.Comparer(recordtest.SameEmpty))
}
