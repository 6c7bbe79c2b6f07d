package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

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
	go func() { typed <- typePassword(term.NewTerminal(terminal{input, c.Err}, "")) }()
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
