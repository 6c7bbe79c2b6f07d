package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/storage/bolt"
	"hush/storage/bolt/offline"
	"hush/vault/doctor"
	"hush/vault/rows"
)

// compactCommand returns "hush admin compact": it gives the space of a stopped data folder back
// that nothing uses.
func (a administrator) compactCommand() *cobra.Command {
	m := compaction{administrator: a}
	c := &cobra.Command{
		Use: "compact", Short: "give back unused space of a stopped service", Args: command.Takes(0, 0),
		Long: `Rewrite the database of a stopped service without its free pages, and cut free
slots off the end of the file of shares. The data folder must not be in use.

The new database is written beside the old one, and takes its place once it was
compared with it row by row; the disk needs room for both. A compaction that was
interrupted, however it was, leaves all data in place: run it again. With --check
nothing is changed.

For a PostgreSQL database, use VACUUM there.`,
		Example: `# See how much can be given back
hush admin compact --check
# Give it back while the service is stopped
hush admin compact`,
	}
	m.settings = settings.AddExisting(c, "data", "store")
	c.Flags().BoolVar(&m.check, "check", false, "say what would be given back, and change nothing")
	c.RunE = func(c *cobra.Command, _ []string) error { return m.run(c.Context()) }
	return c
}

// compaction is one call of the command.
type compaction struct {
	administrator

	settings *settings.Settings
	check    bool
}

func (m compaction) run(ctx context.Context) (err error) {
	switch {
	case m.settings.SharedStore():
		return command.Usage("PostgreSQL gives space back itself: run VACUUM, or VACUUM FULL on a stopped service, in the database")
	case m.settings.Store == settings.StoreMemory:
		return command.Usage("--store=memory holds no data that could be compacted")
	}
	folder, err := datafolder.InspectData(m.settings.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	line := m.Progress()
	defer line.End()
	err = folder.OpenDatabase(ctx, func(pages, of int64) {
		line.Show(func() string { return fmt.Sprintf("reading hush.db: %d of %d pages", pages, of) })
	})
	opts := offline.CompactOptions{Check: m.check}
	if err == nil {
		opts.Last, err = m.lastSlot(ctx, folder) // refuses a newer format, before anything else does
	}
	if err == nil {
		_, err = folder.OpenShares(ctx)
	}
	if errors.Is(err, bolt.ErrMismatch) {
		return fmt.Errorf("%w; nothing was changed; \"hush admin doctor\" says more", err)
	}
	if err != nil {
		return err
	}
	step := offline.CompactStep("")
	opts.Step = func(s offline.CompactStep) error {
		step = s
		return nil
	}
	opts.Tell = func(rows int64) { line.Show(func() string { return fmt.Sprintf("%s: %d rows", step, rows) }) }
	done, err := folder.Compact(ctx, opts)
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; all data is in place, and can be served; run the command again")
	}
	if err != nil {
		return fmt.Errorf("%w; all data is in place, and can be served", err)
	}
	line.End()
	return m.tell(done)
}

// lastSlot returns the last slot in use, nil if it is not known.
func (m compaction) lastSlot(ctx context.Context, folder *offline.Inspection) (*uint64, error) {
	last, err := doctor.LastSlot(ctx, folder)
	if errors.Is(err, rows.ErrDamaged) {
		m.Tellf("the file of shares stays as it is, since rows that own a part of it cannot be read; \"hush admin doctor\" names them")
		return nil, nil
	}
	return &last, err
}

func (m compaction) tell(done offline.Compacted) error {
	lines := [][]string{
		{datafolder.DatabaseName, mebibytes(done.DatabaseBefore), mebibytes(done.DatabaseAfter)},
		{datafolder.SharesName, mebibytes(done.SharesBefore), mebibytes(done.SharesAfter)},
	}
	if err := m.Table("FILE,BEFORE,AFTER", lines); err != nil {
		return err
	}
	if m.check {
		m.Tellf("nothing was changed; a compaction needs %s of free space while it runs", mebibytes(done.Needed))
		return nil
	}
	m.Tellf("compacted %s, and compared them all", console.Count(done.Rows, "rows"))
	return nil
}
