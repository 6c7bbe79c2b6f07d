package account

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/recordtest"
)

func sampleTicket() *TicketRecord {
	return &TicketRecord{
		Kind: TicketAddress, Account: caller.AccountID(bytes.Repeat([]byte{0xac}, 16)),
		Created: recordtest.Moment(5), Expires: recordtest.Moment(5).Add(addressLifetime), address: []byte("sealed address"),
	}
}

func samplePlainTicket() *TicketRecord {
	return &TicketRecord{
		Kind: TicketInvite, Account: caller.AccountID(bytes.Repeat([]byte{0xac}, 16)),
		Created: recordtest.Moment(5), Expires: recordtest.Moment(5).Add(inviteLifetime),
	}
}

func TestGoldenTickets(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]*TicketRecord{"ticket-v1": sampleTicket(), "ticket-plain-v1": samplePlainTicket()} {
		stored := recordtest.Golden(t, name)
		if got := record.encode(); !bytes.Equal(got, stored) {
			t.Errorf("encode(%s): got %x, want %x", name, got, stored)
		}
		got, err := DecodeTicket(stored)
		if err != nil {
			t.Fatalf("DecodeTicket(%s): got %v, want nil", name, err)
		}
		if diff := cmp.Diff(record, got, cmp.AllowUnexported(TicketRecord{}), cmp.Comparer(recordtest.SameEmpty)); diff != "" {
			t.Errorf("DecodeTicket(%s): -want +got\n%s", name, diff)
		}
		recordtest.WantDamaged(t, stored, func(data []byte) (any, error) { return DecodeTicket(data) })
	}
}

func FuzzDecodeTicket(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := DecodeTicket(data)
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
	for _, kind := range []TicketKind{TicketVerify, TicketReset, TicketAddress, TicketInvite} {
		seen[token.RowKey(kind.Tokens())] = true
	}
	if len(seen) != 4 {
		t.Errorf("rows of one token: got %d, want 4", len(seen))
	}
}

// Tickets of an account keep their places in its record.
func TestAccountRecordKeepsTickets(t *testing.T) {
	t.Parallel()
	record := &Record{Role: RoleCustomer}
	for i, letter := range []string{"v", "r", "a"} {
		record.tickets[i] = recordtest.Row(letter)
	}
	got, err := DecodeAccount(record.Encode())
	if err != nil {
		t.Fatalf("decodeAccount(record): got %v, want nil", err)
	}
	if got.tickets != record.tickets {
		t.Errorf("decodeAccount(record).tickets: got %v, want %v", got.tickets, record.tickets)
	}
}
