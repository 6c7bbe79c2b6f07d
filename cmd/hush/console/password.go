package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Password reads a password from a file, or asks for it on a terminal. Without
// either it returns an empty one.
func (c *Console) Password(ctx context.Context, file string) (string, error) {
	switch file {
	case "":
		return c.askPassword(ctx)
	case "-":
		return c.FirstLine()
	default:
		if IsEverybodys(file) {
			c.Tellf("every user of this machine may read %s: run chmod 0600 on it", file)
		}
		return ReadSecretFile(file)
	}
}

// askPassword asks twice for a password that the terminal does not show. It
// returns an empty one if standard input is not a terminal.
func (c *Console) askPassword(ctx context.Context) (string, error) {
	input, ok := c.In.(*os.File)
	if !ok || !term.IsTerminal(int(input.Fd())) {
		return "", nil
	}
	// Raw mode shows nothing, and lasts over both prompts: what is typed ahead
	// is not shown either.
	fd := int(input.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", fmt.Errorf("hiding the password: %w", err)
	}
	defer func() { _ = term.Restore(fd, before) }()
	typed := make(chan typedPassword, 1)
	go func() { typed <- typePassword(&terminal{Reader: input, Writer: c.Err}) }()
	select {
	case got := <-typed:
		return got.password, got.err
	case <-ctx.Done():
		fmt.Fprint(c.Err, "\r\n")
		return "", ctx.Err()
	}
}

// terminal reads what is typed and writes prompts beside the output.
type terminal struct {
	io.Reader
	io.Writer
	dropped bool // a character was typed that package term leaves out
}

// editingKeys are the control characters that end a line or edit it.
const editingKeys = "\x01\x02\x03\x04\x05\x06\x08\n\x0b\x0c\r\x0e\x10\x14\x15\x17\x1b\x7f"

// Read notes control characters that are part of what was typed, such as tabs.
// Package term drops them, and the password would not be the one typed.
func (t *terminal) Read(b []byte) (int, error) {
	n, err := t.Reader.Read(b)
	for _, c := range b[:n] {
		t.dropped = t.dropped || c < ' ' && strings.IndexByte(editingKeys, c) < 0
	}
	return n, err
}

// typedPassword is what was typed at the prompts.
type typedPassword struct {
	password string
	err      error
}

var (
	errInterrupted = errors.New("interrupted; nothing was done")
	errDropped     = errors.New("a password typed here may not contain tabs or other control characters; nothing was done")
)

func typePassword(t *terminal) (typed typedPassword) {
	prompts := term.NewTerminal(t, "")
	var answers [2]string
	for i, prompt := range []string{"Password: ", "The same again: "} {
		answer, err := prompts.ReadPassword(prompt)
		if errors.Is(err, io.EOF) { // in raw mode Ctrl-C is a key like others
			return typedPassword{err: errInterrupted}
		}
		if err != nil {
			return typedPassword{err: fmt.Errorf("reading the password: %w", err)}
		}
		if t.dropped {
			return typedPassword{err: errDropped}
		}
		answers[i] = answer
	}
	if answers[0] != answers[1] {
		return typedPassword{err: errors.New("the two passwords differ; nothing was done")}
	}
	return typedPassword{password: answers[0]}
}
