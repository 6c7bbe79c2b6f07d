package console

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// typedBy returns readers of the same keys: a paste arrives at once, and typing key
// by key.
func typedBy(keys string) map[string]io.Reader {
	return map[string]io.Reader{"at once": strings.NewReader(keys), "key by key": iotest.OneByteReader(strings.NewReader(keys))}
}

func TestHiddenText(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"\x04":                                      "",
		"secret\x04":                                "secret",
		"secret\r\x04":                              "secret\n",
		"two\rlines\rand more\x04":                  "two\nlines\nand more",
		"\tindented\n\x04":                          "\tindented\n",
		"größe\x7f\x7fße\x04":                       "größe",
		"off\x08n\x04":                              "ofn",
		"\x7f\x7fa\x04":                             "a",
		"one\rtwo\x15three\x04":                     "one\nthree",
		"one two  \x17three\x04":                    "one three",
		"one\r  \x17a\x04":                          "one\na",
		"a\x1b[Ab\x1bOBc\x1b[1;5Cd\x1b[3~e\x04":     "abcde",
		"a\x1bb\x04":                                "ab",
		"\x1b[200~pasted\rlines\x1b[201~\x04":       "pasted\nlines",
		"\x1b[200~a\x04b\x15\x7f\x17c\x1b[201~\x04": "a\x04b\x15\x7f\x17c",
		"\x1b[200~\x1b[31mred\x1b[0m\x1b[201~\x04":  "\x1b[31mred\x1b[0m",
		"\x1b[200~\x1b\x1b[201~\x04":                "\x1b",
		"\x1b[200~crlf\r\nfile\r\n\x1b[201~\x04":    "crlf\r\nfile\r\n",
		"\x1b[200~latin \xe4\xff\x00\x1b[201~\x04":  "latin \xe4\xff\x00",
		"left\x1b[200~mid\x1b[201~right\x04":        "leftmidright",
	} {
		for how, reader := range typedBy(keys) {
			var k keyboard
			if got, err := k.hiddenText(t.Context(), reader); err != nil || string(got) != want {
				t.Errorf("hiddenText(%q) %s: got %q, %v, want %q, nil", keys, how, got, err, want)
			}
		}
	}
}

// A hidden prompt is given up with Ctrl-C even if a terminal never says that a paste
// has ended.
func TestHiddenTextEnds(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]error{
		"secret\x03":          ErrInterrupted,
		"secret\x1a":          errTyped,
		"secret\x00\x04":      errTyped,
		"\x1b[200~secret\x03": ErrInterrupted,
		"secret":              ErrInterrupted, // the terminal was closed
		strings.Repeat("long", maxText/4) + "r\x04": errTooLong,
	} {
		var k keyboard
		if got, err := k.hiddenText(t.Context(), strings.NewReader(keys)); !errors.Is(err, want) {
			t.Errorf("hiddenText(%.20q): got %.20q, %v, want %v", keys, got, err, want)
		}
	}
}

func TestHiddenLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys, want string
		err        error
	}{
		{"phrase\r", "phrase", nil},
		{"phrase\n", "phrase", nil},
		{"\r", "", nil},
		{"wrong\x15phrase\r", "phrase", nil},
		{"phrases\x7f\r", "phrase", nil},
		{"phr\x1b[Dase\r", "phrase", nil},
		{"\x1b[200~pasted phrase\x1b[201~\r", "pasted phrase", nil},
		{"\x1b[200~pasted with its end\r\x1b[201~", "pasted with its end", nil},
		{"phr\x04ase\r", "phrase", nil},
		{"\x04", "", ErrInterrupted},
		{"phrase\x03", "", ErrInterrupted},
		{"phr\tase\r", "", errControl},
		{"phr\x00ase\r", "", errControl},
		{strings.Repeat("long", maxLine/4) + "r\r", "", errTooLong},
	} {
		for how, reader := range typedBy(c.keys) {
			var k keyboard
			if got, err := k.hiddenLine(t.Context(), reader); !errors.Is(err, c.err) || got != c.want {
				t.Errorf("hiddenLine(%.30q) %s: got %.20q, %v, want %.20q, %v", c.keys, how, got, err, c.want, c.err)
			}
		}
	}
}

// Who types ahead of the prompts, or pastes several answers, loses none.
func TestTypedAhead(t *testing.T) {
	t.Parallel()
	for how, reader := range typedBy("first\r\nsecond\rtext\r\x04third\r") {
		var k keyboard
		first, _ := k.hiddenLine(t.Context(), reader)
		second, _ := k.hiddenLine(t.Context(), reader)
		text, _ := k.hiddenText(t.Context(), reader)
		third, err := k.shownLine(t.Context(), reader)
		if got := []string{first, second, string(text), third}; err != nil || strings.Join(got, "|") != "first|second|text\n|third" {
			t.Errorf("prompts %s: got %q, %v, want first, second, text and third", how, got, err)
		}
	}
}

// A prompt that is given up must not swallow what is typed for the next one.
func TestGivenUpPrompt(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	var k keyboard
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.hiddenLine(ctx, reader); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("hiddenLine, given up: got %v, want ErrInterrupted", err)
	}
	go func() { _, _ = io.WriteString(writer, "answer\r") }()
	if got, err := k.hiddenLine(t.Context(), reader); err != nil || got != "answer" {
		t.Errorf("hiddenLine after one that was given up: got %q, %v, want answer", got, err)
	}
}
