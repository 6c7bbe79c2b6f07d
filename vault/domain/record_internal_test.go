package domain

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hush/vault/caller"
	"hush/vault/recordtest"
)

func sampleOwner() (id caller.AccountID) {
	copy(id[:], "an account's id.")
	return id
}

func sampleNewDomain() *domainRecord {
	return &domainRecord{
		state: DomainPending, created: recordtest.Moment(5), updated: recordtest.Moment(5), asked: recordtest.Moment(5),
		next: recordtest.Moment(6), value: recordtest.Salt(),
	}
}

func sampleDomain() *domainRecord {
	r := sampleNewDomain()
	r.state, r.resolving, r.tries = DomainVerified, true, 3
	r.verified, r.checked, r.failing = recordtest.Moment(7), recordtest.Moment(8), recordtest.Moment(8)
	r.logo = imageFacts{updated: recordtest.Moment(9), width: 512, height: 256, size: 4096}
	r.icon = imageFacts{updated: recordtest.Moment(10), width: 32, height: 32, size: 300}
	r.checks = []Check{
		{Kind: CheckTXT, Name: "_onetime-challenge-0123456.secrets.example.com", Expected: []string{"value"}, Problem: "None.", Time: recordtest.Moment(8)},
		{Kind: CheckAddress, Passed: true, Name: "secrets.example.com", Expected: []string{"192.0.2.1"}, Found: []string{"192.0.2.1", "2001:db8::1"}, Time: recordtest.Moment(8)},
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
	return &imageRecord{updated: recordtest.Moment(9), width: 512, height: 256, content: []byte("PNG file")}
}

// What was stored once is read for ever, and while a version is the current
// one, it is written the same.
func TestGoldenDomainRecords(t *testing.T) {
	t.Parallel()
	everything := cmp.Options{
		cmp.AllowUnexported(domainRecord{}, imageFacts{}, imageRecord{}), cmpopts.EquateEmpty(),
	}
	recordtest.Check(t, []recordtest.Case{
		{Name: "domain-v2", Record: sampleDomain(), Encoded: sampleDomain().encode(), Decode: func(b []byte) (any, error) { return decodeDomain(b) }},
		{Name: "domain-new-v2", Record: sampleNewDomain(), Encoded: sampleNewDomain().encode(), Decode: func(b []byte) (any, error) { return decodeDomain(b) }},
		{Name: "image-v1", Record: sampleImage(), Encoded: sampleImage().encode(), Decode: func(b []byte) (any, error) { return decodeImage(b) }},
	}, everything)
}

// The attack: an alias led the name of the TXT record into another zone when a
// version was in use that stored what it found there. Of such a check the owner
// sees what was expected and whether it was found, now and after the record was
// written anew.
func TestOldChecksShowNoOtherZone(t *testing.T) {
	t.Parallel()
	found := sampleDomain()
	found.checks[0].Problem, found.checks[0].Found = problemNotFound, []string{"value"}
	for name, want := range map[string]*domainRecord{
		"domain-v1": sampleDomain(), "domain-new-v1": sampleNewDomain(), "domain-found-v1": found,
	} {
		got, err := decodeDomain(recordtest.Golden(t, name))
		if err != nil {
			t.Errorf("decodeDomain(%s): got %v, want nil", name, err)
			continue
		}
		if again := got.encode(); !bytes.Equal(again, want.encode()) {
			t.Errorf("encode(decodeDomain(%s)): got %q, want %q", name, again, want.encode())
		}
		if again, err := decodeDomain(got.encode()); err != nil || !bytes.Equal(again.encode(), want.encode()) {
			t.Errorf("decodeDomain(encode(%s)): got %+v and %v, want %+v", name, again, err, want)
		}
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
	if domainIDOf(caller.AccountID{1}, name) == id || domainIDOf(sampleOwner(), "example.com") == id {
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
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeDomain(data)
		if err == nil && data[0] == 1 { // read for ever, written no more; what it found is not kept
			again, err := decodeDomain(r.encode())
			if err != nil {
				return r.encode(), nil //nolint:nilerr // what is written has to be read
			}
			if !bytes.Equal(again.encode(), r.encode()) {
				return again.encode(), nil
			}
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "domain-v2", "domain-new-v2", "domain-v1", "domain-found-v1")
}

func FuzzDecodeImage(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeImage(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "image-v1")
}
