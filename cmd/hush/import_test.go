package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	adminv1 "hush/gen/hush/admin/v1"
)

// People move from another service. Their scripts need a new host name and
// nothing else: address and token stay.
func TestImportAccounts(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	o := operator{t, s.data}
	first, second := strings.Repeat("0a", 20), strings.Repeat("f9", 20)
	file := filepath.Join(t.TempDir(), "accounts.csv")
	table := "\ufeffToken, Address ,ROLE\n" + first + ", First@Example.com ,\n" + second + ",second@example.com,colonel\n,third@example.com,customer\n"
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	o.ok("", "account", "import", file).want(t, "admin account import", exitOK, "imported 3 accounts")
	for token, want := range map[string]string{first: "first@example.com", second: "second@example.com"} {
		if got, err := custid(t, s, token); got != want || err != nil {
			t.Errorf("Authcheck with an imported token: got %q %v, want %q", got, err, want)
		}
	}
	wantShown(o, "second@example.com", `role +colonel`, `state +active`)
	o.run(table+strings.Repeat("11", 20)+",new@example.com,\n", "account", "import", "-").
		want(t, "admin account import", exitFailure, "hush: -: line 2: ", "nothing was imported")
	o.ok(table+strings.Repeat("11", 20)+",new@example.com,\n", "account", "import", "-", "--skip-existing").
		want(t, "admin account import", exitOK, "imported 1 accounts, 3 were there already")
	s.stop(t)
	o.ok("address,token\nlate@example.com,"+strings.Repeat("22", 20)+"\n", "account", "import", "-")
	again := startHushOn(t, o.data)
	if got, err := custid(t, again, strings.Repeat("22", 20)); got != "late@example.com" || err != nil {
		t.Errorf("Authcheck with a token imported while stopped: got %q %v, want late@example.com", got, err)
	}
}

// A table with a mistake in it is not half imported, and the mistake is told
// without the token that it is in.
func TestImportMistakes(t *testing.T) {
	t.Parallel()
	o := operator{t, filepath.Join(t.TempDir(), "data")}
	const header = "address,token,role,locale\n"
	token := strings.Repeat("ab", 20)
	good := "good@example.com," + strings.Repeat("0", 40) + ",,\n"
	for table, want := range map[string]string{
		"":                                "line 1: the header line is missing",
		"address\n":                       `line 1: the header has no column "token"`,
		"token,e-mail\n":                  `line 1: the header has no column "address"`,
		header + good + "x@example.com\n": "line 3: wrong number of fields",
		header + good + ",,,\n":           "line 3: the address is missing",
		header + good + "x@example.com," + strings.ToUpper(token) + ",,\n":               "line 3: the token is not 40 characters 0-9 and a-f",
		header + good + "x@example.com," + token + "0,,\n":                               "line 3: the token is not 40 characters",
		header + good + "x@example.com,,king,\n":                                         `line 3: the role "king" is neither customer nor colonel`,
		header + good + "\n\nx@example.com,,,\nX@example.com,,,\n":                       "line 6: the address stands in line 5 already",
		header + good + "x@example.com," + token + ",,\ny@example.com," + token + ",,\n": "line 4: the token stands in line 3 already",
		header + good + "nobody,,,\n":                                                    "line 3: ",
		header + good + "x@example.com,,,klingon\n":                                      "line 3: ",
	} {
		got := o.run(table, "account", "import", "-").want(t, fmt.Sprintf("account import of %q", table), exitFailure, "hush: -: "+want, "nothing was imported")
		if strings.Contains(got.stderr, token) || strings.Contains(got.stderr, "entries[") {
			t.Errorf("hush admin account import: got %q, want neither tokens nor names of fields", got.stderr)
		}
	}
	if list := o.ok("", "account", "list").stdout; strings.Contains(list, "@") {
		t.Errorf("hush admin account list: got %s, want nothing imported", list)
	}
}

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
			role = nameOfRole(a.entry.GetRole())
		}
		rows = append(rows, []string{a.entry.GetAddress(), a.entry.GetToken(), role, a.entry.GetLocale()})
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatalf("writing accounts: %v", err)
	}
	return b.Bytes()
}
