package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/client/protocols"
	"hush/server/servertest"
)

// commandLine is the document of the client's commands.
const commandLine = "../../docs/cli.md"

// shellKit is where the commands of a document run: a folder of its own, and an
// environment in which "hush" is the program and calls a service.
type shellKit struct {
	*servertest.Server

	folder, programs, token string
	environment             []string
}

// newShellKit starts a service with an account, whose token the environment has.
func newShellKit(t *testing.T) *shellKit {
	t.Helper()
	const account = "a@example.com"
	k := &shellKit{Server: servertest.Start(t), folder: t.TempDir(), programs: t.TempDir()}
	servertest.Call(t, nil, "", "admin", "account", "create", account, "--data", k.Data).Want(t, "admin account create", command.ExitOK)
	token := servertest.Call(t, nil, "", "admin", "token", "create", account, "--data", k.Data).Want(t, "admin token create", command.ExitOK).Stdout
	k.token = strings.TrimSpace(token)
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(test, filepath.Join(k.programs, "hush")); err != nil {
		t.Fatal(err)
	}
	k.environment = []string{
		"PATH=" + k.programs + string(os.PathListSeparator) + os.Getenv("PATH"), servertest.AsProgram + "=1", "HOME=" + t.TempDir(),
		"XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "TZ=UTC", "HUSH_SERVER=" + k.URL, "HUSH_TOKEN=" + k.token,
	}
	return k
}

// write writes a file that only its owner may read or run.
func (k *shellKit) write(t *testing.T, path, content string) {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(k.folder, path)
	}
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
}

// read returns the content of a file in the folder.
func (k *shellKit) read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(k.folder, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// share shares a text for a script, which finds the link in a file.
func (k *shellKit) share(t *testing.T, text, file string) {
	t.Helper()
	c, err := protocols.New(k.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := c.Share(t.Context(), client.ShareRequest{Content: &client.Content{Bytes: []byte(text)}})
	if err != nil {
		t.Fatalf("Share: got %v, want no error", err)
	}
	k.write(t, file, shared.Link.Expose()+"\n")
}

// changing is what differs from one run of a command to the next: times, how long ago
// they were, and the IDs of receipts.
var changing = regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]+ UTC|[0-9]+ seconds? ago|just now|(ID +|the secret )[0-9a-z]{8}`)

// TestCommandLine runs the commands of docs/cli.md one after the other, and compares
// what they print.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	k := newShellKit(t)
	sessions := consoleSessions(t, commandLine)
	if len(sessions) < 10 {
		t.Fatalf("%s: got %d commands, want 10 or more", commandLine, len(sessions))
	}
	c := &transcript{url: k.URL, dir: k.folder, environment: k.environment, known: map[string]string{}, messages: true}
	for _, session := range sessions {
		session.want = changing.ReplaceAllString(session.want, "$1…")
		c.run(t, session)
	}
}

// Scripts rely on the members of the objects that commands print, so each is in the
// document.
func TestCommandLineNamesMembers(t *testing.T) {
	t.Parallel()
	k := newShellKit(t)
	text, err := os.ReadFile(commandLine)
	if err != nil {
		t.Fatal(err)
	}
	k.sh(t, `echo hush.example | hush share --generate-passphrase --label l --receipt-file receipt >link 2>drawn
		sed -n 's/^hush: passphrase: //p' drawn >passphrase`)
	for command, script := range map[string]string{
		"hush share --json":          `hush share --generate --show --generate-passphrase --json; hush share link --json`,
		"hush receipt --json":        `hush receipt @receipt --json`,
		"hush list --json":           `hush list --json`,
		"hush whoami --json":         `hush whoami --json`,
		"hush profile list --json":   `env -u HUSH_TOKEN hush login --profile p --server "$HUSH_SERVER" --token-file token 2>/dev/null && hush profile list --json`,
		"hush open --json":           `hush open @link --passphrase-file passphrase --json`,
		"hush request --json":        `hush request one --json`,
		"hush request list --json":   `hush request one --json >/dev/null; hush request list --json; hush request close --json --burn-answers --yes "$(hush request list --json | sed -n 's/.*"id":"\([^"]*\)".*/\1/p' | head -n 1)"`,
		"hush answer --json":         `hush request two --collect-file collect >asked; hush answer @asked passphrase --json`,
		"hush collect --list --json": `hush request three --collect-file other >asked; hush answer @asked passphrase; hush collect @other --list --json`,
	} {
		row := regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(command) + "`.*$").FindString(string(text))
		if command == "hush list --json" {
			row += regexp.MustCompile("(?m)^\\| `hush receipt --json`.*$").FindString(string(text))
		}
		if command == "hush profile list --json" {
			k.write(t, "token", k.token+"\n")
		}
		for name := range membersOf(t, k.out(t, script)) {
			if !strings.Contains(row, "`"+name+"`") {
				t.Errorf("%s: got a member %s that %s does not have, want it in %q", command, name, commandLine, row)
			}
		}
	}
}

// membersOf returns the names of the members of objects, those of what they have in
// lists too.
func membersOf(t *testing.T, lines string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	decoder := json.NewDecoder(strings.NewReader(lines))
	for decoder.More() {
		var object map[string]any
		if err := decoder.Decode(&object); err != nil {
			t.Fatalf("%s: got %v, want objects", lines, err)
		}
		addMembers(found, object)
	}
	if len(found) < 3 {
		t.Errorf("%s: got %d members, want 3 or more, or this test finds nothing", lines, len(found))
	}
	return found
}

func addMembers(found map[string]bool, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			found[name] = true
			addMembers(found, member)
		}
	case []any:
		for _, member := range value {
			addMembers(found, member)
		}
	}
}

// heading is the title of a recipe.
var heading = regexp.MustCompile(`(?m)^### (.*)$`)

// recipeScripts returns the scripts of each recipe of a document, by its title.
func recipeScripts(t *testing.T, path string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Recipes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	found := map[string][]string{}
	titles := heading.FindAllStringSubmatchIndex(section, -1)
	for i, at := range titles {
		end := len(section)
		if i+1 < len(titles) {
			end = titles[i+1][0]
		}
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section[at[1]:end], -1) {
			found[section[at[2]:at[3]]] = append(found[section[at[2]:at[3]]], block[1])
		}
	}
	return found
}

// first returns the first words of a script, for messages.
func first(script string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(script), "\n")
	return cmp.Or(line, "an empty script")
}
