package apitest_test

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/handlers"
	"hush/handlers/chain"
	"hush/resolver"
	"hush/resolver/resolvertest"
	"hush/routes"
	"hush/routes/apitest"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/secret"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// Each file of testdata/exchanges is a conversation with a server of its own:
//
//	# what the next exchange shows
//	>>> POST /api/v1/share
//	Content-Type: application/json
//
//	{"secret":"hello"}
//	<<< 200
//	Content-Type: application/json; charset=utf-8
//
//	{
//	  "secret_key": "<secret>"
//	}
//
// Requests go out as they stand, with Host added, and Content-Length if there
// is a body. What differs from run to run is written as <secret>, <metadata>
// and so on; requests may use what earlier answers brought. A first line
// "#! expired PASSPHRASE" starts with a secret whose time is over, "#! account
// ADDRESS ROLE" with an account of <basic> that the operator made, and
// "#! accounts" with the accounts of the test environment: <ada-token>, <bob-cookie> and the
// like are known. "#! accounts services" adds a server for mail and one for
// DNS, where the proof of Ada's domain stands. Run the test with -update to
// record answers anew, and read what changed.
func TestExchanges(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/exchanges/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("Glob: got %q %v, want exchanges", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(content))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(content), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// Every route is met by an exchange. RPCs are met by the commands of docs/api.md.
func TestExchangesMeetEveryRoute(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/exchanges/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsWithoutMounts(t)
	met := map[routes.Row]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range apitest.ParseExchanges(string(content)) {
			if row, found := rowOf(rows, part.Request); found {
				met[row] = true
			}
		}
	}
	for _, row := range rows {
		if !met[row] {
			t.Errorf("%s %s: got no exchange, want every route recorded", row.Method, row.Path)
		}
	}
}

// rowOf finds the row that a request meets. Of several it is the one with the
// most of its path spelled out.
func rowOf(rows []routes.Row, request string) (met routes.Row, found bool) {
	line, _, _ := strings.Cut(request, "\n")
	method, target, _ := strings.Cut(line, " ")
	path, _, _ := strings.Cut(target, "?")
	most := -1
	for _, row := range rows {
		if spelled, fits := fitting(row.Path, path); fits && row.Method == method && spelled > most {
			met, found, most = row, true, spelled
		}
	}
	return met, found
}

// fitting reports whether a path matches a template, and how many parts of it
// the template spells out.
func fitting(template, path string) (spelled int, fits bool) {
	parts, want := strings.Split(path, "/"), strings.Split(template, "/")
	if len(parts) != len(want) {
		return 0, false
	}
	for i, part := range want {
		before, _, parameter := strings.Cut(part, "{")
		switch {
		case parameter && strings.HasPrefix(parts[i], before) && parts[i] != before:
			spelled += min(1, len(before))
		case part == parts[i]:
			spelled++
		default:
			return 0, false
		}
	}
	return spelled, true
}

// replay sends the requests of a file and returns the file with the answers
// that came.
func replay(t *testing.T, content string) string {
	t.Helper()
	s, known := startRecorded(t, content)
	var out strings.Builder
	for _, part := range apitest.ParseExchanges(content) {
		out.WriteString(part.Comment)
		if part.Request == "" {
			continue
		}
		s.Kit.Clock.Advance(time.Millisecond) // lists are in the order of time
		fmt.Fprintf(&out, ">>> %s\n<<< %s\n\n", part.Request, part.Exchange(t, s, known))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// recordedVersion is the release that the recorded answers name.
const recordedVersion = "0.2.0"

// startRecorded starts the server that a file's first line asks for.
func startRecorded(t *testing.T, content string) (*apitest.Server, *apitest.Names) {
	t.Helper()
	known := apitest.NewNames(t)
	first, _, _ := strings.Cut(content, "\n")
	opts := apitest.Options{Handlers: handlers.Options{Settings: chain.Settings{RateLimits: true}, Version: recordedVersion}}
	var s *apitest.Server
	switch words := strings.Fields(first); {
	case strings.HasPrefix(first, "#! expired"):
		s = apitest.Start(t, opts)
		minute := time.Minute
		kept := s.Kit.MustConceal(t, caller.Caller{}, "too late", secret.Terms{
			TTL: &minute, Passphrase: caller.Text(strings.TrimSpace(strings.TrimPrefix(first, "#! expired"))),
		})
		known.Learn("secret", kept.Secret.Key.Expose())
		known.Learn("metadata", kept.Metadata.Key.Expose())
		s.Kit.Clock.Advance(61 * time.Second)
	case len(words) > 3 && words[1] == "account":
		s = apitest.Start(t, opts)
		token := operatorsAccount(t, s.Kit, words[2], words[3])
		known.Learn("basic", base64.StdEncoding.EncodeToString([]byte(words[2]+":"+token)))
	case len(words) > 1 && words[1] == "accounts":
		services := len(words) > 2
		dns := resolvertest.New(t)
		if services {
			opts.Vault = servicesAt(t, dns)
		}
		var env *apitest.Accounts
		env, s = apitest.StartAccounts(t, opts)
		if services {
			d := env.Ada.Domain
			dns.SetTXT(d.TXTHost+"."+d.Base, d.TXTValue)
		}
		known.LearnAccounts(env)
	default:
		s = apitest.Start(t, opts)
	}
	known.Learn("base", s.URL)
	return s, known
}

// servicesAt are the options of a vault that asks a server of DNS, believes verdicts about
// spam, and sends mails to a server that takes none yet, so that no answer depends on when
// one leaves.
func servicesAt(t *testing.T, dns *resolvertest.Server) vaulttest.Options {
	t.Helper()
	asked, err := resolver.New(dns.Addr)
	if err != nil {
		t.Fatalf("resolver.New: got %v, want no error", err)
	}
	return vaulttest.Options{
		Policy: caller.Policy{SignUp: caller.SignUpOpen}, Resolver: asked, SpamKey: apitest.SpamKey,
		Send: func(context.Context, outbox.Mail) error { return errors.New("not yet") },
	}
}

// operatorsAccount makes an account as the operator does, and returns a token of it.
func operatorsAccount(t *testing.T, kit *vaulttest.Kit, address, role string) (token string) {
	t.Helper()
	roles := map[string]account.Role{"customer": account.RoleCustomer, "colonel": account.RoleColonel}
	operator := kit.Vault.Operator()
	_, err := operator.SignUps.CreateAccount(t.Context(), signup.OperatorAccount{
		Address: caller.Text(address), Password: apitest.Password, Role: roles[role],
	})
	if err != nil {
		t.Fatalf("CreateAccount: got %v, want no error", err)
	}
	made, _, err := operator.Tokens.CreateToken(t.Context(), caller.Text(address), credential.NewToken{})
	if err != nil {
		t.Fatalf("CreateToken: got %v, want no error", err)
	}
	return made.Expose()
}

var update = flag.Bool("update", false, "rewrite the recorded exchanges")
