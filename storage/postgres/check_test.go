package postgres

import (
	"errors"
	"strings"
	"testing"
)

func sound() facts {
	return facts{version: 150018, fsync: "on", fullPages: "on", syncCommit: "on", readOnly: "off"}
}

func TestCheckRefusesServers(t *testing.T) {
	if err := sound().check(); err != nil {
		t.Errorf("check(sound): got %v, want nil", err)
	}
	for want, change := range map[string]func(*facts){
		"older than PostgreSQL 14":      func(f *facts) { f.version = 130022 },
		"replica":                       func(f *facts) { f.replica = true },
		"default_transaction_read_only": func(f *facts) { f.readOnly = "on" },
		"fsync is off":                  func(f *facts) { f.fsync = "off" },
		"full_page_writes is off":       func(f *facts) { f.fullPages = "off" },
		"synchronous_commit is off":     func(f *facts) { f.syncCommit = "off" },
		"synchronous_commit is local":   func(f *facts) { f.syncCommit, f.standbys = "local", "one" },
	} {
		f := sound()
		change(&f)
		if err := errors.Join(f.check(), f.checkCommit()); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("check(%+v): got %v, want %q", f, err, want)
		}
	}
	local := sound()
	local.syncCommit = "local"
	if err := local.checkCommit(); err != nil {
		t.Errorf("checkCommit(local without standbys): got %v, want nil", err)
	}
}

func TestTargets(t *testing.T) {
	for target, want := range map[string]string{
		"postgres:///hush?host=/run/postgresql":                            "",
		"postgres://hush@localhost/hush":                                   "",
		"postgres://hush@127.0.0.1/hush?sslmode=disable":                   "",
		"postgres://hush@[::1]/hush?sslmode=disable":                       "",
		"host=/run/postgresql dbname=hush":                                 "",
		"postgres://hush@db.example/hush":                                  "",
		"postgres://hush@db.example/hush?sslmode=verify-full":              "",
		"host=db.example dbname=hush":                                      "",
		"postgres://hush@db.example/hush?sslmode=disable":                  "sslmode=disable",
		"postgres://hush@db.example/hush?sslmode=allow":                    "sslmode=allow",
		"postgres://hush@db.example/hush?sslmode=prefer":                   "sslmode=prefer",
		"postgres://hush@db.example/hush?sslmode=require":                  "sslmode=require",
		"postgres://hush@db.example/hush?sslmode=verify-ca":                "sslmode=verify-ca",
		"host=db.example dbname=hush sslmode=require":                      "sslmode=require",
		"sslmode=require host=db.example dbname=hush":                      "sslmode=require",
		"postgres://hush@127.0.0.1,db.example/hush?sslmode=disable":        "sslmode=disable",
		"postgres://hush@db.example/hush?application_name=a&sslmode=allow": "sslmode=allow",
	} {
		t.Setenv("PGSSLMODE", "")
		c, err := newConnector(target, Options{}.withDefaults())
		if want != "" {
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want+" ") {
				t.Errorf("newConnector(%s): got %v, want %s refused", target, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("newConnector(%s): got %v, want nil", target, err)
		} else if !verifiesRemote(c.config) {
			t.Errorf("newConnector(%s): got a connection that does not verify the server", target)
		}
	}
	c, err := newConnector("postgres://db.example/hush?user=a%20b&password=c%2Bd", Options{}.withDefaults())
	if err != nil || c.config.User != "a b" || c.config.Password != "c+d" {
		t.Errorf("newConnector(escaped user and password): got %v, want them as they are", err)
	}
	t.Setenv("PGSSLMODE", "require")
	if _, err := newConnector("host=db.example dbname=hush", Options{}.withDefaults()); !errors.Is(err, ErrRefused) {
		t.Errorf("newConnector(PGSSLMODE=require): got %v, want %v", err, ErrRefused)
	}
}

// A password in a connection string that cannot be read is not repeated.
func TestUnreadableTarget(t *testing.T) {
	for _, target := range []string{"postgres://hush:hunter2@h:port/hush", "host=h password=hunter2 port=x", "postgres://hush:hun%zzter2@h/"} {
		_, err := newConnector(target, Options{}.withDefaults())
		if err == nil || strings.Contains(err.Error(), "hun") {
			t.Errorf("newConnector(%s): got %v, want an error without the password", target, err)
		}
	}
}

func TestNewerSchema(t *testing.T) {
	if err := (storeVersion{version: 9, oldest: schemaVersion, store: "a"}).check("a"); err != nil {
		t.Errorf("check(newer, compatible): got %v, want nil", err)
	}
	if err := (storeVersion{version: 9, oldest: 9, store: "a"}).check("a"); !errors.Is(err, ErrNewerSchema) {
		t.Errorf("check(newer): got %v, want %v", err, ErrNewerSchema)
	}
	if err := (storeVersion{version: 1, oldest: 1, store: "b"}).check("a"); !errors.Is(err, ErrRefused) {
		t.Errorf("check(other store): got %v, want %v", err, ErrRefused)
	}
}
