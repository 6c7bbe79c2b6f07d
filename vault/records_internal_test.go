package vault

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/storage"
)

// golden reads the bytes of a record as they were first stored. White space
// and what follows a # are for readers.
func golden(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	if err != nil {
		t.Fatalf("ReadFile(%s): got %v, want nil", name, err)
	}
	var digits strings.Builder
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	data, err := hex.DecodeString(digits.String())
	if err != nil {
		t.Fatalf("DecodeString(%s): got %v, want nil", name, err)
	}
	return data
}

func sampleRow(letter string) seal.RowKey {
	return seal.RowKey([]byte("0mk3wz" + strings.Repeat(letter, 16)))
}

func sampleSalt() (salt [16]byte) {
	copy(salt[:], strings.Repeat("salt ", 4))
	return salt
}

func sampleMoment(second int) time.Time {
	return time.Date(2026, time.January, 2, 3, 4, second, 678e6, time.UTC)
}

func sampleSecret() *secretRecord {
	r := &secretRecord{
		slot: storage.Slot{Number: 7, Generation: 3}, kid: [4]byte{0xde, 0xad, 0xbe, 0xef},
		created: sampleMoment(5), expires: sampleMoment(65), metadata: sampleRow("m"),
		network: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, wide: [8]byte{0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18}, verifier: [32]byte(bytes.Repeat([]byte{0x55}, 32)),
		sealed: []byte("sealed bytes"),
	}
	r.encodeHeader()
	return r
}

func samplePassphraseSecret() *secretRecord {
	r := sampleSecret()
	r.passphrase = &seal.PassphraseParams{MemoryKiB: 19456, Time: 2, Threads: 1, Salt: sampleSalt()}
	r.shareDomain, r.owner = "secrets.example.com", "ada@example.com"
	r.encodeHeader()
	return r
}

// narrow is the record as version 1 had it, without a /48.
func narrow(r *secretRecord) *secretRecord {
	r.version, r.wide = 1, [8]byte{}
	r.encodeHeader()
	return r
}

func sampleMetadata() *metadataRecord {
	return &metadataRecord{
		state: StateViewed, passphrase: true, created: sampleMoment(5), expires: sampleMoment(65),
		updated: sampleMoment(7), viewed: sampleMoment(6), ttl: time.Minute, secret: sampleRow("s"),
		hint: [hintSize]byte([]byte("abc123")), shareDomain: "secrets.example.com", custid: "ada@example.com",
		recipients: []string{"b***@example.com", ""}, sealedKey: []byte("sealed key"), sealedMemo: []byte("sealed memo"),
	}
}

func sampleEndedMetadata() *metadataRecord {
	return &metadataRecord{
		state: StateReceived, created: sampleMoment(5), expires: sampleMoment(65), updated: sampleMoment(9),
		ended: sampleMoment(9), ttl: time.Minute, hint: [hintSize]byte([]byte("abc123")),
	}
}

func sampleAttempt() attemptRecord {
	return attemptRecord{count: 5, began: sampleMoment(5), locked: sampleMoment(5).Add(30 * time.Minute)}
}

func sampleAudit() auditRecord {
	return auditRecord{time: sampleMoment(5), kind: AuditReveal, result: AuditDone, subject: sampleRow("m")}
}

func samplePlace() Place { return Place{Name: "Łódź", Latitude: 51.77, Altitude: -2.5} }

// charged adds what version 3 of a receipt has besides.
func charged(r *metadataRecord) *metadataRecord {
	r = placed(r)
	r.network, r.wide = [8]byte([]byte("network!")), [8]byte([]byte("wide /48"))
	return r
}

// placed adds what version 2 of a receipt has.
func placed(r *metadataRecord) *metadataRecord {
	r.createdBy, r.endedBy = "192.0.2.0/24", ""
	if !r.ended.IsZero() {
		r.endedBy = "2001:db8::/48"
	}
	return r
}

func sampleTimeline() *timelineRecord {
	return &timelineRecord{events: []Event{
		{Kind: EventLooked, Time: sampleMoment(6), Network: "192.0.2.0/24", Count: 1},
		{Kind: EventPassphrase, Time: sampleMoment(7), Network: "2001:db8::/48", Count: 3},
	}}
}

func sampleEntry() *entryRecord {
	return &entryRecord{boxes: []entryBox{
		{pairID{1, 2, 3, 4, 5, 6, 7, 8}, []byte("sealed for one")}, {pairID{9}, []byte("sealed for another")},
	}}
}

func sampleCounts() *counts {
	var c counts
	for i := range c {
		c[i] = int64(i * 1000)
	}
	return &c
}

func sampleAccount() *accountRecord {
	return &accountRecord{
		created: sampleMoment(5), updated: sampleMoment(6), verified: sampleMoment(7), signedIn: sampleMoment(8),
		proof: proofMail, role: RoleColonel, notifyOpened: true, addressID: [32]byte(bytes.Repeat([]byte{0xad}, 32)),
		sealedCount: 7, locale: "pt_BR", address: []byte("sealed address"), pendingAddress: []byte("sealed pending"),
		password: &passwordRecord{
			params:   seal.PasswordParams{MemoryKiB: 65536, Time: 3, Threads: 1, Salt: sampleSalt()},
			verifier: [32]byte(bytes.Repeat([]byte{0x5e}, 32)),
		},
	}
}

// keyed adds what version 2 of an account has.
func keyed(r *accountRecord) *accountRecord {
	r.password.keyed, r.password.kid = true, [4]byte{1, 2, 3, 4}
	r.networks = []knownNetwork{{[8]byte{9, 8, 7}, sampleMoment(8)}, {[8]byte{6}, sampleMoment(5)}}
	return r
}

func sampleTally() tallyRecord { return tallyRecord{created: 4, shared: 3, burned: 2, emails: 1} }

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenRecords(t *testing.T) {
	t.Parallel()
	everything := cmp.AllowUnexported(secretRecord{}, metadataRecord{}, attemptRecord{}, auditRecord{},
		timelineRecord{}, entryRecord{}, entryBox{}, accountRecord{}, passwordRecord{}, knownNetwork{}, tallyRecord{})
	tests := []struct {
		name    string
		record  any
		encoded []byte
		decode  func([]byte) (any, error)
	}{
		{"secret-v1", narrow(sampleSecret()), narrow(sampleSecret()).encode(), func(b []byte) (any, error) { return decodeSecret(b) }},
		{"secret-passphrase-v1", narrow(samplePassphraseSecret()), nil, func(b []byte) (any, error) { return decodeSecret(b) }},
		{"secret-v2", sampleSecret(), sampleSecret().encode(), func(b []byte) (any, error) { return decodeSecret(b) }},
		{"secret-passphrase-v2", samplePassphraseSecret(), samplePassphraseSecret().encode(), func(b []byte) (any, error) { return decodeSecret(b) }},
		{"metadata-v1", sampleMetadata(), nil, func(b []byte) (any, error) { return decodeMetadata(b) }},
		{"metadata-ended-v1", sampleEndedMetadata(), nil, func(b []byte) (any, error) { return decodeMetadata(b) }},
		{"metadata-v2", placed(sampleMetadata()), nil, func(b []byte) (any, error) { return decodeMetadata(b) }},
		{"metadata-ended-v2", placed(sampleEndedMetadata()), nil, func(b []byte) (any, error) { return decodeMetadata(b) }},
		{"metadata-v3", charged(sampleMetadata()), charged(sampleMetadata()).encode(), func(b []byte) (any, error) { return decodeMetadata(b) }},
		{"metadata-ended-v3", charged(sampleEndedMetadata()), charged(sampleEndedMetadata()).encode(), func(b []byte) (any, error) { return decodeMetadata(b) }},
		{"timeline-v1", sampleTimeline(), sampleTimeline().encode(), func(b []byte) (any, error) { return decodeTimeline(b) }},
		{"entry-v1", sampleEntry(), sampleEntry().encode(), func(b []byte) (any, error) { return decodeEntry(b) }},
		{"counts-v1", sampleCounts(), sampleCounts().encode(), func(b []byte) (any, error) { c, err := decodeCounts(b); return &c, err }},
		{"account-v1", sampleAccount(), nil, func(b []byte) (any, error) { return decodeAccount(b) }},
		{"account-v2", keyed(sampleAccount()), keyed(sampleAccount()).encode(), func(b []byte) (any, error) { return decodeAccount(b) }},
		{"tally-v1", sampleTally(), sampleTally().encode(), func(b []byte) (any, error) { return decodeTally(b) }},
		{"attempt-v1", sampleAttempt(), nil, func(b []byte) (any, error) { return decodeAttempt(b) }},
		{"attempt-v2", sampleAttempt(), sampleAttempt().encode(), func(b []byte) (any, error) { return decodeAttempt(b) }},
		{"audit-v1", sampleAudit(), sampleAudit().encode(), func(b []byte) (any, error) { return decodeAudit(b) }},
		{"place-v1", samplePlace(), samplePlace().encode(), func(b []byte) (any, error) { return decodePlace(b) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stored := golden(t, test.name)
			if test.encoded != nil && !bytes.Equal(test.encoded, stored) {
				t.Errorf("encode(record): got %x, want %x", test.encoded, stored)
			}
			got, err := test.decode(stored)
			if err != nil {
				t.Fatalf("decode(%s): got %v, want nil", test.name, err)
			}
			if diff := cmp.Diff(test.record, got, everything, cmp.Comparer(sameEmpty)); diff != "" {
				t.Errorf("decode(%s): -want +got\n%s", test.name, diff)
			}
			wantDamaged(t, stored, test.decode)
		})
	}
}

// sameEmpty takes an empty field for an absent one, as the format does.
func sameEmpty(a, b []byte) bool { return bytes.Equal(a, b) }

// wantDamaged cuts a record, lengthens it, and gives it another version.
func wantDamaged(t *testing.T, stored []byte, decode func([]byte) (any, error)) {
	t.Helper()
	damaged := [][]byte{nil, append(append([]byte{}, stored...), 0)}
	for i := range stored {
		damaged = append(damaged, stored[:i])
	}
	for _, version := range []byte{0, 4, 255} {
		damaged = append(damaged, append([]byte{version}, stored[1:]...))
	}
	// A sealed text has any length, so a record of a secret has no end to miss.
	fixed := decodesWhole(stored, decode)
	for _, data := range damaged {
		if _, err := decode(data); !errors.Is(err, errDamaged) && (fixed || len(data) == 0 || data[0] < 1 || data[0] > secretVersion) {
			t.Errorf("decode(%d of %d bytes): got %v, want %v", len(data), len(stored), err, errDamaged)
		}
	}
}

func decodesWhole(stored []byte, decode func([]byte) (any, error)) bool {
	got, _ := decode(stored)
	_, isSecret := got.(*secretRecord)
	return !isSecret
}

// Numbers that no writer writes are refused, not interpreted.
func TestImpossibleNumbers(t *testing.T) {
	t.Parallel()
	at := func(data []byte, offset int, value uint64) []byte {
		return append(append(append([]byte{}, data[:offset]...), bigEndian(value)...), data[offset+8:]...)
	}
	const ttlOffset, timeOffset = 1 + 1 + 1 + 5*8, 3
	metadata := sampleMetadata().encode()
	yearOne := time.Time{}.UnixMilli()
	for name, data := range map[string][]byte{
		"longest ttl":     at(metadata, ttlOffset, 1<<64-1),
		"ttl over int64":  at(metadata, ttlOffset, 1<<63/1_000_000_000+1),
		"before 1970":     at(metadata, timeOffset, 1<<63),
		"the zero moment": at(metadata, timeOffset, uint64(yearOne)),
	} {
		if _, err := decodeMetadata(data); !errors.Is(err, errDamaged) {
			t.Errorf("decodeMetadata(%s): got %v, want %v", name, err, errDamaged)
		}
	}
	spaced := Place{Name: "x"}.encode()
	spaced[len(spaced)-1] = ' '
	if _, err := decodePlace(spaced); !errors.Is(err, errDamaged) {
		t.Errorf("decodePlace(white space): got %v, want %v", err, errDamaged)
	}
}
