package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"hush/cmd/hush/command"
	"hush/cmd/hush/data"
	"hush/seal"
)

// keygenCommand prints a new root key, or writes it to a file that must not
// exist.
func (p program) keygenCommand() *cobra.Command {
	return &cobra.Command{
		Use: "keygen [FILE]", Short: "create a root key and print it, or write it to a new file", Args: command.Takes(0, 1), ValidArgsFunction: command.CompleteFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := p.console.Out.Write(seal.NewRootKey().Text())
				return err
			}
			err := data.WriteRootKey(args[0])
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("the file %s exists already, and keygen overwrites none", args[0])
			}
			if err != nil {
				return fmt.Errorf("writing the root key: %w", err)
			}
			p.console.Tellf("wrote a root key to %s", args[0])
			return nil
		},
	}
}
