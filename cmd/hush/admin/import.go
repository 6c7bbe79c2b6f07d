package admin

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
	"hush/server/settings"
)

// importPage is how many accounts go at a time: all of them or none.
const importPage = 10_000

// importedAccount is an account and the line that it stands in.
type importedAccount struct {
	entry *adminv1.ImportAccountsRequest_Entry
	line  int
}

func (a accounts) importCommand() *cobra.Command {
	var skip bool
	c := &cobra.Command{
		Use: "import FILE.csv|-", Short: "import accounts with their API tokens from a CSV file", Args: command.Takes(1, 1), ValidArgsFunction: command.CompleteFiles,
		Long: `Create accounts with the API tokens that they already have elsewhere. The
accounts are read from a CSV file, or from standard input if the file is "-".

The file has a header line and the columns address and token. The columns role
and locale are optional.` + serviceHelp,
		Example: `# Import the accounts that do not exist yet
hush admin account import --skip-existing accounts.csv`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.Flags().BoolVar(&skip, "skip-existing", false, "skip addresses that already have an account")
	c.RunE = func(c *cobra.Command, args []string) error { return a.importFile(c.Context(), s, args[0], skip) }
	return c
}

func (a accounts) importFile(ctx context.Context, s *settings.Settings, name string, skip bool) error {
	file, done, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	accounts, err := readAccounts(file)
	if err != nil {
		return notImported(name, err)
	}
	return a.withNewService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) error {
		return a.send(ctx, admin, name, accounts, skip)
	})
}

// notImported adds to what is wrong with a file.
func notImported(name string, err error) error {
	if errors.Is(err, console.ErrInterrupted) {
		return err
	}
	return fmt.Errorf("%s: %w; nothing was imported", name, err)
}

// send sends accounts page by page. What was sent before a mistake
// stays.
func (a accounts) send(
	ctx context.Context, admin adminv1connect.AdminServiceClient, name string, accounts []importedAccount, skip bool,
) error {
	var imported, skipped int32
	for page := range slices.Chunk(accounts, importPage) {
		request := &adminv1.ImportAccountsRequest{SkipExisting: skip}
		for _, account := range page {
			request.Entries = append(request.Entries, account.entry)
		}
		counted, err := admin.ImportAccounts(ctx, request)
		if err != nil {
			return fmt.Errorf("%s: %w; %s", name, placeMistake(err, page), importedSoFar(imported))
		}
		imported += counted.GetImported()
		skipped += counted.GetSkipped()
		if len(accounts) > importPage {
			a.Tellf("imported %d of %s", imported+skipped, console.Count(len(accounts), "accounts"))
		}
	}
	if skip {
		a.Tellf("imported %s, %d were there already", console.Count(imported, "accounts"), skipped)
	} else {
		a.Tellf("imported %s", console.Count(imported, "accounts"))
	}
	return nil
}

func importedSoFar(imported int32) string {
	if imported == 0 {
		return "nothing was imported"
	}
	return fmt.Sprintf("imported before it: %s; go on with --skip-existing", console.Count(imported, "accounts"))
}

var entryNumber = regexp.MustCompile(`entries\[(\d+)\][.:]? ?`)

// placeMistake says in which line the entry stands that was refused.
func placeMistake(err error, page []importedAccount) error {
	coded, ok := errors.AsType[*connect.Error](err)
	if !ok {
		return err
	}
	text := coded.Message()
	found := entryNumber.FindStringSubmatchIndex(text)
	if found == nil {
		return errors.New(text)
	}
	number, err := strconv.Atoi(text[found[2]:found[3]])
	if err != nil || number >= len(page) {
		return errors.New(text)
	}
	return fmt.Errorf("line %d: %s", page[number].line, strings.TrimSpace(text[:found[0]]+text[found[1]:]))
}

// The columns of a table of accounts. The first two must be there.
const (
	columnAddress = iota
	columnToken
	columnRole
	columnLocale
)

// readAccounts reads a table with a header line and the columns address, token
// and, if it likes, role and locale, in any order. Its errors name the line.
func readAccounts(file io.Reader) ([]importedAccount, error) {
	var accounts []importedAccount
	addresses, tokens := map[string]int{}, map[string]int{}
	err := readTable(file, []string{"address", "token"}, []string{"role", "locale"}, func(row []string, columns []int, line int) error {
		entry, err := readAccount(row, columns)
		if err == nil {
			err = notTwice(addresses, "address", strings.ToLower(entry.GetAddress()), line)
		}
		if err == nil && entry.GetToken() != "" {
			err = notTwice(tokens, "token", entry.GetToken(), line)
		}
		accounts = append(accounts, importedAccount{entry, line})
		return err
	})
	if err != nil {
		return nil, err
	}
	return accounts, nil
}

func notTwice(lines map[string]int, what, value string, line int) error {
	if first, twice := lines[value]; twice {
		return fmt.Errorf("the %s stands in line %d already", what, first)
	}
	lines[value] = line
	return nil
}

func readAccount(row []string, columns []int) (*adminv1.ImportAccountsRequest_Entry, error) {
	entry := &adminv1.ImportAccountsRequest_Entry{
		Address: cellOf(row, columns[columnAddress]), Token: cellOf(row, columns[columnToken]), Locale: cellOf(row, columns[columnLocale]),
	}
	if entry.GetAddress() == "" {
		return nil, errors.New("the address is missing")
	}
	if entry.GetToken() != "" && !isAPIToken(entry.GetToken()) {
		return nil, errors.New("the token is not 40 characters 0-9 and a-f")
	}
	if role := cellOf(row, columns[columnRole]); role != "" {
		entry.Role = parseRole(role)
		if entry.GetRole() == hushv1.Role_ROLE_UNSPECIFIED {
			return nil, fmt.Errorf("the role %q is neither customer nor colonel", role)
		}
	}
	return entry, nil
}

// cellOf is empty for a column that the table does not have.
func cellOf(row []string, column int) string {
	if column < 0 {
		return ""
	}
	return strings.TrimSpace(row[column])
}

func isAPIToken(text string) bool {
	return len(text) == 40 && strings.Trim(text, "0123456789abcdef") == ""
}

// readTable reads a table with a header line and calls read for each line after
// it, with the columns that openTable found. Errors name the line.
func readTable(file io.Reader, needed, optional []string, read func(row []string, columns []int, line int) error) error {
	table, columns, err := openTable(file, needed, optional)
	if err != nil {
		return err
	}
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return describeCSV(err)
		}
		line, _ := table.FieldPos(0)
		if err := read(row, columns, line); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// openTable reads the header line of a table and finds the columns: those that
// must be there, then those that may.
func openTable(file io.Reader, needed, optional []string) (table *csv.Reader, columns []int, err error) {
	table = csv.NewReader(withoutMark(file))
	table.TrimLeadingSpace = true
	header, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil, errors.New("line 1: the header line is missing")
	}
	if err != nil {
		return nil, nil, describeCSV(err)
	}
	for i, want := range append(slices.Clone(needed), optional...) {
		at := slices.IndexFunc(header, func(title string) bool {
			return strings.EqualFold(strings.TrimSpace(title), want)
		})
		if at < 0 && i < len(needed) {
			return nil, nil, fmt.Errorf("line 1: the header has no column %q", want)
		}
		columns = append(columns, at)
	}
	return table, columns, nil
}

// withoutMark leaves out the byte order mark with which some spreadsheets begin a file:
// the quotes of the first title must stand at its beginning.
func withoutMark(file io.Reader) io.Reader {
	const mark = "\ufeff"
	from := bufio.NewReader(file)
	if start, _ := from.Peek(len(mark)); string(start) == mark { // an error comes again
		_, _ = from.Discard(len(mark))
	}
	return from
}

// describeCSV puts the parser's error in the form of the others.
func describeCSV(err error) error {
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d: %w", parse.Line, parse.Err)
	}
	return err
}
