package console

import "context"

// OutIsTerminal reports whether standard output is a terminal.
func (c *Console) OutIsTerminal() bool { panic("to be written") }

// ErrIsTerminal reports whether standard error is a terminal.
func (c *Console) ErrIsTerminal() bool { panic("to be written") }

// InIsTerminal reports whether standard input is a terminal.
func (c *Console) InIsTerminal() bool { panic("to be written") }

// CanAsk reports whether there is a terminal to ask on: standard input, or else the
// terminal of the process, /dev/tty.
func (c *Console) CanAsk() bool { panic("to be written") }

// Ask asks for a line. It returns ErrNoTerminal where CanAsk is false.
func (c *Console) Ask(ctx context.Context, prompt string) (string, error) { panic("to be written") }

// AskHidden asks for a line that the terminal does not show, as pasted or typed. It
// returns ErrNoTerminal where CanAsk is false.
func (c *Console) AskHidden(ctx context.Context, prompt string) (string, error) {
	panic("to be written")
}

// AskText asks for a text of any number of lines that the terminal does not show. It
// ends with Ctrl-D; Ctrl-C ends the program's work with an error.
func (c *Console) AskText(ctx context.Context, prompt string) ([]byte, error) {
	panic("to be written")
}

// Confirm asks a question, and reports whether the answer is the word yes.
func (c *Console) Confirm(ctx context.Context, question string) (bool, error) {
	panic("to be written")
}
