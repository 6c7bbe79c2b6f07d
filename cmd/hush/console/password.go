package console

import (
	"context"
)

// Password reads a password from a file, or asks for it on a terminal. Without
// either it returns an empty one.
func (c *Console) Password(ctx context.Context, file string) (string, error) {
	switch {
	case file == "-":
		return c.FirstLine()
	case file == "" && c.InIsTerminal():
		return c.AskTwice(ctx, "password")
	case file == "":
		return "", nil
	default:
		if IsEverybodys(file) {
			c.Tellf("every user of this machine may read %s: run chmod 0600 on it", file)
		}
		return ReadSecretFile(file)
	}
}
