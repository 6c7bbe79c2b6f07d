package booted_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/server/servertest"
)

// Each mistake of an operator is named, with the server where there is one, and
// without the password.
func TestDatabaseMistakes(t *testing.T) {
	t.Parallel()
	server := servertest.NeedPostgres(t)
	at := "?host=" + server.Folder()
	const password = "correct-horse"
	for name, c := range map[string]struct {
		code  int
		store string
		want  []string
	}{
		"another scheme":    {command.ExitUsage, "mysql://hush:" + password + "@db.example.com/x", []string{"must be bolt, memory, or a URL"}},
		"no URL":            {command.ExitFailure, "postgres://hush:" + password + "%zz@db.example.com/x", []string{"reserved characters"}},
		"no proof":          {command.ExitFailure, "postgres://hush:" + password + "@db.example.com/x?sslmode=require", []string{`"x" on db.example.com`, "use sslmode=verify-full"}},
		"unknown mode":      {command.ExitFailure, "postgres://hush:" + password + "@db.example.com/x?sslmode=maybe", []string{"sslmode is invalid"}},
		"no authority":      {command.ExitFailure, "postgres://hush:" + password + "@db.example.com/x?sslrootcert=/none/ca.pem", []string{"unable to read CA file: open /none/ca.pem"}},
		"no server":         {command.ExitFailure, "postgres://hush:" + password + "@127.0.0.1:1/x", []string{`"x" on 127.0.0.1:1: cannot connect as`, "connection refused"}},
		"no database":       {command.ExitFailure, "postgres://hush:" + password + "@/nothere" + at, []string{`database "nothere" does not exist`}},
		"no role":           {command.ExitFailure, "postgres://stranger:" + password + "@/postgres" + at, []string{`role "stranger" does not exist`}},
		"unknown parameter": {command.ExitFailure, "postgres://hush:" + password + "@/postgres" + at + "&pool_max_conns=4", []string{"pool_max_conns"}},
		"early answers":     {command.ExitFailure, "postgres://hush:" + password + "@/postgres" + at + "&synchronous_commit=off", []string{"synchronous_commit is off", "turn it on"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, environment := range [][]string{nil, {"HUSH_STORE=" + c.store}} {
				args := []string{"serve", "--listen=127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data")}
				if environment == nil {
					args = append(args, "--store="+c.store)
				}
				got := servertest.Call(t, environment, "", args...).Want(t, "serve", c.code, c.want...)
				if strings.Contains(got.Stdout+got.Stderr, password) {
					t.Errorf("hush serve: got the password in %s, want it nowhere", got.Stderr)
				}
			}
		})
	}
	for _, args := range []string{"serve postgres://hush:" + password + "@h/d", "serve -store=postgres://hush:" + password + "@h/d"} {
		if got := servertest.Call(t, nil, "", strings.Fields(args)...).Want(t, "serve", command.ExitUsage); strings.Contains(got.Stderr, password) {
			t.Errorf("hush serve: got the password in %s, want it nowhere", got.Stderr)
		}
	}
}
