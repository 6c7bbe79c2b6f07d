package admin

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	adminv1 "hush/gen/hush/admin/v1"
)

func TestPlaceMistake(t *testing.T) {
	t.Parallel()
	page := []importedAccount{{line: 2}, {line: 7}}
	for text, want := range map[string]string{
		"entries[1].address is not an e-mail address": "line 7: address is not an e-mail address",
		"entries[0]: there is one of that name":       "line 2: there is one of that name",
		"entries[2].address is wrong":                 "entries[2].address is wrong",
		"busy":                                        "busy",
	} {
		got := placeMistake(connect.NewError(connect.CodeInvalidArgument, errors.New(text)), page)
		if got.Error() != want {
			t.Errorf("placeMistake(%s): got %q, want %q", text, got, want)
		}
	}
}

// Spreadsheets begin a file with a byte order mark, before the quotes of the first title.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, table := range []string{
		"address,token\na@example.com,\n", "\ufeffaddress,token\na@example.com,\n", "\ufeff\"address\",\"token\"\r\n\"a@example.com\",\"\"\r\n", "\ufeff\n\"address\",token\na@example.com,\n",
	} {
		accounts, err := readAccounts(strings.NewReader(table))
		if err != nil || len(accounts) != 1 || accounts[0].entry.GetAddress() != "a@example.com" {
			t.Errorf("readAccounts(%q): got %v, %v, want an account", table, accounts, err)
		}
	}
	for table, want := range map[string]string{"": "line 1: the header line is missing", "\ufeff": "line 1: the header line is missing", "\xef": "line 1: the header has no column \"address\""} {
		if _, err := readAccounts(strings.NewReader(table)); err == nil || err.Error() != want {
			t.Errorf("readAccounts(%q): got %v, want %s", table, err, want)
		}
	}
	places, err := readPlaces(strings.NewReader("\ufeff\"name\",\"latitude\",\"altitude\"\nOslo,59.9,23\n"))
	if err != nil || len(places) != 1 {
		t.Errorf("readPlaces(with a byte order mark): got %v, %v, want a place", places, err)
	}
}

// FuzzReadAccounts: a table that is taken, written again, is the same table,
// and every token in it has its shape.
func FuzzReadAccounts(f *testing.F) {
	f.Add([]byte("address,token\na@example.com," + strings.Repeat("0", 40) + "\n"))
	f.Add([]byte("locale,role,token,address\npt_BR,colonel,,b@example.com\n"))
	f.Add([]byte("\ufeffToken,Address\r\n,c@example.com\r\n"))
	f.Fuzz(func(t *testing.T, table []byte) {
		accounts, err := readAccounts(bytes.NewReader(table))
		if err != nil {
			return
		}
		again, err := readAccounts(bytes.NewReader(writeAccounts(t, accounts)))
		if err != nil {
			t.Fatalf("readAccounts(its own accounts): got %v, want nil", err)
		}
		if diff := cmp.Diff(entriesOf(accounts), entriesOf(again), protocmp.Transform()); diff != "" {
			t.Errorf("readAccounts(its own accounts): %s", diff)
		}
	})
}

func entriesOf(accounts []importedAccount) (entries []*adminv1.ImportAccountsRequest_Entry) {
	for _, account := range accounts {
		entries = append(entries, account.entry)
	}
	return entries
}

func writeAccounts(t *testing.T, accounts []importedAccount) []byte {
	t.Helper()
	rows := [][]string{{"address", "token", "role", "locale"}}
	for _, a := range accounts {
		role := ""
		if a.entry.GetRole() != 0 {
			role = roleName(a.entry.GetRole())
		}
		rows = append(rows, []string{a.entry.GetAddress(), a.entry.GetToken(), role, a.entry.GetLocale()})
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatalf("writing accounts: %v", err)
	}
	return b.Bytes()
}
