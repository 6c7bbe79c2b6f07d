package admin

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/server/settings"
)

// command returns "hush admin keys".
func (k rootKeys) command() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "keys", Short: "list, rotate and retire root keys",
		Long: "List, rotate and retire the root keys of a service." + serviceHelp,
		Example: `# Use another root key, and see what still needs the old one
hush admin keys rotate
hush admin keys list`,
	}, k.listCommand(), k.rotateCommand(), k.retireCommand())
}

func (k rootKeys) listCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "list the root keys and what depends on each", Args: command.Takes(0, 0),
		Long: `List the root keys, the newest first, and count what depends on each of them.

This reads all rows, and opens none.` + serviceHelp,
		Example: `# List the root keys
hush admin keys list`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.RunE = func(c *cobra.Command, _ []string) error { return k.list(c.Context(), s, asJSON) }
	return c
}

func (k rootKeys) list(ctx context.Context, s *settings.Settings, asJSON bool) error {
	var list *adminv1.ListRootKeysResponse
	err := k.withService(ctx, s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		list, err = admin.ListRootKeys(ctx, &adminv1.ListRootKeysRequest{})
		return err
	})
	if err != nil {
		return err
	}
	if asJSON {
		return k.printJSON(list)
	}
	if n := list.GetDamagedCount(); n > 0 {
		k.Tellf("%s cannot be read and not counted: run \"hush admin doctor\"", console.Count(n, "rows"))
	}
	return k.Table("KEY,STATE,SINCE,NEEDED BY", rootKeyRows(list))
}

func rootKeyRows(list *adminv1.ListRootKeysResponse) (rows [][]string) {
	for _, name := range list.GetUnlisted() {
		rows = append(rows, []string{name, "in the file only", "", "nothing yet"})
	}
	for _, key := range list.GetKeys() {
		since, uses := "the beginning", make([]string, 0, len(key.GetUses()))
		if at := key.GetSinceTime(); at != nil {
			since = at.AsTime().Format(time.DateTime + "Z")
		}
		for _, use := range key.GetUses() {
			uses = append(uses, console.Count(use.GetCount(), use.GetKind()))
		}
		if len(uses) == 0 {
			uses = []string{"nothing"}
		}
		rows = append(rows, []string{key.GetName(), key.GetState(), since, strings.Join(uses, ", ")})
	}
	return rows
}

func (k rootKeys) rotateCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "rotate [KEY]", Short: "use another root key for everything new", Args: command.Takes(0, 1),
		Long: `Make another root key the current one, which everything new is sealed with.

If the root key is root.key in the data folder, this makes a new key and adds it to
that file. Otherwise add one to the file first, with "hush admin keygen --add FILE".
If the file has several keys that are not in use, KEY names one as "hush admin keys
list" does.

The file must keep the old keys: they open what they sealed. While the service
runs, it seals addresses, feedback and certificates anew; "hush admin keys list"
shows what still needs the old key.` + serviceHelp,
		Example: `# Use another root key
hush admin keys rotate`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error {
		request := &adminv1.RotateRootKeyRequest{}
		if len(args) > 0 {
			request.Name = args[0]
		}
		var rotated *adminv1.RotateRootKeyResponse
		err := k.withService(c.Context(), s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
			rotated, err = admin.RotateRootKey(ctx, request)
			return err
		})
		if err != nil {
			return err
		}
		k.Tellf("the root key %s is the current one: keep a copy of the root key file apart from the data, with all its lines", rotated.GetName())
		return nil
	}
	return c
}

func (k rootKeys) retireCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "retire KEY", Short: "end the use of an old root key", Args: command.Takes(1, 1),
		Long: `End the use of an old root key, which "hush admin keys list" names. It is
refused while anything depends on the key: then it names what does.

A key in root.key of the data folder is removed from the file. From any other file
remove its line afterwards. Backups that were made before need the key: copy the
file to another place first.` + serviceHelp,
		Example: `# Retire the key that nothing needs any more
hush admin keys retire 5e0c9a41`,
	}
	s := settings.AddExisting(c, serviceFlags()...)
	c.RunE = func(c *cobra.Command, args []string) error {
		var retired *adminv1.RetireRootKeyResponse
		err := k.withService(c.Context(), s, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
			retired, err = admin.RetireRootKey(ctx, &adminv1.RetireRootKeyRequest{Name: args[0]})
			return err
		})
		switch {
		case err != nil:
			return err
		case retired.GetRemoved():
			k.Tellf("the root key %s is retired, and is not in the root key file any more", args[0])
		default:
			k.Tellf("the root key %s is retired: remove its line from the root key file", args[0])
		}
		k.Tellf("backups that were made before this need it: keep a copy of its line as long as you keep them")
		return nil
	}
	return c
}
