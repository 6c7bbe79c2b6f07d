package admin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// People move from another service. Their scripts need a new host name and
// nothing else: address and token stay.
func TestImportAccounts(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	o := servertest.Operator{T: t, Data: s.Data}
	first, second := strings.Repeat("0a", 20), strings.Repeat("f9", 20)
	file := filepath.Join(t.TempDir(), "accounts.csv")
	table := "\ufeffToken, Address ,ROLE\n" + first + ", First@Example.com ,\n" + second + ",second@example.com,colonel\n,third@example.com,customer\n"
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Ok("", "account", "import", file).Want(t, "admin account import", command.ExitOK, "imported 3 accounts")
	for token, want := range map[string]string{first: "first@example.com", second: "second@example.com"} {
		if got, err := servertest.Custid(t, s, token); got != want || err != nil {
			t.Errorf("Authcheck with an imported token: got %q %v, want %q", got, err, want)
		}
	}
	wantShown(o, "second@example.com", `role +colonel`, `state +active`)
	o.Run(table+strings.Repeat("11", 20)+",new@example.com,\n", "account", "import", "-").
		Want(t, "admin account import", command.ExitFailure, "hush: -: line 2: ", "nothing was imported")
	o.Ok(table+strings.Repeat("11", 20)+",new@example.com,\n", "account", "import", "-", "--skip-existing").
		Want(t, "admin account import", command.ExitOK, "imported 1 account, 3 were there already")
	s.Stop(t)
	o.Ok("address,token\nlate@example.com,"+strings.Repeat("22", 20)+"\n", "account", "import", "-")
	again := servertest.StartOn(t, o.Data)
	if got, err := servertest.Custid(t, again, strings.Repeat("22", 20)); got != "late@example.com" || err != nil {
		t.Errorf("Authcheck with a token imported while stopped: got %q %v, want late@example.com", got, err)
	}
}

// A table with a mistake in it is not half imported, and the mistake is told
// without the token that it is in.
func TestImportMistakes(t *testing.T) {
	t.Parallel()
	o := servertest.Operator{T: t, Data: servertest.NewFolder(t)}
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
		got := o.Run(table, "account", "import", "-").Want(t, fmt.Sprintf("account import of %q", table), command.ExitFailure, "hush: -: "+want, "nothing was imported")
		if strings.Contains(got.Stderr, token) || strings.Contains(got.Stderr, "entries[") {
			t.Errorf("hush admin account import: got %q, want neither tokens nor names of fields", got.Stderr)
		}
	}
	if list := o.Ok("", "account", "list").Stdout; strings.Contains(list, "@") {
		t.Errorf("hush admin account list: got %s, want nothing imported", list)
	}
}
