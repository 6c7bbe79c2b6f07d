package console

import "context"

// Password reads a password from a file, or asks for it on a terminal. Without
// either it returns an empty one.
func (c *Console) Password(ctx context.Context, file string) (string, error) {
	switch {
	case file != "":
		return c.SecretLine(ctx, file)
	case c.InIsTerminal():
		return c.AskTwice(ctx, "password")
	default:
		return "", nil
	}
}
