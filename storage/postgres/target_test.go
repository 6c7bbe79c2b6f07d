package postgres_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/storage/postgres"
)

// What is shown to people and logged names the server and never the password.
func TestPlace(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"postgres://hush:pass-word@db.example.com/secrets":              `the database "secrets" on db.example.com`,
		"postgresql://hush:pass-word@db.example.com:6000/secrets":       `the database "secrets" on db.example.com:6000`,
		"postgres://hush:pass-word@a:5432,b:5433/x?sslmode=verify-full": `the database "x" on a, b:5433`,
		"postgres://hush:pass-word@/x?host=/run/postgresql":             `the database "x" on /run/postgresql/.s.PGSQL.5432`,
		"postgres://hush:pass-word@[2001:db8::1]:6000/x":                `the database "x" on [2001:db8::1]:6000`,
		"postgres://hush:pass-word@%zz/x":                               "the database",
		"postgres://hush:p@ss/word@db.example.com/x":                    "the database",
		"postgres://hush:12#word@db.example.com/x":                      "the database",
		"postgres://hush:p@ss@db.example.com/x":                         "the database",
		"postgres://hush:12?w=ord@db.example.com/x":                     "the database",
		"postgres://hush:g@e?x=word@db.example.com/x":                   "the database",
		"postgres://hush:12?word@db.example.com/x":                      "the database",
		"postgres://hush:p%40ss%2Fword@db.example.com/x%40y":            `the database "x@y" on db.example.com`,
		"postgres://hush@db.example.com/x?passfile=/etc/me@home":        `the database "x" on db.example.com`,
	} {
		if got := postgres.Place(target); got != want {
			t.Errorf("Place(%q): got %s, want %s", target, got, want)
		}
	}
}

// A password with a reserved character makes a URL of other parts. None of them
// is shown, and the error says how to write it.
func TestPasswordThatIsNotEscaped(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"postgres://hush:p@ss/word@db.example.com/x",
		"postgres://hush:12#word@db.example.com/x",
		"postgres://hush:12?word@db.example.com/x",
		"postgres://hush:ss/word@db.example.com/x",
		"postgres://hush:p@ss@db.example.com/x", // pgconn takes the first @, package url the last
		"postgres://hush:12?w=ss/word@db.example.com/x",
		"postgres://hush:12?w=word@db.example.com/x", // sslmode=verify-full would be a part of the name
		"postgres://hush:g@e?x=word@db.example.com/x",
		"postgres://hush:g@e/x?y=word@db.example.com/x",
		"postgres://hush:ss word@db.example.com/x",
		"postgres://hush:ss%word@db.example.com/x",
	} {
		_, _, err := postgres.Open(t.Context(), target, postgres.Options{})
		if err == nil || !strings.Contains(err.Error(), "write %40 for @") || strings.Contains(err.Error(), "ss/word") || strings.Contains(err.Error(), "word@") {
			t.Errorf("Open(%q): got %v, want an error that says how to write @ and shows no part of it", target, err)
		}
	}
}

// Check says what Open would say, without a server.
func TestCheck(t *testing.T) {
	folder := t.TempDir()
	passfile := filepath.Join(folder, "a+b")
	if err := os.WriteFile(passfile, []byte("*:*:*:*:secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"PGPASSWORD", "PGSSLMODE", "PGPASSFILE"} {
		t.Setenv(variable, "")
	}
	for target, want := range map[string]string{
		"postgres://hush:pass-word@db.example.com/x":                               "",
		"postgres://hush:pass%40word@db.example.com/x?sslmode=verify-full":         "",
		"postgres://hush@localhost/x?sslmode=disable":                              "",
		"postgres://hush@db1,db2/x":                                                "",
		"postgres://hush@db.example.com/x?passfile=" + passfile:                    "",
		"postgres://hush@db.example.com/x?passfile=" + folder:                      "unable to read the file of passfile",
		"postgres://hush@db.example.com/x?passfile=" + passfile + "c":              "unable to read the file of passfile",
		"postgres://hush:pass-word@db.example.com/x?passfile=" + passfile + "c":    "", // which is not used
		"postgres://hush:pass-word@db.example.com/x?sslmode=require":               "use sslmode=verify-full",
		"postgres://hush:pass-word@db.example.com/x?sslmode=maybe":                 "sslmode is invalid",
		"postgres://hush:pass-word@db.example.com/x?sslrootcert=" + passfile + "c": "unable to read CA file",
		"postgres://hush:pass@word@db.example.com/x":                               "write %40 for @",
	} {
		err := postgres.Check(target)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "word@")) {
			t.Errorf("Check(%q): got %v, want %q", target, err, want)
		}
	}
}
