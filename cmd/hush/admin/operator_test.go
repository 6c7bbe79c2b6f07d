package admin_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/durationpb"

	"hush/cli/command"
	"hush/cmd/hush/program"
	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// Whatever an operator does works on a stopped store and beside a running
// server alike.
func TestOperatorCommands(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "hashes passwords at the real price")
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		wantOperatorCommands(servertest.Operator{T: t, Data: servertest.NewFolder(t)}, "http://127.0.0.1:7143")
	})
	t.Run("running", func(t *testing.T) {
		t.Parallel()
		s := servertest.Start(t)
		wantOperatorCommands(servertest.Operator{T: t, Data: s.Data}, s.URL)
	})
}

// wantOperatorCommands gives each command. New accounts sign in at base.
func wantOperatorCommands(o servertest.Operator, base string) {
	t := o.T
	t.Helper()
	const boss, clerk = "boss@example.com", "clerk@example.com"
	got := o.Ok("correct horse battery\n", "account", "create", " Boss@Example.com", "--role", "colonel", "--password-file=-")
	got.Want(t, "admin account create", command.ExitOK, "created the administrator's account "+boss, "sign in at "+base+"/signin", "hush admin token create "+boss)
	if got.Stdout != "" {
		t.Errorf("hush admin account create: got %q on standard output, want what is for people on the other", got.Stdout)
	}
	o.Ok("", "account", "create", "--locale", "pt_BR", clerk, "--base-url=https://hush.example").
		Want(t, "admin account create", command.ExitOK, "created the account "+clerk, "hush admin account reset-password --password-file FILE "+clerk)
	o.Run("", "account", "create", clerk).Want(t, "admin account create", command.ExitFailure, "there is an account "+clerk+" already")
	o.Run("short\n", "account", "create", "x@example.com", "--password-file=-").Want(t, "admin account create", command.ExitFailure, "password")
	o.Run("", "account", "create", "nobody").Want(t, "admin account create", command.ExitFailure, "hush: address is not an e-mail address")

	lines := strings.Split(o.Ok("", "account", "list").Stdout, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "ADDRESS") ||
		!regexp.MustCompile(`^clerk@example\.com +customer +active +20\d\d-`).MatchString(lines[1]) ||
		!regexp.MustCompile(`^boss@example\.com +colonel +active +20\d\d-`).MatchString(lines[2]) {
		t.Errorf("hush admin account list: got %q, want both accounts, the newest first", lines)
	}
	wantTokens(o, clerk)
	o.Ok("", "account", "role", clerk, "colonel").Want(t, "admin account role", command.ExitOK, clerk+" is a colonel now")
	o.Ok("", "account", "disable", clerk)
	wantShown(o, clerk, `role +colonel`, `state +disabled`, `language +pt_BR`, `address +clerk@`)
	o.Ok("", "account", "disable", "--enable", clerk)
	wantShown(o, clerk, `state +active`)
	o.Ok("another horse battery", "account", "reset-password", clerk, "--password-file", "-").
		Want(t, "admin account reset-password", command.ExitOK, "set the password of "+clerk)
	o.Run("", "account", "destroy", clerk).Want(t, "admin account destroy", command.ExitUsage, "add --yes to confirm")
	o.Ok("", "account", "destroy", clerk, "--yes").Want(t, "admin account destroy", command.ExitOK, "destroyed the account "+clerk)
	for _, args := range []string{
		"account show " + clerk, "account role " + clerk + " customer", "account disable " + clerk, "account destroy --yes " + clerk,
		"token create " + clerk, "token list " + clerk, "domain list " + clerk,
	} {
		o.Run("", strings.Fields(args)...).Want(t, args, command.ExitFailure, "hush: there is no account "+clerk+"\n")
	}
	o.Run("", "domain", "verify", "example.com", "--account", boss).Want(t, "admin domain verify", command.ExitFailure)
	o.Run("", "burn", strings.Repeat("a", 31)).Want(t, "admin burn", command.ExitFailure, "no secret waits behind this link")
}

func wantShown(o servertest.Operator, account string, patterns ...string) {
	o.T.Helper()
	shown := o.Ok("", "account", "show", account).Stdout
	for _, pattern := range patterns {
		if !regexp.MustCompile(`(?m)^` + pattern).MatchString(shown) {
			o.T.Errorf("hush admin account show: got %s, want %s in it", shown, pattern)
		}
	}
}

func wantTokens(o servertest.Operator, account string) {
	t := o.T
	t.Helper()
	shape := regexp.MustCompile(`^[0-9a-f]{40}\n$`)
	first, second := o.Ok("", "token", "create", account), o.Ok("", "token", "create", account)
	named := o.Ok("", "token", "create", account, "--name", "ci", "--scope", "conceal,reveal", "--ttl", "90d")
	for _, made := range []servertest.Result{first, second, named} {
		if !shape.MatchString(made.Stdout) {
			t.Errorf("hush admin token create: got %q, want 40 characters and a newline alone", made.Stdout)
		}
	}
	if first.Stdout == second.Stdout || strings.Contains(first.Stderr, `"default"`) {
		t.Errorf("hush admin token create: got the same token twice or the name default, want fresh ones: %s", first.Stderr)
	}
	o.Run("", "token", "create", account, "--name", "ci").Want(t, "admin token create", command.ExitFailure, `the account has an API token "ci" already`)
	list := o.Ok("", "token", "list", account).Stdout
	if strings.Count(list, "\n") != 4 || !regexp.MustCompile(`(?m)^[0-9a-f]{16} +ci +conceal,reveal +20\d\d-`).MatchString(list) ||
		strings.Contains(list, strings.TrimSpace(named.Stdout)) {
		t.Errorf("hush admin token list: got %s, want the three tokens but not what they are", list)
	}
	o.Ok("", "token", "revoke", account, "ci").Want(t, "admin token revoke", command.ExitOK, `revoked the API token "ci"`)
	o.Run("", "token", "revoke", account, "ci").Want(t, "admin token revoke", command.ExitFailure, "there is no account "+account+` with an API token "ci"`)
	id := regexp.MustCompile(`(?m)^[0-9a-f]{16}`).FindString(o.Ok("", "token", "list", account).Stdout)
	o.Ok("", "token", "revoke", account, id)
	if list := o.Ok("", "token", "list", account).Stdout; strings.Count(list, "\n") != 2 {
		t.Errorf("hush admin token list: got %s, want one token left", list)
	}
}

// A folder that is mistyped is not made: no service would serve what is in it.
func TestCommandsMakeNoFolder(t *testing.T) {
	t.Parallel()
	o := servertest.Operator{T: t, Data: filepath.Join(t.TempDir(), "daat")}
	for _, args := range [][]string{{"account", "create", "a@example.com"}, {"account", "import", "-"}, {"place", "import", "-"}} {
		o.Run("address,token,role,locale,name,latitude,altitude\n", args...).Want(t, strings.Join(args, " "), command.ExitFailure, "there is no data folder "+o.Data, "start it first")
	}
	if _, err := os.Lstat(o.Data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the data folder: got %v, want it still missing", err)
	}
}

// A script makes its account and token while nothing runs, and uses them as
// soon as the service does.
func TestAccountIsReady(t *testing.T) {
	t.Parallel()
	servertest.NeedStart(t)
	o := servertest.Operator{T: t, Data: servertest.NewFolder(t)}
	before := o.Account("before@example.com")
	s := servertest.StartOn(t, o.Data)
	after := o.Account("after@example.com")
	for token, want := range map[string]string{before: "before@example.com", after: "after@example.com"} {
		if got, err := servertest.Custid(t, s, token); got != want || err != nil {
			t.Errorf("Authcheck: got %q %v, want %q", got, err, want)
		}
		if err := servertest.SignIn(t, s, want, "correct horse battery"); err != nil {
			t.Errorf("CreateSession(%s): got %v, want nil", want, err)
		}
	}
	o.Ok("", "account", "disable", "after@example.com")
	if _, err := servertest.Custid(t, s, after); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("Authcheck of a locked account: got %v, want %v", err, connect.CodeUnauthenticated)
	}
	o.Ok("correct horse staple\n", "account", "reset-password", "before@example.com", "--password-file=-")
	if err := servertest.SignIn(t, s, "before@example.com", "correct horse battery"); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("CreateSession with the password of before: got %v, want %v", err, connect.CodePermissionDenied)
	}
}

// A link is reported. The operator burns it without opening it, while the
// service runs and while it does not.
func TestBurnReported(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	o := servertest.Operator{T: t, Data: s.Data}
	d := servertest.Drivers(t, s, nil)[0]
	running, stopped, broken := apitest.MustConceal(t, d, apitest.Terms{Secret: "a"}), apitest.MustConceal(t, d, apitest.Terms{Secret: "b"}), apitest.MustConceal(t, d, apitest.Terms{Secret: "c"})
	got := o.Ok("", "burn", s.URL+"/secret/"+running.SecretKey).Want(t, "admin burn", command.ExitOK, "burned the secret "+running.SecretKey[:6])
	if strings.Contains(got.Stderr+got.Stdout, running.SecretKey) {
		t.Errorf("hush admin burn: got %s, want no key in it", got.Stderr)
	}
	o.Run("", "burn", running.SecretKey).Want(t, "admin burn", command.ExitFailure, "no secret waits behind this link")
	s.Stop(t)
	whole := s.URL + "/e#" + stopped.SecretKey + strings.Repeat("k", 43)
	two := whole + " " + s.URL + "/e#" + broken.SecretKey + strings.Repeat("k", 43)
	o.Run("", "burn", two).Want(t, "admin burn of two", command.ExitUsage, "there is other text behind the link; nothing was burned")
	o.Run(whole+"\n"+whole+"\n", "burn", "-").Want(t, "admin burn of two lines", command.ExitFailure, "there is more than one line")
	o.Ok(whole+"\n", "burn", "-")
	// A mail has broken the link.
	o.Ok("", "burn", s.URL+"/e#"+broken.SecretKey+"kkk\n> "+strings.Repeat("k", 40))
	again := servertest.StartOn(t, s.Data)
	for _, secret := range []apitest.Answer{running, stopped, broken} {
		if got := servertest.Drivers(t, again, nil)[0].Reveal(t.Context(), secret.SecretKey, ""); got.Outcome != apitest.OutcomeUnknown {
			t.Errorf("reveal of a burned secret: got %v, want %v", got.Outcome, apitest.OutcomeUnknown)
		}
	}
}

// A link of a request is reported. The same command closes it, also when the service does
// not run.
func TestBurnReportedRequest(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--requests=anyone")
	o := servertest.Operator{T: t, Data: s.Data}
	requests := hushv1connect.NewRequestServiceClient(servertest.HTTPClient(t, false, nil), s.URL)
	hash := sha256.Sum256(make([]byte, 32))
	ask := func() string {
		created, err := requests.CreateRequest(t.Context(), &hushv1.CreateRequestRequest{
			Card: make([]byte, 400), LinkBox: make([]byte, 104), LinkProofHash: hash[:], CollectProofHash: hash[:],
			Ttl: durationpb.New(time.Hour), Answers: 1,
		})
		if err != nil {
			t.Fatalf("CreateRequest: got %v, want nil", err)
		}
		return created.GetRequestKey()
	}
	running, stopped := ask(), ask()
	wantState := func(s *servertest.Server, key string, want hushv1.Request_State) {
		t.Helper()
		requests := hushv1connect.NewRequestServiceClient(servertest.HTTPClient(t, false, nil), s.URL)
		got, err := requests.GetRequest(t.Context(), &hushv1.GetRequestRequest{RequestKey: key, LinkProof: make([]byte, 32)})
		if err != nil || got.GetRequest().GetState() != want {
			t.Errorf("GetRequest: got %v, %v, want %v", got.GetRequest().GetState(), err, want)
		}
	}
	wantState(s, running, hushv1.Request_STATE_OPEN)
	got := o.Ok("", "burn", s.URL+"/q#"+running+strings.Repeat("k", 43)).Want(t, "admin burn", command.ExitOK, "closed the request; answers burned: 0")
	if strings.Contains(got.Stderr+got.Stdout, running) {
		t.Errorf("hush admin burn: got %s, want no key in it", got.Stderr)
	}
	wantState(s, running, hushv1.Request_STATE_WITHDRAWN)
	s.Stop(t)
	o.Ok(s.URL+"/q#"+stopped+strings.Repeat("k", 43)+"\n", "burn", "-")
	wantState(servertest.StartOn(t, s.Data), stopped, hushv1.Request_STATE_WITHDRAWN)
}

func TestDomainCommands(t *testing.T) {
	t.Parallel()
	dns := resolvertest.New(t)
	s := servertest.Start(t, "--resolver", dns.Addr)
	o := servertest.Operator{T: t, Data: s.Data}
	token := o.Account("owner@example.com")
	client := hushv1connect.NewDomainServiceClient(servertest.HTTPClient(t, false, http.Header{"Authorization": {"Bearer " + token}}), s.URL)
	added, err := client.AddDomain(t.Context(), &hushv1.AddDomainRequest{Domain: "secrets.hush-test.org"})
	if err != nil {
		t.Fatalf("AddDomain: got %v, want nil", err)
	}
	domain := added.GetDomain()
	verify := []string{"domain", "verify", "secrets.hush-test.org", "--account", "owner@example.com"}
	got := o.Run("", verify...).Want(t, "admin domain verify", command.ExitFailure, "secrets.hush-test.org is pending, not verified")
	if !strings.Contains(got.Stdout, domain.GetTxtValidationValue()) || !regexp.MustCompile(`(?m)^txt +no `).MatchString(got.Stdout) {
		t.Errorf("hush admin domain verify: got %s, want what was expected and that it was not found", got.Stdout)
	}
	dns.SetTXT(domain.GetTxtValidationHost()+"."+domain.GetBaseDomain(), "something else", domain.GetTxtValidationValue())
	s.Stop(t) // on the stopped store, which also ends the time in which DNS is not asked again
	got = o.Ok("", append(verify, "--resolver", dns.Addr)...).Want(t, "admin domain verify", command.ExitOK, "secrets.hush-test.org is verified")
	if !regexp.MustCompile(`(?m)^txt +yes `).MatchString(got.Stdout) || !regexp.MustCompile(`(?m)^address +no `).MatchString(got.Stdout) {
		t.Errorf("hush admin domain verify: got %s, want each check", got.Stdout)
	}
	list := o.Ok("", "domain", "list", "owner@example.com").Stdout
	if !regexp.MustCompile(`(?m)^secrets\.hush-test\.org +verified +owner@example\.com +no +20\d\d-`).MatchString(list) {
		t.Errorf("hush admin domain list ADDRESS: got %s, want the domain", list)
	}
	if all := o.Ok("", "domain", "list").Stdout; all != list {
		t.Errorf("hush admin domain list: got %s, want %s", all, list)
	}
	o.Ok("", "domain", "verify", "secrets.hush-test.org", "--resolver", dns.Addr)
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
		"token create a@b.example --scope all":    `"all" is none of conceal, reveal, metadata, account and request`,
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
		servertest.Call(t, []string{"HUSH_DATA=" + data}, "", append([]string{"admin"}, strings.Fields(args)...)...).
			Want(t, "admin "+args, command.ExitUsage, want, "\nTry: hush admin")
		if _, err := os.Stat(data); err == nil {
			t.Errorf("hush admin %s: got a data folder, want nothing done", args)
		}
	}
}

// The variables of commands that change things would be traps.
func TestOwnFlagsHaveNoVariables(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"HUSH_YES=1", "HUSH_NAME=x", "HUSH_PASSWORD_FILE=x", "HUSH_ROLE=colonel"} {
		servertest.Call(t, []string{name}, "", "list").Want(t, "list", command.ExitUsage, "unknown variable")
	}
}

func TestCommandEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	said := &strings.Builder{}
	code := program.Run(ctx, []string{"admin", "account", "create", "a@example.com", "--data", servertest.NewFolder(t)}, nil, strings.NewReader(""), io.Discard, said)
	if code != command.ExitFailure || strings.Contains(said.String(), "no data folder") {
		t.Errorf("hush admin account create after SIGTERM: got exit code %d and %s, want %d", code, said, command.ExitFailure)
	}
}
