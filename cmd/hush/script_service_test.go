package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

// theTest is where a script keeps the test that it is.
type theTest struct{}

// quickScripts are the scripts that run in "make test" too: those that begin few
// programs, and one that starts the service.
func quickScripts() []string {
	return []string{"config", "environment", "help", "share_elsewhere"}
}

// homeInFolder keeps what a script's commands write of a person, profiles and
// pending claims, in the folder of the script.
func homeInFolder(env *testscript.Env) error {
	t, is := env.T().(testing.TB)
	if !is {
		return fmt.Errorf("the test of a script: got %T, want one of package testing", env.T())
	}
	if !slices.Contains(quickScripts(), strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")) {
		testtier.Check(t, "begins many programs")
	}
	env.Values[theTest{}] = t
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "home", "config"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "home", "state"))
	return nil
}

// startService runs "hush serve" on the folder service until the script ends. Its
// URL is in $URL from then on.
func startService(ts *testscript.TestScript, not bool, flags []string) {
	if not {
		ts.Fatalf("usage: service [FLAG]...")
	}
	testStarts(ts)
	ctx, cancel := context.WithCancel(context.Background())
	log, ended := servertest.NewOutput(), make(chan int, 1)
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--data", ts.MkAbs("service")}, flags...)
	go func() { ended <- program.Run(ctx, args, nil, strings.NewReader(""), io.Discard, log) }()
	ts.Defer(func() {
		cancel()
		if code := <-ended; code != command.ExitOK {
			ts.Logf("service: got exit code %d, want %d; it wrote:\n%s", code, command.ExitOK, log)
		}
	})
	select {
	case <-log.Served:
		ts.Setenv("URL", log.Address())
	case code := <-ended:
		ended <- code
		ts.Fatalf("service: got exit code %d before serving, want it to serve; it wrote:\n%s", code, log)
	case <-time.After(apitest.Patience):
		ts.Fatalf("service: got no answer in %s, want it to serve; it wrote:\n%s", apitest.Patience, log)
	}
}

// testStarts is what a script says that starts the service by itself.
func testStarts(ts *testscript.TestScript) {
	servertest.NeedStart(ts.Value(theTest{}).(testing.TB))
}

// memberOf puts a member of the objects in a file into variables: that of the first
// line into NAME, that of the second into NAME2, and so on.
func memberOf(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) != 3 {
		ts.Fatalf("usage: member FILE MEMBER NAME")
	}
	lines := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	for n := 1; lines.More(); n++ {
		var object map[string]any
		if err := lines.Decode(&object); err != nil {
			ts.Fatalf("member %s: got %v, want lines of JSON", args[0], err)
		}
		value, found := object[args[1]]
		if !found {
			ts.Fatalf("member %s: got no member %s in line %d, want one", args[0], args[1], n)
		}
		name := args[2]
		if n > 1 {
			name = fmt.Sprint(name, n)
		}
		ts.Setenv(name, fmt.Sprint(value))
	}
}

// firstLineOf puts the first line of a file into a variable.
func firstLineOf(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) != 2 {
		ts.Fatalf("usage: firstline FILE NAME")
	}
	line, _, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	ts.Setenv(args[1], line)
}
