package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// session is one command of the README and what it says that it prints.
type session struct{ command, want string }

// readmeSessions returns the commands of the README's console blocks.
func readmeSessions(t *testing.T) []session {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatalf("reading the README: %v", err)
	}
	var sessions []session
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, part := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			sessions = append(sessions, session{command, strings.TrimSpace(want)})
		}
	}
	return sessions
}

// TestReadme runs the README's commands one after the other and compares what
// they print. Where the README stands for something with a word in brackets or
// shows keys of its own, the keys of the answers before are put in.
func TestReadme(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl: not installed")
	}
	s := startHush(t)
	keys := map[string]string{}
	sessions := readmeSessions(t)
	if len(sessions) < 9 {
		t.Fatalf("README: got %d commands, want 9 or more", len(sessions))
	}
	for _, session := range sessions {
		command := strings.ReplaceAll(session.command, "http://127.0.0.1:7143", s.url)
		for known, actual := range keys {
			command = strings.ReplaceAll(command, known, actual)
		}
		shell := exec.CommandContext(t.Context(), "sh", "-c", command)
		shell.Dir = "../.."
		got, err := shell.Output()
		if err != nil {
			t.Fatalf("%s: got %v, want it to run", session.command, err)
		}
		answer := strings.ReplaceAll(strings.TrimSpace(string(got)), s.url, "http://127.0.0.1:7143")
		if !likeness(session.want).MatchString(answer) {
			t.Errorf("%s: got\n%s\nwant\n%s", session.command, answer, session.want)
		}
		learnKeys(keys, session.want, answer)
	}
}

// likeness matches what differs between one run and the next: keys, times,
// white space, and whatever the README leaves out.
func likeness(want string) *regexp.Regexp {
	pattern := regexp.QuoteMeta(want)
	pattern = regexp.MustCompile(`[0-9a-z]{31}`).ReplaceAllString(pattern, `[0-9a-z]{31}`)
	pattern = regexp.MustCompile(`1[0-9]{9}`).ReplaceAllString(pattern, `[0-9]{10}`)
	pattern = strings.ReplaceAll(pattern, "1209594", "[0-9]{7}")
	pattern = strings.ReplaceAll(pattern, "…", `[^\x00]*`)
	pattern = regexp.MustCompile(`[,:]`).ReplaceAllString(pattern, `$0 ?`)
	return regexp.MustCompile("^" + pattern + "$")
}

// learnKeys notes which key of the answer stands for which of the README.
func learnKeys(keys map[string]string, want, answer string) {
	shown := regexp.MustCompile(`[0-9a-z]{31}`)
	actual := shown.FindAllString(answer, -1)
	for i, key := range shown.FindAllString(want, -1) {
		if i < len(actual) {
			keys[key] = actual[i]
		}
	}
	var document struct {
		Secret struct{ SecretKey string }
		Record struct{ Secret struct{ Key string } }
	}
	if json.Unmarshal([]byte(answer), &document) != nil {
		return
	}
	if key := document.Record.Secret.Key; key != "" {
		keys["<key>"] = key
	}
	if key := document.Secret.SecretKey; key != "" {
		keys["<secretKey>"] = key
	}
}
