package people

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
)

func TestLookUp(t *testing.T) {
	t.Parallel()
	folder, other := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(folder, "plain"): 0o600, filepath.Join(folder, "tool"): 0o700,
		filepath.Join(other, "plain"): 0o700, filepath.Join(other, "data"): 0o600,
	} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	environment := []string{"PATH=/nowhere", "PATH=" + folder + ":" + other}
	for name, want := range map[string]struct {
		path string
		code int
	}{
		"tool":                        {folder + "/tool", 0},
		"plain":                       {other + "/plain", 0}, // the first one cannot be executed
		"data":                        {"", command.ExitNotExecutable},
		"none":                        {"", command.ExitNotFound},
		folder + "/tool":              {folder + "/tool", 0},
		folder + "/plain":             {folder + "/plain", command.ExitNotExecutable},
		folder:                        {folder, command.ExitNotExecutable},
		folder + "/tool/below":        {folder + "/tool/below", command.ExitNotFound},
		filepath.Join(folder, "none"): {filepath.Join(folder, "none"), command.ExitNotFound},
	} {
		path, err := lookUpProgram(name, environment)
		code := 0
		if exit, ok := errors.AsType[*command.ExitError](err); ok {
			code = exit.Code
		}
		if path != want.path || code != want.code {
			t.Errorf("lookUpProgram(%s): got %q and %v, want %q and code %d", name, path, err, want.path, want.code)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	opened := programValues{{name: "A", text: client.Hide("secret")}}
	got := opened.environment([]string{"A=old", "HUSH_TOKEN=t", "HUSH_SERVER=s", "B=b=c", "AA=x"})
	if want := []string{"HUSH_SERVER=s", "B=b=c", "AA=x", "A=secret"}; !slices.Equal(got, want) {
		t.Errorf("environment: got %q, want %q", got, want)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "x": "x", "x\n": "x", "x\r\n": "x", "x\n\n": "x\n", "x\r": "x\r", "\n": "",
	} {
		v, err := newProgramValue(secretSource{name: "A"}, client.Content{Bytes: []byte(text)})
		if err != nil || v.text.Expose() != want {
			t.Errorf("newProgramValue(%q): got %v and %q, want %q", text, err, v.text.Expose(), want)
		}
	}
	if _, err := newProgramValue(secretSource{name: "A"}, client.Content{Bytes: []byte("a\x00b")}); !errors.Is(err, errZeroByte) {
		t.Errorf("newProgramValue of a zero byte: got %v, want it refused", err)
	}
}

// What is behind the line with a link is for the program.
func TestReadLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"link\nrest\nmore": {"link", "rest\nmore"}, "link": {"link", ""}, "": {"", ""}, "\n\n": {"", "\n"},
	} {
		from := strings.NewReader(text)
		line, err := readLine(from)
		rest, _ := io.ReadAll(from)
		if err != nil || line != want[0] || string(rest) != want[1] {
			t.Errorf("readLine(%q): got %v, %q and %q left, want %q and %q", text, err, line, rest, want[0], want[1])
		}
	}
	if _, err := readLine(strings.NewReader(strings.Repeat("a", maxLinkLine+1))); err == nil {
		t.Error("readLine of a long line: got no error, want one")
	}
}

func TestAssignments(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "A", "=x", "1A=x", "A-B=x", "A =x", "ä=x", "A=", "HUSH_TOKEN=x", "https://hush.example/e#A=1"} {
		if _, err := parseAssignment(text); err == nil || text != "" && strings.Contains(err.Error(), "hush.example") {
			t.Errorf("parseAssignment(%q): got %v, want an error that does not repeat it", text, err)
		}
	}
	if got, err := parseAssignment("_a1=b=c"); err != nil || got != (assignment{"_a1", "b=c"}) {
		t.Errorf("parseAssignment: got %v and %v, want both parts", got, err)
	}
}
