package servertest

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
)

// Operator calls the commands of "hush admin" on one data folder.
type Operator struct {
	T    *testing.T
	Data string
}

// NewFolder makes an empty data folder.
func NewFolder(t testing.TB) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	return data
}

// Run calls a command. The flag stands behind the arguments here, before them
// elsewhere.
func (o Operator) Run(stdin string, args ...string) Result {
	o.T.Helper()
	return Call(o.T, nil, stdin, slices.Concat([]string{"admin"}, args, []string{"--data", o.Data}, StoreFlags(o.T, o.Data, args))...)
}

// Ok calls a command that has to succeed.
func (o Operator) Ok(stdin string, args ...string) Result {
	o.T.Helper()
	return o.Run(stdin, args...).Want(o.T, strings.Join(args, " "), command.ExitOK)
}

// OperatorPassword is that of accounts that an operator makes.
const OperatorPassword = "correct horse battery"

// Account makes an account with a password and returns a token of it.
func (o Operator) Account(address string) (token string) {
	o.T.Helper()
	o.Ok(OperatorPassword+"\n", "account", "create", address, "--password-file", "-")
	return strings.TrimSpace(o.Ok("", "token", "create", address).Stdout)
}

// Custid returns the address of the account that a token is of.
func Custid(t *testing.T, s *Server, token string) (string, error) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + token}}
	client := hushv1connect.NewSessionServiceClient(HTTPClient(t, false, header), s.URL)
	answer, err := client.Authcheck(t.Context(), &hushv1.AuthcheckRequest{})
	return answer.GetCustid(), err
}

// SignIn returns the error of signing in with a password.
func SignIn(t *testing.T, s *Server, address, password string) error {
	t.Helper()
	client := hushv1connect.NewSessionServiceClient(HTTPClient(t, false, nil), s.URL)
	_, err := client.CreateSession(t.Context(), &hushv1.CreateSessionRequest{Address: address, Password: password})
	return err
}

// Keys calls a command of "hush admin keys" on the data folder.
func (o Operator) Keys(args ...string) Result {
	o.T.Helper()
	return o.Run("", slices.Concat([]string{"keys"}, args)...)
}

// ListedKeys are the columns KEY and STATE of "hush admin keys list".
func (o Operator) ListedKeys() (listed [][2]string) {
	o.T.Helper()
	got := o.Keys("list").Want(o.T, "admin keys list", command.ExitOK)
	for line := range strings.Lines(got.Stdout) {
		if fields := strings.Fields(line); fields[0] != "KEY" {
			listed = append(listed, [2]string{fields[0], fields[1]})
		}
	}
	return listed
}
