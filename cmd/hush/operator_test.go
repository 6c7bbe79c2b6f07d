package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"hush/cli/command"
	"hush/cmd/hush/program"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/testtier"
)

// operator calls the commands of "hush admin" on one data folder.
type operator struct {
	t    *testing.T
	data string
}

// newFolder makes an empty data folder.
func newFolder(t testing.TB) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	return data
}

// run calls a command. The flag stands behind the arguments here, before them
// elsewhere.
func (o operator) run(stdin string, args ...string) result {
	o.t.Helper()
	return call(o.t, nil, stdin, slices.Concat([]string{"admin"}, args, []string{"--data", o.data}, storeFlags(o.t, o.data, args))...)
}

// ok calls a command that has to succeed.
func (o operator) ok(stdin string, args ...string) result {
	o.t.Helper()
	return o.run(stdin, args...).want(o.t, strings.Join(args, " "), command.ExitOK)
}

// operatorPassword is that of accounts that an operator makes.
const operatorPassword = "correct horse battery"

// account makes an account with a password and returns a token of it.
func (o operator) account(address string) (token string) {
	o.t.Helper()
	o.ok(operatorPassword+"\n", "account", "create", address, "--password-file", "-")
	return strings.TrimSpace(o.ok("", "token", "create", address).stdout)
}

// custid returns the address of the account that a token is of.
func custid(t *testing.T, s *testServer, token string) (string, error) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + token}}
	client := hushv1connect.NewSessionServiceClient(newHTTPClient(t, false, header), s.url)
	answer, err := client.Authcheck(t.Context(), &hushv1.AuthcheckRequest{})
	return answer.GetCustid(), err
}

// signIn returns the error of signing in with a password.
func signIn(t *testing.T, s *testServer, address, password string) error {
	t.Helper()
	client := hushv1connect.NewSessionServiceClient(newHTTPClient(t, false, nil), s.url)
	_, err := client.CreateSession(t.Context(), &hushv1.CreateSessionRequest{Address: address, Password: password})
	return err
}

// Whatever an operator does works on a stopped store and beside a running
// server alike.
func TestOperatorCommands(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "hashes passwords at the real price")
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		wantOperatorCommands(operator{t, newFolder(t)}, "http://127.0.0.1:7143")
	})
	t.Run("running", func(t *testing.T) {
		t.Parallel()
		s := startHush(t)
		wantOperatorCommands(operator{t, s.data}, s.url)
	})
}

// wantOperatorCommands gives each command. New accounts sign in at base.
func wantOperatorCommands(o operator, base string) {
	t := o.t
	t.Helper()
	const boss, clerk = "boss@example.com", "clerk@example.com"
	got := o.ok("correct horse battery\n", "account", "create", " Boss@Example.com", "--role", "colonel", "--password-file=-")
	got.want(t, "admin account create", command.ExitOK, "created the administrator's account "+boss, "sign in at "+base+"/signin", "hush admin token create "+boss)
	if got.stdout != "" {
		t.Errorf("hush admin account create: got %q on standard output, want what is for people on the other", got.stdout)
	}
	o.ok("", "account", "create", "--locale", "pt_BR", clerk, "--base-url=https://hush.example").
		want(t, "admin account create", command.ExitOK, "created the account "+clerk, "hush admin account reset-password --password-file FILE "+clerk)
	o.run("", "account", "create", clerk).want(t, "admin account create", command.ExitFailure, "there is an account "+clerk+" already")
	o.run("short\n", "account", "create", "x@example.com", "--password-file=-").want(t, "admin account create", command.ExitFailure, "password")
	o.run("", "account", "create", "nobody").want(t, "admin account create", command.ExitFailure, "hush: address is not an e-mail address")

	lines := strings.Split(o.ok("", "account", "list").stdout, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "ADDRESS") ||
		!regexp.MustCompile(`^clerk@example\.com +customer +active +20\d\d-`).MatchString(lines[1]) ||
		!regexp.MustCompile(`^boss@example\.com +colonel +active +20\d\d-`).MatchString(lines[2]) {
		t.Errorf("hush admin account list: got %q, want both accounts, the newest first", lines)
	}
	wantTokens(o, clerk)
	o.ok("", "account", "role", clerk, "colonel").want(t, "admin account role", command.ExitOK, clerk+" is a colonel now")
	o.ok("", "account", "disable", clerk)
	wantShown(o, clerk, `role +colonel`, `state +disabled`, `language +pt_BR`, `address +clerk@`)
	o.ok("", "account", "disable", "--enable", clerk)
	wantShown(o, clerk, `state +active`)
	o.ok("another horse battery", "account", "reset-password", clerk, "--password-file", "-").
		want(t, "admin account reset-password", command.ExitOK, "set the password of "+clerk)
	o.run("", "account", "destroy", clerk).want(t, "admin account destroy", command.ExitUsage, "add --yes to confirm")
	o.ok("", "account", "destroy", clerk, "--yes").want(t, "admin account destroy", command.ExitOK, "destroyed the account "+clerk)
	for _, args := range []string{
		"account show " + clerk, "account role " + clerk + " customer", "account disable " + clerk, "account destroy --yes " + clerk,
		"token create " + clerk, "token list " + clerk, "domain list " + clerk,
	} {
		o.run("", strings.Fields(args)...).want(t, args, command.ExitFailure, "hush: there is no account "+clerk+"\n")
	}
	o.run("", "domain", "verify", "example.com", "--account", boss).want(t, "admin domain verify", command.ExitFailure)
	o.run("", "burn", strings.Repeat("a", 31)).want(t, "admin burn", command.ExitFailure, "no secret waits behind this link")
}

func wantShown(o operator, account string, patterns ...string) {
	o.t.Helper()
	shown := o.ok("", "account", "show", account).stdout
	for _, pattern := range patterns {
		if !regexp.MustCompile(`(?m)^` + pattern).MatchString(shown) {
			o.t.Errorf("hush admin account show: got %s, want %s in it", shown, pattern)
		}
	}
}

func wantTokens(o operator, account string) {
	t := o.t
	t.Helper()
	shape := regexp.MustCompile(`^[0-9a-f]{40}\n$`)
	first, second := o.ok("", "token", "create", account), o.ok("", "token", "create", account)
	named := o.ok("", "token", "create", account, "--name", "ci", "--scope", "conceal,reveal", "--ttl", "90d")
	for _, made := range []result{first, second, named} {
		if !shape.MatchString(made.stdout) {
			t.Errorf("hush admin token create: got %q, want 40 characters and a newline alone", made.stdout)
		}
	}
	if first.stdout == second.stdout || strings.Contains(first.stderr, `"default"`) {
		t.Errorf("hush admin token create: got the same token twice or the name default, want fresh ones: %s", first.stderr)
	}
	o.run("", "token", "create", account, "--name", "ci").want(t, "admin token create", command.ExitFailure, `the account has an API token "ci" already`)
	list := o.ok("", "token", "list", account).stdout
	if strings.Count(list, "\n") != 4 || !regexp.MustCompile(`(?m)^[0-9a-f]{16} +ci +conceal,reveal +20\d\d-`).MatchString(list) ||
		strings.Contains(list, strings.TrimSpace(named.stdout)) {
		t.Errorf("hush admin token list: got %s, want the three tokens but not what they are", list)
	}
	o.ok("", "token", "revoke", account, "ci").want(t, "admin token revoke", command.ExitOK, `revoked the API token "ci"`)
	o.run("", "token", "revoke", account, "ci").want(t, "admin token revoke", command.ExitFailure, "there is no account "+account+` with an API token "ci"`)
	id := regexp.MustCompile(`(?m)^[0-9a-f]{16}`).FindString(o.ok("", "token", "list", account).stdout)
	o.ok("", "token", "revoke", account, id)
	if list := o.ok("", "token", "list", account).stdout; strings.Count(list, "\n") != 2 {
		t.Errorf("hush admin token list: got %s, want one token left", list)
	}
}

// A folder that is mistyped is not made: no service would serve what is in it.
func TestCommandsMakeNoFolder(t *testing.T) {
	t.Parallel()
	o := operator{t, filepath.Join(t.TempDir(), "daat")}
	for _, args := range [][]string{{"account", "create", "a@example.com"}, {"account", "import", "-"}, {"place", "import", "-"}} {
		o.run("address,token,role,locale,name,latitude,altitude\n", args...).want(t, strings.Join(args, " "), command.ExitFailure, "there is no data folder "+o.data, "start it first")
	}
	if _, err := os.Lstat(o.data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the data folder: got %v, want it still missing", err)
	}
}

// A script makes its account and token while nothing runs, and uses them as
// soon as the service does.
func TestAccountIsReady(t *testing.T) {
	t.Parallel()
	starts(t)
	o := operator{t, newFolder(t)}
	before := o.account("before@example.com")
	s := startHushOn(t, o.data)
	after := o.account("after@example.com")
	for token, want := range map[string]string{before: "before@example.com", after: "after@example.com"} {
		if got, err := custid(t, s, token); got != want || err != nil {
			t.Errorf("Authcheck: got %q %v, want %q", got, err, want)
		}
		if err := signIn(t, s, want, "correct horse battery"); err != nil {
			t.Errorf("CreateSession(%s): got %v, want nil", want, err)
		}
	}
	o.ok("", "account", "disable", "after@example.com")
	if _, err := custid(t, s, after); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("Authcheck of a locked account: got %v, want %v", err, connect.CodeUnauthenticated)
	}
	o.ok("correct horse staple\n", "account", "reset-password", "before@example.com", "--password-file=-")
	if err := signIn(t, s, "before@example.com", "correct horse battery"); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("CreateSession with the password of before: got %v, want %v", err, connect.CodePermissionDenied)
	}
}

// A link is reported. The operator burns it without opening it, while the
// service runs and while it does not.
func TestBurnReported(t *testing.T) {
	t.Parallel()
	s := startHush(t)
	o := operator{t, s.data}
	d := newDrivers(t, s, nil)[0]
	running, stopped, broken := apitest.MustConceal(t, d, apitest.Wish{Secret: "a"}), apitest.MustConceal(t, d, apitest.Wish{Secret: "b"}), apitest.MustConceal(t, d, apitest.Wish{Secret: "c"})
	got := o.ok("", "burn", s.url+"/secret/"+running.SecretKey).want(t, "admin burn", command.ExitOK, "burned the secret "+running.SecretKey[:6])
	if strings.Contains(got.stderr+got.stdout, running.SecretKey) {
		t.Errorf("hush admin burn: got %s, want no key in it", got.stderr)
	}
	o.run("", "burn", running.SecretKey).want(t, "admin burn", command.ExitFailure, "no secret waits behind this link")
	s.stop(t)
	whole := s.url + "/e#" + stopped.SecretKey + strings.Repeat("k", 43)
	two := whole + " " + s.url + "/e#" + broken.SecretKey + strings.Repeat("k", 43)
	o.run("", "burn", two).want(t, "admin burn of two", command.ExitUsage, "there is other text behind the link; nothing was burned")
	o.run(whole+"\n"+whole+"\n", "burn", "-").want(t, "admin burn of two lines", command.ExitFailure, "there is more than one line")
	o.ok(whole+"\n", "burn", "-")
	// A mail has broken the link.
	o.ok("", "burn", s.url+"/e#"+broken.SecretKey+"kkk\n> "+strings.Repeat("k", 40))
	again := startHushOn(t, s.data)
	for _, secret := range []apitest.Answer{running, stopped, broken} {
		if got := newDrivers(t, again, nil)[0].Reveal(t.Context(), secret.SecretKey, ""); got.Outcome != apitest.OutcomeUnknown {
			t.Errorf("reveal of a burned secret: got %v, want %v", got.Outcome, apitest.OutcomeUnknown)
		}
	}
}

func TestDomainCommands(t *testing.T) {
	t.Parallel()
	dns := resolvertest.New(t)
	s := startHush(t, "--resolver", dns.Addr)
	o := operator{t, s.data}
	token := o.account("owner@example.com")
	client := hushv1connect.NewDomainServiceClient(newHTTPClient(t, false, http.Header{"Authorization": {"Bearer " + token}}), s.url)
	added, err := client.AddDomain(t.Context(), &hushv1.AddDomainRequest{Domain: "secrets.hush-test.org"})
	if err != nil {
		t.Fatalf("AddDomain: got %v, want nil", err)
	}
	domain := added.GetDomain()
	verify := []string{"domain", "verify", "secrets.hush-test.org", "--account", "owner@example.com"}
	got := o.run("", verify...).want(t, "admin domain verify", command.ExitFailure, "secrets.hush-test.org is pending, not verified")
	if !strings.Contains(got.stdout, domain.GetTxtValidationValue()) || !regexp.MustCompile(`(?m)^txt +no `).MatchString(got.stdout) {
		t.Errorf("hush admin domain verify: got %s, want what was expected and that it was not found", got.stdout)
	}
	dns.SetTXT(domain.GetTxtValidationHost()+"."+domain.GetBaseDomain(), "something else", domain.GetTxtValidationValue())
	s.stop(t) // on the stopped store, which also ends the time in which DNS is not asked again
	got = o.ok("", append(verify, "--resolver", dns.Addr)...).want(t, "admin domain verify", command.ExitOK, "secrets.hush-test.org is verified")
	if !regexp.MustCompile(`(?m)^txt +yes `).MatchString(got.stdout) || !regexp.MustCompile(`(?m)^address +no `).MatchString(got.stdout) {
		t.Errorf("hush admin domain verify: got %s, want each check", got.stdout)
	}
	list := o.ok("", "domain", "list", "owner@example.com").stdout
	if !regexp.MustCompile(`(?m)^secrets\.hush-test\.org +verified +owner@example\.com +no +20\d\d-`).MatchString(list) {
		t.Errorf("hush admin domain list ADDRESS: got %s, want the domain", list)
	}
	if all := o.ok("", "domain", "list").stdout; all != list {
		t.Errorf("hush admin domain list: got %s, want %s", all, list)
	}
	o.ok("", "domain", "verify", "secrets.hush-test.org", "--resolver", dns.Addr)
}

// A script's mistakes are told apart from what went wrong, and nothing changes.
func TestOperatorUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                       "hush admin: a command is missing",
		"acount list":                            `hush admin: unknown command "acount"; did you mean "account"?`,
		"account":                                "hush admin account: a command is missing",
		"account make":                           `hush admin account: unknown command "make"`,
		"account crate --nonsense":               `hush admin account: unknown command "crate"; did you mean "create"?`,
		"account create":                         "hush admin account create: ADDRESS is missing",
		"account create a@b.example c":           `unexpected argument "c"`,
		"account create a@b.example --role king": `invalid argument "king" for "--role" flag: must be one of customer, colonel`,
		"account create a@b.example --password x": "unknown flag: --password",
		"account list all":                        `hush admin account list: unexpected argument "all"`,
		"account role":                            "ADDRESS is missing",
		"account role a@b.example":                "customer or colonel is missing",
		"account role a@b.example king":           "hush admin account role: the role must be customer or colonel",
		"account reset-password a@b.example":      "give --password-file FILE",
		"account destroy a@b.example":             "this would destroy the account a@b.example for good",
		"account destroy --yes":                   "ADDRESS is missing",
		"account import":                          "FILE.csv or - is missing",
		"token":                                   "hush admin token: a command is missing",
		"token create":                            "ADDRESS is missing",
		"token create a@b.example --scope all":    `"all" is none of conceal, reveal, metadata and account`,
		"token create a@b.example --ttl 1s":       `for "--ttl" flag: must be 1m to 365d`,
		"token create a@b.example --name":         "flag needs an argument: --name",
		"token revoke a@b.example":                "ID or NAME is missing",
		"domain verify":                           "NAME is missing",
		"domain list a b":                         `unexpected argument "b"`,
		"burn":                                    "hush admin burn: LINK or - is missing",
		"place":                                   "hush admin place: a command is missing",
		"place add":                               `hush admin place: unknown command "add"`,
		"place import":                            "FILE.csv or - is missing",
		"place import a b":                        `unexpected argument "b"`,
		"place remove":                            "NAME is missing",
		"place list x":                            `unexpected argument "x"`,
	} {
		data := filepath.Join(t.TempDir(), "data")
		call(t, []string{"HUSH_DATA=" + data}, "", append([]string{"admin"}, strings.Fields(args)...)...).
			want(t, "admin "+args, command.ExitUsage, want, "\nTry: hush admin")
		if _, err := os.Stat(data); err == nil {
			t.Errorf("hush admin %s: got a data folder, want nothing done", args)
		}
	}
}

// The variables of commands that change things would be traps.
func TestOwnFlagsHaveNoVariables(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"HUSH_YES=1", "HUSH_NAME=x", "HUSH_PASSWORD_FILE=x", "HUSH_ROLE=colonel"} {
		call(t, []string{name}, "", "list").want(t, "list", command.ExitUsage, "unknown variable")
	}
}

func TestCommandEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	said := &strings.Builder{}
	code := program.Run(ctx, []string{"admin", "account", "create", "a@example.com", "--data", newFolder(t)}, nil, strings.NewReader(""), io.Discard, said)
	if code != command.ExitFailure || strings.Contains(said.String(), "no data folder") {
		t.Errorf("hush admin account create after SIGTERM: got exit code %d and %s, want %d", code, said, command.ExitFailure)
	}
}
