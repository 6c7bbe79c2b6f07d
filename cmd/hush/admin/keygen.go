package admin

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/seal"
	"hush/server/datafolder"
)

// keygenCommand returns "hush admin keygen": it prints a new root key, or writes it to a
// file that must not exist.
func (a administrator) keygenCommand() *cobra.Command {
	var add bool
	c := &cobra.Command{
		Use: "keygen [FILE]", Short: "create a root key and print it, or write it to a new file", Args: command.Takes(0, 1), ValidArgsFunction: command.CompleteFiles,
		Long: `Create a root key and print it, or write it to a new file.

With --add the key becomes another line of a root key file that exists, for "hush
admin keys rotate". The old keys stay: they open what they sealed.`,
		Example: `# Write a root key to a new file
hush admin keygen /etc/hush/root.key
# Add a key to it, for "hush admin keys rotate"
hush admin keygen --add /etc/hush/root.key`,
	}
	command.HoldOutput(c)
	c.Flags().BoolVar(&add, "add", false, "add the key to the root key file, which exists")
	c.RunE = func(_ *cobra.Command, args []string) error {
		switch {
		case add && len(args) == 0:
			return command.Usage("--add needs FILE, the root key file that gets the key")
		case add:
			return a.addKey(args[0])
		case len(args) == 0 || args[0] == "-":
			return a.printKey()
		}
		err := datafolder.WriteRootKey(args[0])
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("the file %s exists already, and keygen overwrites none", args[0])
		}
		if err != nil {
			return fmt.Errorf("writing the root key: %w", console.NameFolder(args[0], err))
		}
		a.Tellf("wrote a root key to %s", args[0])
		return nil
	}
	return c
}

// printKey prints a new root key.
func (a administrator) printKey() error {
	if err := command.NeedOutput(a.Console, "the root key would be lost: name a file"); err != nil {
		return err
	}
	_, err := a.Out.Write(seal.NewRootKey().Text())
	return err
}

// addKey adds a new root key to a file.
func (a administrator) addKey(path string) error {
	root := seal.NewRootKey()
	if err := datafolder.AddRootKey(path, root); err != nil {
		return fmt.Errorf("adding a root key: %w", err)
	}
	a.Tellf("added the root key %x to %s; \"hush admin keys rotate\" makes it the current one", root.KID(), path)
	return nil
}
