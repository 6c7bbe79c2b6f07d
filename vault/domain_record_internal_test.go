package vault

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func sampleOwner() (id AccountID) {
	copy(id[:], "an account's id.")
	return id
}

func sampleNewDomain() *domainRecord {
	return &domainRecord{
		state: DomainPending, created: sampleMoment(5), updated: sampleMoment(5), asked: sampleMoment(5),
		next: sampleMoment(6), value: sampleSalt(),
	}
}

func sampleDomain() *domainRecord {
	r := sampleNewDomain()
	r.state, r.resolving, r.tries = DomainVerified, true, 3
	r.verified, r.checked, r.failing = sampleMoment(7), sampleMoment(8), sampleMoment(8)
	r.logo = imageFacts{updated: sampleMoment(9), width: 512, height: 256, size: 4096}
	r.icon = imageFacts{updated: sampleMoment(10), width: 32, height: 32, size: 300}
	r.checks = []Check{
		{Kind: CheckTXT, Name: "_onetime-challenge-0123456.secrets.example.com", Expected: []string{"value"}, Problem: "None.", Time: sampleMoment(8)},
		{Kind: CheckAddress, Passed: true, Name: "secrets.example.com", Expected: []string{"192.0.2.1"}, Found: []string{"192.0.2.1", "2001:db8::1"}, Time: sampleMoment(8)},
	}
	r.brand = Brand{
		PrimaryColor: new("#dc4a22"), Colour: new("#abc"), FontFamily: new("mono"), CornerStyle: new("pill"),
		ButtonTextLight: new(true), InstructionsPreReveal: new("Ring first."), InstructionsReveal: new(""),
		InstructionsPostReveal: new("Łódź\n"), Description: new("Ours"), Locale: new("pt_BR"),
		AllowPublicHomepage: new(false), AllowPublicAPI: new(true),
	}
	return r
}

func sampleImage() *imageRecord {
	return &imageRecord{updated: sampleMoment(9), width: 512, height: 256, content: []byte("PNG file")}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenDomainRecords(t *testing.T) {
	t.Parallel()
	everything := cmp.Options{
		cmp.AllowUnexported(domainRecord{}, imageFacts{}, imageRecord{}), cmpopts.EquateEmpty(),
	}
	tests := []struct {
		name    string
		record  any
		encoded []byte
		decode  func([]byte) (any, error)
	}{
		{"domain-v1", sampleDomain(), sampleDomain().encode(), func(b []byte) (any, error) { return decodeDomain(b) }},
		{"domain-new-v1", sampleNewDomain(), sampleNewDomain().encode(), func(b []byte) (any, error) { return decodeDomain(b) }},
		{"image-v1", sampleImage(), sampleImage().encode(), func(b []byte) (any, error) { return decodeImage(b) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stored := golden(t, test.name)
			if !bytes.Equal(test.encoded, stored) {
				t.Errorf("encode(record): got %x, want %x", test.encoded, stored)
			}
			got, err := test.decode(stored)
			if err != nil {
				t.Fatalf("decode(%s): got %v, want nil", test.name, err)
			}
			if diff := cmp.Diff(test.record, got, everything); diff != "" {
				t.Errorf("decode(%s): -want +got\n%s", test.name, diff)
			}
			wantDamaged(t, stored, test.decode)
		})
	}
}

// An id is made of account and name, stays the same for ever, and is another
// one for another account.
func TestDomainID(t *testing.T) {
	t.Parallel()
	const name = "secrets.example.com"
	id := domainIDOf(sampleOwner(), name)
	if got := id.String(); got != "00954a9d52cac1a27ed4" {
		t.Errorf("domainIDOf(sample): got %s, want 00954a9d52cac1a27ed4", got)
	}
	if domainIDOf(AccountID{1}, name) == id || domainIDOf(sampleOwner(), "example.com") == id {
		t.Errorf("domainIDOf(another one): got the same id %s, want another", id)
	}
	if got, ok := parseDomainID(id.String()); !ok || got != id {
		t.Errorf("parseDomainID(%s): got %s, %t, want the same", id, got, ok)
	}
	for _, bad := range []string{"", "00", id.String() + "00", "zz954a9d52cac1a27ed4"} {
		if _, ok := parseDomainID(bad); ok {
			t.Errorf("parseDomainID(%q): got an id, want none", bad)
		}
	}
}

func FuzzDecodeDomain(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeDomain(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "domain-v1", "domain-new-v1")
}

func FuzzDecodeImage(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeImage(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "image-v1")
}
