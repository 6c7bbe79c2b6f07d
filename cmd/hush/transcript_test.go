package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hush/routes/apitest"
	"hush/server/servertest"
)

// dialogue is one command of a document and what it says that it prints. The prompt
// names the machine, as in "keys$ "; most have no name.
type dialogue struct{ machine, command, want string }

// consoleSessions returns the commands of a document's console blocks. A
// command that ends with a backslash goes on in the next line.
func consoleSessions(t *testing.T, path string) []dialogue {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("ReadFile(%s): got %v, want the document", path, err)
	}
	return dialogues(string(text))
}

// dialogues is consoleSessions for a text.
func dialogues(text string) []dialogue {
	var sessions []dialogue
	prompt := regexp.MustCompile(`(?m)^([a-z]*)\$ `)
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(text, -1) {
		machines := prompt.FindAllStringSubmatch(block[1], -1)
		for i, part := range prompt.Split(block[1], -1)[1:] {
			command, want, _ := strings.Cut(part, "\n")
			for strings.HasSuffix(command, `\`) {
				var next string
				next, want, _ = strings.Cut(want, "\n")
				command += "\n" + next
			}
			sessions = append(sessions, dialogue{machines[i][1], command, strings.TrimSpace(want)})
		}
	}
	return sessions
}

// sectionSessions returns the commands of one section of a document, with those of
// the sections in it.
func sectionSessions(t *testing.T, path, heading string) []dialogue {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^(#+) ` + regexp.QuoteMeta(heading) + `$`).FindStringSubmatchIndex(string(text))
	if found == nil {
		t.Fatalf("%s: got no section %q, want one", path, heading)
	}
	section, level := string(text)[found[1]:], found[3]-found[2]
	if end := regexp.MustCompile(fmt.Sprintf(`(?m)^#{1,%d} `, level)).FindStringIndex(section); end != nil {
		section = section[:end[0]]
	}
	return dialogues(section)
}

// shownURL is where documents say that the service is.
const shownURL = "http://127.0.0.1:7143"

// transcript runs the commands of a document in one conversation with a server.
type transcript struct {
	url         string
	dir         string
	environment []string
	// known is what stands in the document and what it is in this run: keys
	// that it shows, and words in brackets.
	known map[string]string
	// fill puts in what no answer says; nil if there is nothing of the kind.
	fill func(t *testing.T, s dialogue) string
	// messages says that what a command prints includes its messages for people,
	// and loose, that only those commands are compared that the document shows to
	// print something.
	messages, loose bool
	// learn looks at an answer besides; nil if there is nothing to look at.
	learn func(command, answer string)
}

// needCurl skips the test where there is no curl.
func needCurl(t *testing.T) {
	t.Helper()
	servertest.NeedStart(t)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl: not installed")
	}
}

// run runs a command and compares what it prints.
func (c *transcript) run(t *testing.T, s dialogue) {
	t.Helper()
	command := strings.ReplaceAll(s.command, shownURL, c.url)
	if c.fill != nil {
		command = c.fill(t, dialogue{s.machine, command, s.want})
	}
	// A link has a key in it: the longest comes first.
	for _, shown := range slices.SortedFunc(maps.Keys(c.known), func(a, b string) int { return len(b) - len(a) }) {
		command = strings.ReplaceAll(command, shown, c.known[shown])
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Dir, shell.Env = c.dir, append(os.Environ(), c.environment...)
	var out, messages bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &messages
	if c.messages {
		shell.Stderr = &out
	}
	if err := shell.Run(); err != nil {
		t.Fatalf("%s: got %v, want it to run; it wrote:\n%s%s", s.command, err, &out, &messages)
	}
	answer := apitest.AsBolt(strings.ReplaceAll(strings.TrimSpace(out.String()), c.url, shownURL))
	if !likeness(s.want).MatchString(answer) && !(c.loose && s.want == "") {
		t.Errorf("%s: got\n%s\nwant\n%s", s.command, answer, s.want)
	}
	c.note(s.want, answer)
	if c.learn != nil {
		c.learn(s.command, answer)
	}
}

// likeness matches what differs between one run and the next: keys, times,
// white space, and whatever the document leaves out.
func likeness(want string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(want)
	pattern = regexp.MustCompile(`\b[0-9a-f]{32}\b`).ReplaceAllString(pattern, `[0-9a-f]{32}`)
	pattern = linkFragment().ReplaceAllString(pattern, `[0-9a-z]{31}[0-9A-Za-z_-]{43}`)
	pattern = regexp.MustCompile(`[0-9a-z]{31}`).ReplaceAllString(pattern, `[0-9a-z]{31}`)
	pattern = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:\\.]+Z`).ReplaceAllString(pattern, `[-0-9T:.]+Z`)
	pattern = regexp.MustCompile(`"sequence":[0-9]+`).ReplaceAllString(pattern, `"sequence":[0-9]+`)
	pattern = rootKeyName().ReplaceAllString(pattern, `[0-9a-f]{8}`)
	pattern = regexp.MustCompile(`1[0-9]{9}`).ReplaceAllString(pattern, `[0-9]{10}`)
	pattern = strings.ReplaceAll(pattern, "1209594", "[0-9]{7}")
	pattern = strings.ReplaceAll(pattern, "…", `[^\x00]*`)
	pattern = regexp.MustCompile(`[,:]`).ReplaceAllString(pattern, `$0 ?`)
	return regexp.MustCompile("^" + pattern + "$")
}

var member = regexp.MustCompile(`"(\w+)": ?"([^"\\]+)"`)

// rootKeyName matches the name of a root key.
func rootKeyName() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{8}\b`) }

// linkFragment matches what an end-to-end link has behind its #.
func linkFragment() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-z]{31}[0-9A-Za-z_-]{43}`) }

// note keeps which key of the answer stands for which of the document, and
// for <name> what the last member of that name said.
func (c *transcript) note(want, answer string) {
	for _, shown := range []*regexp.Regexp{linkFragment(), regexp.MustCompile(`[0-9a-z]{31}`), rootKeyName()} {
		actual := shown.FindAllString(answer, -1)
		for i, key := range shown.FindAllString(want, -1) {
			if i < len(actual) {
				c.known[key] = actual[i]
			}
		}
	}
	for _, m := range member.FindAllStringSubmatch(answer, -1) {
		c.known["<"+m[1]+">"] = m[2]
	}
	var body map[string]any
	if json.Unmarshal([]byte(answer), &body) == nil {
		c.noteMembers("", body)
	}
}

// noteMembers keeps, for <a.b>, what the member b of the member a said.
func (c *transcript) noteMembers(path string, object map[string]any) {
	for name, value := range object {
		switch value := value.(type) {
		case map[string]any:
			c.noteMembers(path+name+".", value)
		case string:
			c.known["<"+path+name+">"] = value
		}
	}
}
