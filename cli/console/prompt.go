package console

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Ask asks for a line. It returns ErrNoTerminal where CanAsk is false.
func (c *Console) Ask(ctx context.Context, prompt string) (string, error) {
	t, err := c.openTerminal()
	if err != nil {
		return "", err
	}
	defer t.close()
	fmt.Fprint(t.out, prompt)
	answer, err := t.keys.shownLine(ctx, t.in)
	if err != nil {
		fmt.Fprintln(t.out)
	}
	return answer, err
}

// Confirm asks a question, and reports whether the answer is the word yes.
func (c *Console) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := c.Ask(ctx, question+" (yes or no): ")
	return strings.EqualFold(strings.TrimSpace(answer), "yes"), err
}

// AskHidden asks for a line that the terminal does not show, as pasted or typed. It
// returns ErrNoTerminal where CanAsk is false.
func (c *Console) AskHidden(ctx context.Context, prompt string) (string, error) {
	var answer string
	err := c.hidden(func(t *terminal) (err error) {
		answer, err = t.hiddenLine(ctx, prompt)
		return err
	})
	return answer, err
}

// AskTwice asks for a new line that the terminal does not show, and for the same
// again. The noun, as in "password", names it in the prompt. It returns
// ErrNoTerminal where CanAsk is false.
func (c *Console) AskTwice(ctx context.Context, noun string) (string, error) {
	var first string
	err := c.hidden(func(t *terminal) (err error) {
		if first, err = t.hiddenLine(ctx, strings.ToUpper(noun[:1])+noun[1:]+": "); err != nil {
			return err
		}
		second, err := t.hiddenLine(ctx, "The same again: ")
		if err == nil && first != second {
			return fmt.Errorf("the two %ss differ; nothing was done", noun)
		}
		return err
	})
	return first, err
}

// AskText asks for a text of any number of lines that the terminal does not show. It
// ends with Ctrl-D, on an empty line or behind other characters; Ctrl-C ends the
// program's work with an error. It says how much it took, and returns ErrNoTerminal
// where CanAsk is false.
//
// The Enter key, and a line end of what is pasted, becomes a line feed. All other
// bytes are as they were pasted.
func (c *Console) AskText(ctx context.Context, prompt string) ([]byte, error) {
	var text []byte
	err := c.hidden(func(t *terminal) (err error) {
		if t.isShown { // the terminal marks what is pasted
			fmt.Fprint(t.out, "\x1b[?2004h")
			defer fmt.Fprint(t.out, "\x1b[?2004l")
		}
		fmt.Fprint(t.out, prompt, "\r\n")
		if text, err = t.keys.hiddenText(ctx, t.in); err == nil {
			fmt.Fprintf(t.out, "(%s, %s)\r\n", Count(lines(text), "lines"), Count(utf8.RuneCount(text), "characters"))
		}
		return err
	})
	return text, err
}

// lines returns the number of lines, one without an end included.
func lines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// hidden runs prompts on a terminal in raw mode. It shows nothing, and lasts over
// all prompts: what is typed ahead is not shown either.
func (c *Console) hidden(ask func(*terminal) error) error {
	t, err := c.openTerminal()
	if err != nil {
		return err
	}
	defer t.close()
	fd := int(t.in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return fmt.Errorf("hiding what is typed: %w", err)
	}
	defer func() { _ = term.Restore(fd, before) }()
	return ask(t)
}

func (t *terminal) hiddenLine(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(t.out, prompt)
	answer, err := t.keys.hiddenLine(ctx, t.in)
	fmt.Fprint(t.out, "\r\n")
	return answer, err
}
