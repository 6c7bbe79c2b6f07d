package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hush/mail/mailtest"
	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

var (
	browserTask = flag.String("browser.task", "test", "what TestBrowser does: test, or screenshots for docs/screenshots")
	browserOnly = flag.String("browser.only", "", "which of the browser's tests TestBrowser runs, as Playwright's --grep")
)

// browserTools are what the browser's tests need besides Go.
type browserTools struct{ node, runner, chromium string }

// findBrowserTools skips the test where one is missing.
func findBrowserTools(t *testing.T) browserTools {
	t.Helper()
	tools := findBrowserRunner(t)
	chromium, err := exec.LookPath(cmp.Or(os.Getenv("CHROMIUM"), "chromium"))
	if err != nil {
		t.Skip("needs browser: chromium is not installed")
	}
	tools.chromium = chromium
	return tools
}

// findBrowserRunner finds what runs the tests of any browser.
func findBrowserRunner(t *testing.T) browserTools {
	t.Helper()
	servertest.NeedStart(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs browser: node is not installed")
	}
	runner := filepath.Join("node_modules", "@playwright", "test", "cli.js")
	if _, err := os.Stat(filepath.Join(webFolder, runner)); err != nil {
		t.Skip("needs browser: npm ci did not run in web")
	}
	return browserTools{node: node, runner: runner}
}

const webFolder = "../../web"

// browserEnvironment is what web/e2e/environment.ts reads.
type browserEnvironment struct {
	URL      string        `json:"url"`
	Kit      string        `json:"kit"`
	Chromium string        `json:"chromium"`
	Task     string        `json:"task"`
	Failing  bool          `json:"failing,omitempty"`
	Ada      browserPerson `json:"ada"`
	Colonel  browserPerson `json:"colonel"`
	// Elsewhere are pages of other origins that call the service.
	Elsewhere *browserElsewhere `json:"elsewhere,omitempty"`
	// Programs are those of the tasks firefox and webkit.
	Programs *browserPrograms `json:"programs,omitempty"`
	// Canary is what is shared by the task canary.
	Canary *browserCanary `json:"canary,omitempty"`
	// Slow are the services of the task slow.
	Slow []browserSlow `json:"slow,omitempty"`
}

type browserCanary struct {
	Text       string `json:"text"`
	Passphrase string `json:"passphrase"`
}

type browserPerson struct {
	Address  string `json:"address"`
	Password string `json:"password"`
}

// People use the service with a browser. What they do is written down in
// web/e2e; here it gets a service, its mail and its DNS.
func TestBrowser(t *testing.T) {
	servertest.RunOnce(t, "TestBrowserOnFailingNodes goes through the same pages on PostgreSQL")
	tools := findBrowserTools(t)
	dns := resolvertest.New(t)
	elsewhere := startElsewhere(t)
	env, s, mails := servertest.StartAccountsWithMail(t, "--resolver", dns.Addr, "--rate-limits=off", "--log-level=debug", "--requests=anyone", "--cors-origins", elsewhere.Named)
	elsewhere.Token = env.Ada.Token
	client := servertest.HTTPClient(t, false, nil)
	for _, one := range []apitest.Account{env.Ada, env.Cleo} {
		// The first sign-in rehashes the test environment's password, which
		// concurrent ones would do, too.
		body := fmt.Sprintf(`{"address":%q,"password":%q}`, one.Address, apitest.Password)
		apitest.Call(t, client, s.URL, "/hush.v1.SessionService/CreateSession", nil, body).OK(t, "sign-in")
	}
	// A browser that shares two processors with every other test can miss a
	// deadline. Such a test is begun anew once, and Playwright lists it as flaky.
	args := []string{"--retries", "1"}
	if !testtier.IsFull() && *browserOnly == "" && *browserTask == "test" {
		// What people do most. "make full" runs all.
		args = append(args, "--grep", "@check")
	}
	runBrowser(t, tools, env, browserEnvironment{URL: s.URL, Elsewhere: elsewhere}, browserServices(mails, dns), args...)
	servertest.WantNoErrors(t, s)
	if *browserOnly == "" && *browserTask == "test" {
		elsewhere.wantAsked(t, s)
	}
	if strings.Contains(s.Log.String(), "e2e secret") {
		t.Error("log: got a secret in it, want none")
	}
}

// runBrowser runs the browser's tests against the service that about names.
func runBrowser(t *testing.T, tools browserTools, env *servertest.Env, about browserEnvironment, services http.Handler, more ...string) {
	t.Helper()
	around := httptest.NewServer(services)
	t.Cleanup(around.Close)
	about.Kit, about.Chromium = around.URL, tools.chromium
	about.Task = cmp.Or(about.Task, *browserTask)
	if env != nil {
		about.Ada = browserPerson{env.Ada.Address, apitest.Password}
		about.Colonel = browserPerson{env.Cleo.Address, apitest.Password}
	}
	settings, err := json.Marshal(about)
	if err != nil {
		t.Fatalf("Marshal: got %v, want nil", err)
	}
	openBrowserTests(t)
	args := []string{tools.runner, "test"}
	if *browserOnly != "" {
		args = append(args, "--grep", *browserOnly)
	}
	args = append(args, more...)
	cmd := exec.CommandContext(t.Context(), tools.node, args...)
	cmd.Dir = webFolder
	cmd.Env = append(os.Environ(), "HUSH_BROWSER_TEST="+string(settings))
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the browser's tests: got %v, want no failure; they wrote:\n%s", err, passedBrowserTest.ReplaceAll(out, nil))
	} else {
		t.Logf("%s", passedBrowserTest.ReplaceAll(out, nil))
	}
}

// passedBrowserTest is the line of Playwright's list for a test that passed:
// some two hundred of them would hide the one that failed.
var passedBrowserTest = regexp.MustCompile(`(?m)^\s*✓.*\n`)

// openBrowserTests makes go test run TestBrowser again when only they changed:
// it keeps a verdict as long as the files do that the test itself opened.
func openBrowserTests(t *testing.T) {
	t.Helper()
	for _, folder := range []string{"e2e", "browsers"} {
		err := fs.WalkDir(os.DirFS(webFolder), folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			_, err = os.ReadFile(filepath.Join(webFolder, filepath.FromSlash(path)))
			return err
		})
		if err != nil {
			t.Fatalf("reading the browser's tests: got %v, want nil", err)
		}
	}
}

// browserServices lets the browser's tests read the mail that arrived, and say what
// the DNS answers.
func browserServices(mails *mailtest.Server, dns *resolvertest.Server) http.Handler {
	tree := http.NewServeMux()
	tree.HandleFunc("GET /mails", func(w http.ResponseWriter, _ *http.Request) {
		type received struct {
			To   string `json:"to"`
			Text string `json:"text"`
		}
		all := []received{}
		for _, m := range mails.Messages() {
			all = append(all, received{m.To[0], m.Text()})
		}
		_ = json.NewEncoder(w).Encode(all)
	})
	tree.HandleFunc("POST /dns", func(w http.ResponseWriter, r *http.Request) {
		var record struct {
			Name      string
			TXT       []string
			Addresses []string
		}
		if err := json.NewDecoder(r.Body).Decode(&record); err != nil {
			http.Error(w, "not a record", http.StatusBadRequest)
			return
		}
		if record.TXT != nil {
			dns.SetTXT(record.Name, record.TXT...)
		}
		if record.Addresses != nil {
			dns.SetA(record.Name, record.Addresses...)
		}
	})
	return tree
}

// The browser's tests must be the built client's: a service that has none
// answers pages that they would take for broken ones.
func TestBrowserFilesAreBuilt(t *testing.T) {
	t.Parallel()
	assets, err := fs.Glob(os.DirFS(webFolder), "dist/assets/*.js.gz")
	if err != nil || len(assets) == 0 {
		t.Errorf("web/dist: got %d scripts, %v, want what make web builds", len(assets), err)
	}
}
