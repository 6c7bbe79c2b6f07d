package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"hush/vault/caller"
)

// writeConfig writes a configuration file and returns its path.
func writeConfig(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hush.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFile(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, `
# a comment
listen: 0.0.0.0:80
sign-up: invite # another
sign-up-domains: [Example.com, example.org]
colonel:
  - A@example.com
  - b@example.com
passphrase-required: on
passphrase-min: 8
encryption: end-to-end
challenge-above: "20"
banner: ""
maintenance: 'Back: at noon'
`)
	s, err := parse([]string{"HUSH_PASSPHRASE_MIN=9"}, "--config", path, "--challenge-above=21")
	if err != nil {
		t.Fatal(err)
	}
	want := caller.Policy{
		SignUp: caller.SignUpInvite, SignUpDomains: []string{"example.com", "example.org"},
		Colonels: []string{"a@example.com", "b@example.com"}, PassphraseRequired: true,
		PassphraseMin: 9, Kinds: caller.KindsEndToEnd, ChallengeAbove: 21, Maintenance: "Back: at noon",
	}
	if diff := cmp.Diff(want, s.Policy()); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
	if s.Listen != "0.0.0.0:80" {
		t.Errorf("listen: got %q, want 0.0.0.0:80", s.Listen)
	}
}

// The variable names the file, too, and values of a flag that repeats come from
// one source.
func TestFileOfTheEnvironment(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, "colonel: a@example.com, b@example.com\nlisten: :80\n")
	s, err := parse([]string{"HUSH_CONFIG=" + path, "HUSH_COLONEL=c@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Colonels, []string{"c@example.com"}) || s.Listen != ":80" {
		t.Errorf("got %v and %q, want c@example.com and :80", s.Colonels, s.Listen)
	}
}

func TestEmptyFiles(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "\n", "# nothing\n", "---\n", "---\n# nothing\n...\n", "\ufeff", "{}"} {
		if _, err := parse(nil, "--config", writeConfig(t, content)); err != nil {
			t.Errorf("file %q: got %v, want nil", content, err)
		}
	}
}

func TestFileMistakes(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"listn: :80":                         `:1: unknown setting "listn"; did you mean "listen"?`,
		"nothing: 1":                         `:1: unknown setting "nothing"`,
		"\nlisten: nowhere":                  ":2: listen: must be host:port",
		"listen:":                            `:1: listen: no value: give it one, or remove the line`,
		"listen: ~":                          ":1: listen: no value",
		"listen: :80\nlisten: :81":           ":2: listen: already set in line 1",
		"listen: [':80', ':81']":             ":1: listen: takes one value, not a list",
		"listen: {host: x}":                  ":1: listen: must be text, a number or a list of them",
		"listen: &a :80\nbase-url: *a":       ":2: base-url: must be text, a number or a list of them",
		"colonel: [a@example.com, [b]]":      ":1: colonel: each value must be text or a number",
		"colonel: [a@example.com, nonsense]": ":1: colonel: must be an e-mail address",
		"trusted-proxies: [10.0.0.0/8, x]":   ":1: trusted-proxies: must be addresses or networks",
		"config: other.yaml":                 ":1: config: a configuration file cannot name another one",
		"- listen":                           ":1: must hold lines such as",
		"listen":                             ":1: must hold lines such as",
		"? [a]\n: b":                         ":1: must begin with the name of a setting",
		"listen: :80\n\tbase-url: x":         ":2: ",
		"listen: \":80":                      ": found unexpected end",
		"listen: :80\n---\nlisten: :81":      ":2: must hold one document",
		"rate-limits: true":                  ":1: rate-limits: must be one of on, off",
		"store: postgres:/u:geheim@db":       ":1: store: must be bolt, memory, or a URL",
		"data: postgres://u:geheim@db/x":     ":1: data: must be a folder; the URL of a database belongs to --store",
		"spent-log: no":                      ":1: spent-log: must be a folder, or off to give up the log for good; a folder of that name is ./no",
		"spent-log: false":                   ":1: spent-log: must be a folder, or off",
		"spent-log: Off":                     ":1: spent-log: must be a folder, or off",
		"spent-log: none":                    ":1: spent-log: must be a folder, or off",
		"spent-log: true":                    ":1: spent-log: must be a folder, or off",
		"spent-log: 0":                       ":1: spent-log: must be a folder, or off",
		"backup-to: off":                     ":1: backup-to: must be a path, or be left out for none; what has that name is ./off",
		"cpu-profile: no":                    ":1: cpu-profile: must be a path, or be left out for none",
		strings.Repeat("#", maxFile) + "\n":  ": longer than 1048576 bytes",
	} {
		path := writeConfig(t, content)
		_, err := parse(nil, "--config", path)
		if err == nil || !strings.Contains(err.Error(), path+want) {
			t.Errorf("file %.40q: got %v, want %q behind the path", content, err, want)
			continue
		}
		if strings.Contains(err.Error(), "geheim") {
			t.Errorf("file %q: the error %v repeats a password", content, err)
		}
	}
}

// The one word that gives up a log, and folders that have the name of another one.
func TestSpentLogPlaces(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"spent-log: off": "", "spent-log: ./no": "./no", "spent-log: /mnt/off": "/mnt/off", "spent-log: nobody": "nobody",
	} {
		s, err := parse(nil, "--config", writeConfig(t, content))
		if err != nil || s.SpentLogFolder() != want {
			t.Errorf("file %q: got %v, want the folder %q", content, err, want)
		}
	}
}

// Every mistake of all sources is named at once.
func TestMistakesTogether(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, "listn: x\nmax-bytes: none\n")
	_, err := parse([]string{"HUSH_DATE=x", "HUSH_LOG_LEVEL=loud"}, "--config", path)
	if err == nil {
		t.Fatal("got nil, want an error")
	}
	for _, want := range []string{
		"unknown variable HUSH_DATE in the environment; did you mean HUSH_DATA?", "HUSH_LOG_LEVEL: must be one of",
		`hush.yaml:1: unknown setting "listn"`, "hush.yaml:2: max-bytes: must be a number of bytes",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

// A command takes the settings that it knows, and no value of another one.
func TestFileOfAnotherCommand(t *testing.T) {
	t.Parallel()
	path := writeConfig(t, "listen: nowhere\ndata: folder\n")
	c := &cobra.Command{Use: "list"}
	s := Add(c, "data")
	if err := c.ParseFlags([]string{"--config", path}); err != nil {
		t.Fatal(err)
	}
	if _, err := NewReader(nil).Apply(t.Context(), c.Flags()); err != nil || s.Data != "folder" {
		t.Errorf("Apply(): got %q and %v, want folder", s.Data, err)
	}
}

// No file makes reading it fail otherwise than by an error with its place.
func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{"listen: :80", "a: [b, c]", "a: &x b\nc: *x", "<<: {a: b}", "!!binary x: y", "- a", "a: |\n  b\n", "\x00", "? a", "a: b\n---\nc: d"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		entries, err := parseFile(content)
		if err != nil && !strings.HasPrefix(err.Error(), ":") {
			t.Errorf("parseFile(%q): got %q, want an error that begins with a place", content, err)
		}
		for _, e := range entries {
			if e.line < 1 {
				t.Errorf("parseFile(%q): got line %d of %q, want 1 or more", content, e.line, e.name)
			}
		}
	})
}

// Another user of the machine could turn protections off.
func TestFileThatOthersMayChange(t *testing.T) {
	t.Parallel()
	for mode, want := range map[os.FileMode]bool{0o600: true, 0o640: true, 0o644: true, 0o646: false, 0o666: false} {
		path := writeConfig(t, "listen: :80\n")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := parse(nil, "--config", path)
		if got := err == nil; got != want {
			t.Errorf("file of mode %o: got %v, want it to be read %t", mode, err, want)
		}
	}
}

// Only a shell knows what ~ is.
func TestPathsFromHome(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"data: ~/hush", "root-key-file: '~/root.key'", "tls-cert: ~/cert.pem", "spent-log: ~/log", "data: ~root/hush"} {
		path := writeConfig(t, line)
		if _, err := parse(nil, "--config", path); err == nil || !strings.Contains(err.Error(), "must not begin with ~") {
			t.Errorf("file %q: got %v, want a refusal of ~/", line, err)
		}
	}
	if _, err := parse([]string{"HUSH_DATA=~/hush"}); err == nil || !strings.Contains(err.Error(), "HUSH_DATA: must not begin with ~") {
		t.Errorf("HUSH_DATA=~/hush: got %v, want a refusal of ~/", err)
	}
	for text, want := range map[string]bool{
		"unix:~/hush.sock": false, "unix:~root/hush.sock": false, "unix:~": false, "unix:./~/hush.sock": true, "unix:/run/~/hush.sock": true, "unix:~sock": true,
	} {
		for _, variable := range []string{"HUSH_LISTEN", "HUSH_ADMIN_LISTEN"} {
			if _, err := parse([]string{variable + "=" + text, "HUSH_BASE_URL=https://hush.example"}); (err == nil) != want {
				t.Errorf("%s=%s: got %v, want it to be taken %t", variable, text, err, want)
			}
		}
	}
	if _, err := parse([]string{"HUSH_BANNER=~alice/bob are away"}); err != nil {
		t.Errorf("HUSH_BANNER=~alice/bob: got %v, want no refusal of what is no path", err)
	}
}
