package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/seal"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/storage"
	"hush/vault/transfer"
)

// command returns "hush admin store": it looks after whole stores, while no service uses
// them.
func (k stores) command() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "store", Short: "move the data of a service to another store",
		Long: `Move the data of a stopped service from a data folder to a PostgreSQL database,
or from a database to a data folder.`,
		Example: `# See whether a folder can be moved to a database, and move it
hush admin store copy --check ./hush-data postgres://hush@db.example.com/hush
hush admin store copy ./hush-data postgres://hush@db.example.com/hush`,
	}, k.copyCommand(), k.abandonCommand())
}

func (k stores) copyCommand() *cobra.Command {
	var opts copyOptions
	c := &cobra.Command{
		Use: "copy FROM TO", Short: "move all data to an empty store", Args: command.Takes(2, 2), ValidArgsFunction: command.CompleteFiles,
		Long: `Move all data of a stopped service to an empty store, compare every row, and
retire the source. FROM and TO are data folders or URLs of PostgreSQL databases,
such as postgres://hush@db.example.com/hush. Put a password into PGPASSWORD or a
password file, not into the URL, where other users of the machine can see it.

Both stores have the same root key: the file of --root-key-file, or else root.key
in FROM or TO if that is a folder. The copy does not contain it.

Neither store can be served before the copy is finished. If it is interrupted, run
the same command again: it continues. "hush admin store abandon" gives it up. When
every row was compared, FROM is retired for good, its shares are destroyed, and TO
can be served: a secret opens at most once, wherever it is. Only another copy, from
TO to a new store, brings the data back. With --check nothing is copied, created or
retired.`,
		Example: `# See whether a folder can be moved to a database
hush admin store copy --check ./hush-data postgres://hush@db.example.com/hush
# Move it
hush admin store copy ./hush-data postgres://hush@db.example.com/hush`,
	}
	command.AddDetails(c, `Rows that cannot be read are named, and nothing is copied. With --skip-damaged the
other rows are copied. The damaged ones stay in FROM.

A folder FROM that is a copy itself is refused, as by "hush serve": what waits there
could be opened in TO and in the old folder. --moved says that the old one is gone for
good, or that TO is never served.`)
	opts.settings = settings.Add(c, "root-key-file")
	c.Flags().BoolVar(&opts.check, "check", false, "only read FROM and see whether TO is empty; copy nothing")
	c.Flags().BoolVar(&opts.skipDamaged, "skip-damaged", false, "leave out rows that cannot be read")
	c.Flags().BoolVar(&opts.moved, "moved", false, "copy from a data folder that is refused as a copy")
	c.RunE = func(c *cobra.Command, args []string) error { return k.copy(c.Context(), args[0], args[1], opts) }
	return c
}

func (k stores) abandonCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "abandon FROM", Short: "give up an unfinished copy", Args: command.Takes(1, 1), ValidArgsFunction: command.CompleteFiles,
		Long: `Give up a copy of FROM that is not finished, so that FROM can be served again.
The unfinished target keeps what was copied, and can never be served. Before you
copy there again, delete the folder, or drop the database or the schema hush in it.`,
		Example: `# Give up the copy of a folder
hush admin store abandon ./hush-data`,
	}
	s := settings.Add(c, "root-key-file")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if err := checkStores(args...); err != nil {
			return err
		}
		ends, err := datafolder.OpenEnds(c.Context(), args[0], "", s.RootKeyFile, false, false, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ends.Close()) }()
		if err := transfer.Abandon(c.Context(), ends.Options); err != nil {
			return err
		}
		k.Tellf("the copy of %s is given up; it can be served again; delete the unfinished target, which never can", ends.Options.From.Name)
		return nil
	}
	return c
}

// urlPattern is what was meant to be the URL of a database.
var urlPattern = regexp.MustCompile(`://|^(?i)postgres(ql)?:`)

// checkStores refuses URLs that name no database. One that is mistyped would be a
// folder, whose name has the password in it.
func checkStores(places ...string) error {
	for _, place := range places {
		if !settings.IsDatabase(place) && urlPattern.MatchString(place) {
			return command.Usage("the URL of a database begins with postgres://")
		}
	}
	return nil
}

// copyOptions are the flags of "hush admin store copy".
type copyOptions struct {
	settings    *settings.Settings
	check       bool
	skipDamaged bool
	moved       bool
}

func (k stores) copy(ctx context.Context, from, to string, o copyOptions) (err error) {
	if err := checkStores(from, to); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(k.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ends, err := datafolder.OpenEnds(ctx, from, to, o.settings.RootKeyFile, !o.check, o.moved, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ends.Close()) }()
	opts := ends.Options
	opts.SkipDamaged, opts.CheckOnly = o.skipDamaged, o.check
	shown := &copyProgress{line: k.Progress()}
	opts.Progress = shown.show
	began := time.Now()
	report, err := transfer.Copy(ctx, opts)
	shown.line.End()
	if wrong := k.tellBuckets(report); err == nil {
		err = wrong
	}
	switch {
	case errors.Is(err, transfer.ErrDamagedRows):
		return fmt.Errorf("%w; nothing was changed; --skip-damaged leaves them out", err)
	case errors.Is(err, transfer.ErrChanged):
		return fmt.Errorf("%w; run \"hush admin store abandon\", delete the target, and begin anew", err)
	case errors.Is(err, storage.ErrFull):
		return fmt.Errorf("%w; make room, and run the same command again", err)
	case errors.Is(err, context.Canceled) && !o.check:
		return errors.New("interrupted: run the same command again to continue, or give the copy up with \"hush admin store abandon\"")
	case errors.Is(err, seal.ErrWrongRootKey):
		return fmt.Errorf("the root key is not the one that %s was made with; nothing was changed", opts.From.Name)
	case err != nil:
		return err
	case report.Before:
		k.Tellf("the copy was finished before: the data is in %s", opts.To.Name)
		return nil
	case o.check:
		k.Tellf("%s and %s can be copied; nothing was changed", console.Count(report.Rows, "rows"), console.Count(report.Shares, "shares"))
		return nil
	}
	k.tellDone(report, opts, time.Since(began))
	return nil
}
