package main

import (
	"context"
	"fmt"

	"hush/seal"
)

// keygen prints a new root key, or writes it to a file that must not exist.
func (p program) keygen(_ context.Context, args []string) error {
	s, err := p.parse("keygen", "[FILE]", args)
	if err != nil {
		return err
	}
	switch len(s.rest) {
	case 0:
		_, err := p.stdout.Write(seal.NewRootKey().Text())
		return err
	case 1:
		if err := writeRootKey(s.rest[0]); err != nil {
			return fmt.Errorf("writing the root key: %w", err)
		}
		fmt.Fprintf(p.stderr, "hush: wrote a root key to %s\n", s.rest[0])
		return nil
	default:
		return usage("keygen takes one file at most")
	}
}
