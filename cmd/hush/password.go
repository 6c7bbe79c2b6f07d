package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxLine is the most bytes of a line that holds something secret.
const maxLine = 4096

func passwordFile(at *string) define {
	return text(at, "", "`file` whose first line is the password, - for standard input")
}

// password reads a password from a file, or asks for it where somebody sits at
// a terminal. It is empty where there is neither.
func (p program) password(ctx context.Context, file string) (string, error) {
	switch file {
	case "":
		return p.askPassword(ctx)
	case "-":
		return firstLine(p.stdin)
	default:
		if isEverybodys(file) {
			fmt.Fprintf(p.stderr, "hush: everybody on this machine may read %s: better run chmod 0600 on it\n", file)
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

// askPassword asks twice for a password that is not shown. Without a terminal
// it answers none.
func (p program) askPassword(ctx context.Context) (string, error) {
	terminal, ok := p.stdin.(*os.File)
	if !ok {
		return "", nil
	}
	show, ok := hideTyping(terminal)
	if !ok {
		return "", nil
	}
	defer show()
	typed := make(chan typedLine, 1)
	lines := bufio.NewReader(terminal)
	var answers [2]string
	for i, prompt := range []string{"Password: ", "The same again: "} {
		fmt.Fprint(p.stderr, prompt)
		go func() {
			line, err := lines.ReadString('\n')
			typed <- typedLine{strings.TrimRight(line, "\r\n"), err}
		}()
		select {
		case got := <-typed:
			fmt.Fprintln(p.stderr)
			if got.err != nil {
				return "", fmt.Errorf("reading the password: %w", got.err)
			}
			answers[i] = got.text
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	if answers[0] != answers[1] {
		return "", errors.New("the two passwords are not the same; nothing was done")
	}
	return answers[0], nil
}

// typedLine is what somebody typed.
type typedLine struct {
	text string
	err  error
}
