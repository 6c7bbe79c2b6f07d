package ticket

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/recordtest"
)

func sampleTicket() *Record {
	return &Record{
		Kind: Address, Account: caller.AccountID(bytes.Repeat([]byte{0xac}, 16)),
		Created: recordtest.Moment(5), Expires: recordtest.Moment(5).Add(addressLifetime), address: []byte("sealed address"),
	}
}

func samplePlainTicket() *Record {
	return &Record{
		Kind: Invite, Account: caller.AccountID(bytes.Repeat([]byte{0xac}, 16)),
		Created: recordtest.Moment(5), Expires: recordtest.Moment(5).Add(inviteLifetime),
	}
}

func TestGoldenTickets(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]*Record{"ticket-v1": sampleTicket(), "ticket-plain-v1": samplePlainTicket()} {
		stored := recordtest.Golden(t, name)
		if got := record.encode(); !bytes.Equal(got, stored) {
			t.Errorf("encode(%s): got %x, want %x", name, got, stored)
		}
		got, err := Decode(stored)
		if err != nil {
			t.Fatalf("Decode(%s): got %v, want nil", name, err)
		}
		if diff := cmp.Diff(record, got, cmp.AllowUnexported(Record{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" {
			t.Errorf("Decode(%s): -want +got\n%s", name, diff)
		}
		recordtest.WantDamaged(t, stored, func(data []byte) (any, error) { return Decode(data) })
	}
}

func FuzzDecodeTicket(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := Decode(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "ticket-v1", "ticket-plain-v1")
}

// A token opens at most one kind of ticket.
func TestTicketKindsHaveTheirOwnRows(t *testing.T) {
	t.Parallel()
	token, seen := seal.NewToken(recordtest.Moment(5)), map[seal.RowKey]bool{}
	for _, kind := range []Kind{Verify, Reset, Address, Invite} {
		seen[token.RowKey(kind.Tokens())] = true
	}
	if len(seen) != 4 {
		t.Errorf("rows of one token: got %d, want 4", len(seen))
	}
}
