package admin

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/console"
	"hush/server/settings"
)

// call runs "hush admin config" and returns what it wrote.
func call(t *testing.T, environment []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	c := configs{administrator{Console: &console.Console{Out: &out, Err: &errs}}, settings.NewReader(environment)}.command()
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

// The file to begin with is a right one whichever of its settings are used: each
// line alone is accepted, and changes nothing or gives an example.
func TestEverySettingOfTheFile(t *testing.T) {
	t.Parallel()
	content, _, err := call(t, nil, "init")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "hush.yaml")
	names := 0
	for line := range strings.Lines(content) {
		name, _, found := strings.Cut(strings.TrimPrefix(line, "#"), ":")
		if !found || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "##") {
			continue
		}
		names++
		if err := os.WriteFile(path, []byte(line[1:]), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, err := call(t, nil, "check", "--config", path)
		if strings.Contains(stderr, path+":1: "+name) || err == nil && !strings.Contains(stdout, name+": ") {
			t.Errorf("check of %q: got %v and %q, want the setting to be accepted", line, err, stderr)
		}
	}
	want := len(settings.Names()) - 1 // --config cannot be in a file
	if names != want {
		t.Errorf("got %d settings in the file, want %d", names, want)
	}
}

// What check prints is a file again, with the same values.
func TestCheckPrintsAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hush.yaml")
	if err := os.WriteFile(path, []byte("banner: 'null'\nmaintenance: '# : [x]'\ncolonel: [a@example.com, b@example.com]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, stderr, err := call(t, []string{"HUSH_MAX_BYTES=1GiB"}, "check", "--config", path)
	if err != nil {
		t.Fatalf("check: got %v and %s", err, stderr)
	}
	for _, want := range []string{"max-bytes: 1GiB", "# HUSH_MAX_BYTES", "# " + path + ":3\n"} {
		if !strings.Contains(first, want) {
			t.Errorf("check: got\n%s\nwant %q in it", first, want)
		}
	}
	again := filepath.Join(t.TempDir(), "again.yaml")
	if err := os.WriteFile(again, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	second, stderr, err := call(t, nil, "check", "--config", again)
	if err != nil {
		t.Fatalf("check of what check printed: got %v and %s", err, stderr)
	}
	if got, want := values(second), values(first); got != want {
		t.Errorf("check of what check printed: got\n%s\nwant\n%s", got, want)
	}
}

// values returns the lines of a file without what stands behind them.
func values(file string) string {
	var kept strings.Builder
	for line := range strings.Lines(file) {
		before, _, _ := strings.Cut(line, "  #")
		if at := strings.LastIndex(line, " # "); at >= 0 {
			before = line[:at]
		}
		kept.WriteString(strings.TrimRight(before, " ") + "\n")
	}
	return kept.String()
}

func TestPasswordsAreMasked(t *testing.T) {
	t.Parallel()
	for _, store := range []string{
		"postgres://u:geheim@db/x", "postgres://db/x?password=geheim&user=u", "postgres://db/x?sslpassword=geheim", "postgres://u:geheim@db:port/x",
	} {
		stdout, stderr, err := call(t, []string{"HUSH_STORE=" + store}, "check")
		if strings.Contains(stdout+stderr, "geheim") {
			t.Errorf("check with %s: got %v, and the password in\n%s%s", store, err, stdout, stderr)
		}
	}
}

// A password with a reserved character: of the URL that it makes, the check would
// print what it takes for the server or the database, and that is a part of the
// password. It refuses the URL as the start does, and shows nothing of it.
func TestPasswordsThatAreNotEscaped(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"g@e/heim", "g@e@heim", "12?heim", "12?w=heim", "g@e?w=heim", "12#heim", "12/heim", "heim/", "1%heim", "1 heim"} {
		path := filepath.Join(t.TempDir(), "hush.yaml")
		store := "postgres://hush:" + password + "@db.example.com/hush"
		if err := os.WriteFile(path, []byte("listen: :80\nstore: '"+store+"'\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, err := call(t, nil, "check", "--config", path)
		if err == nil || stdout != "" || !strings.HasPrefix(stderr, "hush: "+path+":2: --store: opening the database: ") {
			t.Errorf("check with %s: got %v, %q and %q, want a mistake in line 2", store, err, stdout, stderr)
		}
		if strings.Contains(stderr, "heim") || strings.Contains(stderr, "db.example.com") {
			t.Errorf("check with %s: got a part of the URL in %q", store, stderr)
		}
	}
}

// Parameters that are not known hold anything.
func TestParametersAreMasked(t *testing.T) {
	t.Parallel()
	stdout, stderr, err := call(t, []string{"HUSH_STORE=postgres://u:geheim@db/x?sslmode=verify-full&y=geheim"}, "check")
	if want := "store: postgres://u:xxxxx@db/x?sslmode=verify-full&y=xxxxx "; err != nil || !strings.Contains(stdout, want) {
		t.Errorf("check: got %v, %q and %q, want %q", err, stdout, stderr, want)
	}
}

// One cause is one mistake.
func TestMistakesCountOnce(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--smtp-host=a.example:25": "--smtp-host needs --mail-from",
		"--smtp-host=a.example:25 --mail-from=a@example.com --smtp-user=u": "--smtp-user and --smtp-password-file go together",
		"--smtp-host=a.example:25 --mail-from=nobody":                      "--mail-from: mail sender is not one address",
		"--data=config.go":                         "--data: bolt: not a folder: config.go",
		"--cpu-profile=nothing/file":               "--cpu-profile: writing a profile: stat nothing: no such file or directory",
		"--spam-key-file=nothing":                  "--spam-key-file: open nothing: no such file or directory",
		"--admin-listen=unix:hush-data/admin.sock": "--admin-listen=unix:hush-data/admin.sock is the socket of the operator's commands: choose another path",
		"--tls-cert=nothing":                       "--tls-cert and --tls-key go together",
		"--acme-email=a@example.com":               "--acme-email needs --acme",
		"--smtp-host=a.example:25 --mail-from=a@example.com --smtp-user=u --smtp-password-file=nothing": "--smtp-password-file: open nothing: no such file or directory",
	} {
		stdout, stderr, err := call(t, nil, append([]string{"check"}, strings.Fields(args)...)...)
		if err == nil || stdout != "" || stderr != "hush: "+want+"\n" {
			t.Errorf("check %s: got %v, %q and %q, want %q alone", args, err, stdout, stderr, want)
		}
	}
}

func TestInitKeepsFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hush.yaml")
	if _, _, err := call(t, nil, "init", path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("Stat(new file): got %v and %v, want mode 0600", info, err)
	}
	if _, _, err := call(t, nil, "init", path); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("init of a file that exists: got %v, want an error", err)
	}
}
