package account

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/vault/recordtest"
)

func sampleAccount() *Record {
	return &Record{
		Created: recordtest.Moment(5), Updated: recordtest.Moment(6), Verified: recordtest.Moment(7), SignedIn: recordtest.Moment(8),
		Proof: ProofMail, Role: RoleColonel, NotifyOpened: true, AddressID: [32]byte(bytes.Repeat([]byte{0xad}, 32)),
		SealedCount: 7, Locale: "pt_BR", address: []byte("sealed address"), PendingAddress: []byte("sealed pending"),
		Password: &PasswordRecord{
			Params:   seal.PasswordParams{MemoryKiB: 65536, Time: 3, Threads: 1, Salt: recordtest.Salt()},
			Verifier: [32]byte(bytes.Repeat([]byte{0x5e}, 32)),
		},
	}
}

// keyed adds what version 2 of an account has.
func keyed(r *Record) *Record {
	r.Password.Keyed, r.Password.KID = true, [4]byte{1, 2, 3, 4}
	r.Networks = []knownNetwork{{[8]byte{9, 8, 7}, recordtest.Moment(8)}, {[8]byte{6}, recordtest.Moment(5)}}
	return r
}

func sampleTally() TallyRecord { return TallyRecord{Created: 4, Shared: 3, Burned: 2, Emails: 1} }

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenAccounts(t *testing.T) {
	t.Parallel()
	recordtest.Check(t, []recordtest.Case{
		{Name: "account-v1", Record: sampleAccount(), Decode: func(b []byte) (any, error) { return DecodeAccount(b) }},
		{Name: "account-v2", Record: keyed(sampleAccount()), Encoded: keyed(sampleAccount()).Encode(), Decode: func(b []byte) (any, error) { return DecodeAccount(b) }},
		{Name: "tally-v1", Record: sampleTally(), Encoded: sampleTally().encode(), Decode: func(b []byte) (any, error) { return decodeTally(b) }},
	}, cmp.AllowUnexported(Record{}, PasswordRecord{}, knownNetwork{}, TallyRecord{}), cmp.Comparer(recordtest.SameEmpty))
}

func FuzzDecodeAccount(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := DecodeAccount(data)
		if err != nil {
			return nil, err
		}
		if data[0] == 1 { // read for ever, written no more
			return accountAsVersion1(r), nil
		}
		return r.Encode(), nil
	}, "account-v1", "account-v2")
}

// accountAsVersion1 writes a record as version 1 did: without networks, and
// with a verifier that is not keyed.
func accountAsVersion1(r *Record) []byte {
	encoded := r.Encode()
	newer := 1 + (8+8)*len(r.Networks)
	if r.Password != nil {
		newer += 1 + len(r.Password.KID)
	}
	return append([]byte{1}, encoded[1:len(encoded)-newer]...)
}
