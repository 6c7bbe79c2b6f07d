package console

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/atotto/clipboard"
)

const (
	// maxTerminalCopy is the longest text for the clipboard of a terminal, encoded.
	// Some terminals drop longer ones without a word.
	maxTerminalCopy = 74994
	// clearTime bounds clearing the clipboard after the program was interrupted.
	clearTime = 5 * time.Second
)

// Copy puts a text into the clipboard, and returns a function that clears it if it
// still has the text. It uses the tools of the system, which get the text on their
// standard input, or else asks the terminal on standard error. What a terminal's
// clipboard has cannot be known, so that it is cleared in any case. One tool, wl-copy,
// keeps a text in a temporary file of its own while the clipboard has it.
func (c *Console) Copy(ctx context.Context, text string) (clearIt func() error, err error) {
	toolErr := withTool(ctx, func() error { return clipboard.WriteAll(text) })
	if toolErr == nil {
		return func() error { return clearWithTool(text) }, nil
	}
	if ctx.Err() != nil {
		return nil, interrupted(ctx)
	}
	if !c.takesCopies() {
		return nil, fmt.Errorf("copying to the clipboard: %w", toolErr)
	}
	if base64.StdEncoding.EncodedLen(len(text)) > maxTerminalCopy {
		return nil, errors.New("the text is too long for the clipboard of the terminal")
	}
	copyByTerminal(c.Err, text)
	return func() error { copyByTerminal(c.Err, ""); return nil }, nil
}

// CanCopy returns why Copy would fail for every text; nil if it would not. Commands
// ask before they do what cannot be undone. A tool that is installed may still have no
// display to speak to, so that it is used: the text that the clipboard has is read, or
// an empty one is written where there is none.
func (c *Console) CanCopy(ctx context.Context) error {
	err := withTool(ctx, func() error {
		if _, err := clipboard.ReadAll(); err == nil {
			return nil
		}
		return clipboard.WriteAll("")
	})
	switch {
	case ctx.Err() != nil:
		return ErrInterrupted
	case err == nil || c.takesCopies():
		return nil
	default:
		return fmt.Errorf("copying to the clipboard: %w", err)
	}
}

// takesCopies reports whether there is a terminal that may have a clipboard.
func (c *Console) takesCopies() bool { return c.ErrIsTerminal() && os.Getenv("TERM") != "dumb" }

// errNoTool is the error of withTool where the system has no tool.
var errNoTool = errors.New("no program for it was found: install wl-clipboard, xclip or xsel")

// withTool uses the tool of the system. One that hangs does not hold the program.
func withTool(ctx context.Context, use func() error) error {
	if clipboard.Unsupported {
		return errNoTool
	}
	used := make(chan error, 1)
	go func() { used <- use() }()
	select {
	case err := <-used:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func clearWithTool(text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), clearTime)
	defer cancel()
	err := withTool(ctx, func() error {
		now, err := clipboard.ReadAll()
		if err != nil || now != text {
			return err
		}
		return clipboard.WriteAll("")
	})
	if err != nil {
		return fmt.Errorf("clearing the clipboard: %w", err)
	}
	return nil
}

// copyByTerminal asks the terminal, maybe on another machine, to take a text into
// its clipboard: operating system command 52.
func copyByTerminal(terminal io.Writer, text string) {
	fmt.Fprintf(terminal, "\x1b]52;c;%s\a", base64.StdEncoding.EncodeToString([]byte(text)))
}

// ClearAfter waits, and clears the clipboard with what Copy returned; at once when ctx
// ends. It says so, and counts down on a terminal.
func (c *Console) ClearAfter(ctx context.Context, clearIt func() error, wait time.Duration) error {
	c.countDown(ctx, wait)
	if err := clearIt(); err != nil {
		return err
	}
	c.Tellf("the clipboard does not have it any more")
	return nil
}

// countDown waits, and says for how long the clipboard has the text.
func (c *Console) countDown(ctx context.Context, wait time.Duration) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	left := int64((wait + time.Second - 1) / time.Second)
	if !c.ErrIsTerminal() {
		c.Tellf("the clipboard is cleared in %s", Count(left, "seconds"))
	}
	for ; left > 0; left-- {
		if c.ErrIsTerminal() {
			fmt.Fprintf(c.Err, "\r\x1b[Khush: the clipboard is cleared in %s; Ctrl-C clears it at once", Count(left, "seconds"))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			left = 0
		}
	}
	if c.ErrIsTerminal() {
		fmt.Fprint(c.Err, "\r\x1b[K")
	}
}
