package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	format "hush/backup"
	"hush/cli/command"
	"hush/cli/console"
	"hush/server/datafolder"
)

// identityCommand returns "hush admin backup keygen".
func (k backups) identityCommand() *cobra.Command {
	return &cobra.Command{
		Use: "keygen FILE", Short: "create an identity that opens backups", Args: command.Takes(1, 1), ValidArgsFunction: command.CompleteFiles,
		Long: `Create an identity of age in a new file, and print its recipient. Backups that are
encrypted to the recipient open with the file only: keep it apart from the service,
and a copy of it in another place.`,
		Example: `# Create an identity, and keep its recipient for backups
hush admin backup keygen backup.key > recipient`,
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] == "-" {
				return command.Usage("the identity goes to a file, and not to a stream: name one")
			}
			identity, recipient, err := format.NewIdentity()
			if err != nil {
				return err
			}
			err = writeIdentity(args[0], identity)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("the file %s exists already, and keygen overwrites none", args[0])
			}
			if err != nil {
				return fmt.Errorf("writing the identity: %w", console.NameFolder(args[0], err))
			}
			k.Tellf("wrote an identity to %s; its recipient:", args[0])
			_, err = fmt.Fprintln(k.Out, recipient)
			return err
		},
	}
}

// writeIdentity writes an identity, durably and never over another file.
func writeIdentity(path string, identity []byte) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	_, err = file.Write(identity)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return datafolder.SyncFolder(filepath.Dir(path))
}
