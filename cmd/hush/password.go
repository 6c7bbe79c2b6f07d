package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxLine is the maximum bytes of a line that contains a secret value.
const maxLine = 4096

func passwordFile(at *string) define {
	return text(at, "", "`file` whose first line is the password, - for standard input")
}

// password reads a password from a file, or asks for it on a terminal. Without
// either it returns an empty one.
func (p program) password(ctx context.Context, file string) (string, error) {
	switch file {
	case "":
		return p.askPassword(ctx)
	case "-":
		return firstLine(p.stdin)
	default:
		if isEverybodys(file) {
			fmt.Fprintf(p.stderr, "hush: every user of this machine may read %s: run chmod 0600 on it\n", file)
		}
		return readSecretFile(file)
	}
}

// firstLine returns a line without its end. An empty one is an error.
func firstLine(from io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(from, maxLine+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	switch {
	case line == "":
		return "", errors.New("the first line is empty")
	case len(line) > maxLine:
		return "", fmt.Errorf("the first line is longer than %d bytes", maxLine)
	}
	return line, nil
}

// askPassword asks twice for a password that the terminal does not show. It
// returns an empty one if standard input is not a terminal.
func (p program) askPassword(ctx context.Context) (string, error) {
	input, ok := p.stdin.(*os.File)
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
	go func() { typed <- typePassword(term.NewTerminal(terminal{input, p.stderr}, "")) }()
	select {
	case got := <-typed:
		return got.password, got.err
	case <-ctx.Done():
		fmt.Fprint(p.stderr, "\r\n")
		return "", ctx.Err()
	}
}

// terminal reads what is typed and writes prompts beside the output.
type terminal struct {
	io.Reader
	io.Writer
}

// typedPassword is what was typed at the prompts.
type typedPassword struct {
	password string
	err      error
}

var errInterrupted = errors.New("interrupted; nothing was done")

func typePassword(prompts *term.Terminal) (typed typedPassword) {
	var answers [2]string
	for i, prompt := range []string{"Password: ", "The same again: "} {
		answer, err := prompts.ReadPassword(prompt)
		if errors.Is(err, io.EOF) { // in raw mode Ctrl-C is a key like others
			return typedPassword{err: errInterrupted}
		}
		if err != nil {
			return typedPassword{err: fmt.Errorf("reading the password: %w", err)}
		}
		answers[i] = answer
	}
	if answers[0] != answers[1] {
		return typedPassword{err: errors.New("the two passwords differ; nothing was done")}
	}
	return typedPassword{password: answers[0]}
}
