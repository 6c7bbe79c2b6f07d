package account

import (
	"testing"

	"hush/vault/recordtest"
)

// Tickets of an account keep their places in its record.
func TestAccountRecordKeepsTickets(t *testing.T) {
	t.Parallel()
	record := &Record{Role: RoleCustomer}
	for i, letter := range []string{"v", "r", "a"} {
		record.Tickets[i] = recordtest.Row(letter)
	}
	got, err := DecodeAccount(record.Encode())
	if err != nil {
		t.Fatalf("DecodeAccount(record): got %v, want nil", err)
	}
	if got.Tickets != record.Tickets {
		t.Errorf("DecodeAccount(record).tickets: got %v, want %v", got.Tickets, record.Tickets)
	}
}
