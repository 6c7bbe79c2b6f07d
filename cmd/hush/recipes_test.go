package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hush/client"
	"hush/client/protocols"
	"hush/server/servertest"
)

// shellRecipe is what a recipe of docs/cli.md needs, and what is true once it ran.
type shellRecipe struct {
	programs []string // that it needs and that may be missing
	prepare  func(t *testing.T, k *shellKit)
	check    func(t *testing.T, k *shellKit)
}

// what stands for programs of others: each notes how it was called.
const (
	standInCreds = `#!/bin/sh
test "$*" = "encrypt --name=db-password - db-password.cred" && cat >db-password.cred
`
	standInPodman = `#!/bin/sh
echo "$*" >>calls
case "$1" in
secret) test "$*" = "secret create db-password -" && cat >secret ;;
run) printf %s "${DB_PASSWORD-}" >>variable ;;
esac
`
	standInSQL = `#!/bin/sh
test "$*" = "--set ON_ERROR_STOP=1 --file rotate.sql orders" && grep -q '^\\getenv new NEW_PASSWORD$' rotate.sql && printf %s "$NEW_PASSWORD" >database
`
	standInOrders = `#!/bin/sh
cat "$DB_PASSWORD_FILE" >service
ls -l "$DB_PASSWORD_FILE" >/dev/null && env | grep -c PASSWORD >variables
`
)

func allRecipes() map[string]shellRecipe {
	return map[string]shellRecipe{
		"A CI job shares the password of its build": {
			programs: []string{"openssl"},
			prepare:  func(t *testing.T, k *shellKit) { k.write(t, "app.tar.gz", "the build") },
			check: func(t *testing.T, k *shellKit) {
				k.wantFile(t, "deployed.tar.gz", "the build")
				if _, err := os.Stat(filepath.Join(k.folder, "password")); err == nil {
					t.Error("password: got a file that stays, want none")
				}
			},
		},
		"Burn what a failed build shared": {
			programs: []string{"jq"},
			prepare: func(t *testing.T, k *shellKit) {
				k.sh(t, `printf 1 | hush share --label "build 41"; printf 2 | hush share --label "build 41"; printf 3 | hush share --label "build 40" --receipt-file other`)
			},
			check: func(t *testing.T, k *shellKit) {
				if got := k.sh(t, "hush list --state burned --json | wc -l; hush receipt @other --json"); !strings.HasPrefix(strings.TrimSpace(got), "2\n") || !strings.Contains(got, `"state":"waiting"`) {
					t.Errorf("secrets afterwards: got %s, want 2 burned, and one of another build that waits", got)
				}
			},
		},
		"A job or an agent gets a secret without printing it": {
			prepare: func(t *testing.T, k *shellKit) {
				k.write(t, "migrate", "#!/bin/sh\nprintf %s \"$DB_PASSWORD\" >database\n")
				k.answer(t, ".local/state/hush/requests/DB_PASSWORD-*", client.Content{Bytes: []byte("correct horse\n")})
			},
			check: func(t *testing.T, k *shellKit) { k.wantFile(t, "database", "correct horse") },
		},
		"Ask for a deploy key": {
			prepare: func(t *testing.T, k *shellKit) {
				k.answer(t, "collect", client.Content{Bytes: []byte("the key\n"), IsFile: true, FileName: "id_ed25519"})
			},
			check: func(t *testing.T, k *shellKit) {
				k.wantFile(t, "deploy_key", "the key\n")
				if left, err := filepath.Glob(filepath.Join(k.folder, "*")); err != nil || len(left) != 1 {
					t.Errorf("files afterwards: got %q and %v, want the key alone", left, err)
				}
			},
		},
		"Hand over an .env file": {
			prepare: func(t *testing.T, k *shellKit) {
				k.write(t, ".env", "A=1\nB=2\n")
				if err := os.Mkdir(filepath.Join(k.folder, "project"), 0o700); err != nil {
					t.Fatal(err)
				}
			},
			check: func(t *testing.T, k *shellKit) {
				k.wantFile(t, "project/.env", "A=1\nB=2\n")
				if info, err := os.Stat(filepath.Join(k.folder, "project/.env")); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("project/.env: got %v and %v, want mode 0600", info, err)
				}
				if left, err := filepath.Glob(filepath.Join(k.folder, "*")); err != nil || len(left) != 1 {
					t.Errorf("files afterwards: got %q and %v, want project alone", left, err)
				}
			},
		},
		"Rotate the password of a database": {
			prepare: func(t *testing.T, k *shellKit) {
				k.write(t, filepath.Join(k.programs, "psql"), standInSQL)
				k.write(t, "orders", standInOrders)
			},
			check: func(t *testing.T, k *shellKit) {
				password := k.read(t, "database")
				if bytes, err := base64.StdEncoding.DecodeString(password); err != nil || len(bytes) != 24 {
					t.Errorf("the database's password: got %q and %v, want 24 bytes in base64", password, err)
				}
				k.wantFile(t, "service", password)
				k.wantFile(t, "variables", "1\n")
			},
		},
		"A secret for a unit of systemd": {
			prepare: func(t *testing.T, k *shellKit) {
				k.write(t, filepath.Join(k.programs, "systemd-creds"), standInCreds)
				k.share(t, "correct horse", "link")
			},
			check: func(t *testing.T, k *shellKit) { k.wantFile(t, "db-password.cred", "correct horse") },
		},
		"A secret for a container": {
			prepare: func(t *testing.T, k *shellKit) {
				k.write(t, filepath.Join(k.programs, "podman"), standInPodman)
				k.share(t, "correct horse", "link")
				k.share(t, "battery staple\n", "second")
			},
			check: func(t *testing.T, k *shellKit) {
				k.wantFile(t, "secret", "correct horse")
				k.wantFile(t, "variable", "battery staple")
				if calls := k.read(t, "calls"); strings.Contains(calls, "horse") || strings.Contains(calls, "staple") || strings.Count(calls, "\n") != 3 {
					t.Errorf("calls of podman: got %q, want 3 without a secret", calls)
				}
			},
		},
	}
}

// TestRecipes runs the recipes of docs/cli.md as they stand there, each with what it
// needs, and looks at what they leave. Programs of others are stood in for.
func TestRecipes(t *testing.T) {
	t.Parallel()
	scripts, wanted := recipeScripts(t, commandLine), allRecipes()
	for title := range scripts {
		if _, ok := wanted[title]; !ok {
			t.Errorf("recipe %q: got no check for it, want one", title)
		}
	}
	for title, r := range wanted {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			if len(scripts[title]) == 0 {
				t.Fatalf("%s: got no recipe %q, want one", commandLine, title)
			}
			servertest.NeedStart(t)
			for _, program := range r.programs {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip("needs " + program + ": not installed")
				}
			}
			k := newShellKit(t)
			k.environment = append(k.environment, "BUILD=41")
			r.prepare(t, k)
			k.runAll(t, scripts[title])
			r.check(t, k)
		})
	}
}

// runAll runs scripts one after the other. One that waits for what a later one does
// runs beside those.
func (k *shellKit) runAll(t *testing.T, scripts []string) {
	t.Helper()
	var beside []func()
	for _, script := range scripts {
		if !strings.Contains(script, "--watch") {
			k.sh(t, script)
			continue
		}
		done := make(chan error)
		shell, out := k.shell(t, script)
		if err := shell.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { done <- shell.Wait() }()
		beside = append(beside, func() {
			if err := <-done; err != nil {
				t.Errorf("%s: got %v, want it to end well; it wrote:\n%s", first(script), err, out)
			}
		})
	}
	for _, wait := range beside {
		wait()
	}
}

// shell returns a script that is ready to run, and where its output goes.
func (k *shellKit) shell(t *testing.T, script string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-euc", script)
	shell.Dir, shell.Env = k.folder, append(os.Environ(), k.environment...)
	out := &bytes.Buffer{}
	shell.Stdout, shell.Stderr = out, out
	return shell, out
}

// sh runs a script, and returns what it wrote.
func (k *shellKit) sh(t *testing.T, script string) string {
	t.Helper()
	shell, out := k.shell(t, script)
	if err := shell.Run(); err != nil {
		t.Fatalf("%s: got %v, want it to run; it wrote:\n%s", first(script), err, out)
	}
	return out.String()
}

// out runs a script, and returns what it wrote to standard output.
func (k *shellKit) out(t *testing.T, script string) string {
	t.Helper()
	shell, messages := k.shell(t, script)
	out := &bytes.Buffer{}
	shell.Stdout = out
	if err := shell.Run(); err != nil {
		t.Fatalf("%s: got %v, want it to run; it wrote:\n%s", first(script), err, messages)
	}
	return out.String()
}

// wantFile fails the test unless a file has the content.
func (k *shellKit) wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got := k.read(t, path); got != want {
		t.Errorf("%s: got %q, want %q", path, got, want)
	}
}

// answer is a person who answers a request as soon as its collect link is in a file, in
// the folder or in the home of the recipe.
func (k *shellKit) answer(t *testing.T, pattern string, content client.Content) {
	t.Helper()
	c, err := protocols.New(k.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	requests, err := c.Requests()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		var collect client.CollectLink
		if !servertest.Happens(func() bool { collect, err = client.ParseCollectLink(k.firstText(pattern)); return err == nil }) {
			t.Errorf("%s: got %v, want a collect link", pattern, err)
			return
		}
		asked, err := requests.Collect(t.Context(), collect)
		if err != nil {
			t.Errorf("Collect: got %v, want the request", err)
			return
		}
		question, err := requests.Request(t.Context(), asked.Link)
		if err != nil {
			t.Errorf("Request: got %v, want the question", err)
			return
		}
		sealed, err := requests.SealAnswer(question, content, client.Text{})
		if err == nil {
			_, err = requests.Answer(t.Context(), sealed)
		}
		if err != nil {
			t.Errorf("Answer: got %v, want no error", err)
		}
	}()
}

// firstText returns the text of the first file that a pattern matches in the folder of a
// recipe or in its home; empty for none.
func (k *shellKit) firstText(pattern string) string {
	for _, folder := range []string{k.folder, k.home()} {
		names, _ := filepath.Glob(filepath.Join(folder, pattern))
		if len(names) > 0 {
			text, _ := os.ReadFile(names[0])
			return string(text)
		}
	}
	return ""
}

// home returns the home of the one who runs a recipe.
func (k *shellKit) home() string {
	for _, entry := range k.environment {
		if home, ok := strings.CutPrefix(entry, "HOME="); ok {
			return home
		}
	}
	return ""
}
