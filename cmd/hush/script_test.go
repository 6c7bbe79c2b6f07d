package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/storage/postgres/postgrestest"
	"hush/vault/vaulttest"
)

// TestScripts runs the program as people do, by the files in testdata/script.
// Besides testscript's own commands there are
//
//	fails CODE COMMAND...  runs a command that must end with the exit code
//	waitfor FILE           waits until a file exists
//	service [FLAG]...      runs a service until the end, on the folder service, with its URL in $URL
//	member FILE NAME VAR   puts a member of the JSON in a file, or in stdout, into a variable
//	firstline FILE VAR     puts the first line of a file, or of stdout, into a variable
func TestScripts(t *testing.T) {
	t.Parallel()
	if postgrestest.Shared() != "" {
		t.Log(vaulttest.OnFolder)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               homeInFolder,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fails":     fails,
			"waitfor":   waitForFile,
			"service":   startService,
			"member":    memberOf,
			"firstline": firstLineOf,
		},
	})
}

func fails(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) < 2 {
		ts.Fatalf("usage: fails CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("usage: fails CODE COMMAND...")
	}
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != want {
		ts.Fatalf("%q: got %v, want exit code %d", args[1:], err, want)
	}
}

func waitForFile(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) != 1 {
		ts.Fatalf("usage: waitfor FILE")
	}
	path := ts.MkAbs(args[0])
	if !servertest.Happens(func() bool {
		_, err := os.Lstat(path)
		return err == nil
	}) {
		ts.Fatalf("waiting for %s: got nothing in %s", path, apitest.Patience)
	}
}
