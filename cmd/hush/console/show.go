package console

import (
	"context"
	"time"
)

// Printable returns a text for a terminal: line ends and tabs stay, and every other
// character that a terminal could obey is shown as an escape, such as \x1b.
func Printable(text []byte) string { panic("to be written") }

// IsBinary reports whether bytes are not a text in UTF-8, or have a zero byte.
func IsBinary(bytes []byte) bool { panic("to be written") }

// Copy puts a text into the clipboard, and returns a function that clears it if it
// still has the text.
func (c *Console) Copy(ctx context.Context, text string) (clear func() error, err error) {
	panic("to be written")
}

// CopyFor puts a text into the clipboard, waits, and clears it; it clears at once
// when ctx ends. On a terminal it counts down.
func (c *Console) CopyFor(ctx context.Context, text string, wait time.Duration) error {
	panic("to be written")
}

// QR draws a QR code of a text on standard error.
func (c *Console) QR(text string) error { panic("to be written") }
