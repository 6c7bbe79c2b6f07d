package admin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/storage/bolt"
	"hush/storage/postgres"
	"hush/vault/doctor"
)

// doctorCommand returns "hush admin doctor": it examines the data of a service, and changes
// nothing.
func (a administrator) doctorCommand() *cobra.Command {
	d := examination{administrator: a}
	c := &cobra.Command{
		Use: "doctor", Short: "examine the data of a service", Args: command.Takes(0, 0),
		Long: `Examine the data of a service, and change nothing: files, root key, database and
shares, every row, the blobs of shared files, and what must hold between them. The data
folder may be mounted read-only. Nodes may go on serving a database.

A service that runs examines its rows and shares itself, as they are at one moment, and
goes on serving. The pages of hush.db, and what else changes meanwhile, need it
stopped: lines that begin with "not examined" say so.

Each kind of finding has a code, which docs/operations/doctor.md explains. An error
means that data or a promise is in danger, a warning that something is to be looked
at, and an info needs nothing. The spent log is not examined.

The exit code is 0 without an error, 1 with one, 2 for a wrong flag, and
3 if the data cannot be examined, for example because another command uses it.`,
		Example: `# Examine the service of /etc/hush/hush.yaml
hush admin doctor
# Examine a data folder, and print JSON
hush admin doctor --data ./hush-data --json`,
	}
	command.MarkExits(c, command.ExitOK, command.ExitFailure, command.ExitUsage, command.ExitUnable)
	d.settings = settings.AddExisting(c, "data", "root-key-file", "store")
	c.Flags().BoolVar(&d.asJSON, "json", false, "print the result as one JSON document")
	c.RunE = func(c *cobra.Command, _ []string) error { return d.run(c.Context()) }
	return c
}

// examination is one call of the command.
type examination struct {
	administrator

	settings *settings.Settings
	asJSON   bool
}

func (d examination) run(ctx context.Context) error {
	if d.settings.Store == settings.StoreMemory {
		return command.Usage("--store=memory holds no data that could be examined")
	}
	found, now := doctor.NewFindings(), time.Now()
	var err error
	place := "the data folder " + d.settings.Data
	if d.settings.SharedStore() {
		place = postgres.Place(d.settings.Store)
		err = d.examineDatabase(ctx, found)
	} else {
		err = d.examineData(ctx, found, now)
	}
	if ctx.Err() != nil {
		err = errors.New("interrupted; nothing was changed")
	}
	if err != nil {
		return &command.ExitError{Code: command.ExitUnable, Cause: err}
	}
	if err := d.print(examinationResult{place, now, found}); err != nil {
		return err
	}
	if found.Count(doctor.LevelError) > 0 {
		return &command.ExitError{Code: command.ExitFailure}
	}
	return nil
}

// examineFolder examines a data folder.
func (d examination) examineFolder(ctx context.Context, found *doctor.Findings, now time.Time) (err error) {
	folder, err := datafolder.Inspect(d.settings.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	entries, err := folder.Files()
	if err != nil {
		return err
	}
	files := folderFiles{folder: d.settings.Data, found: found}
	if err := files.examine(entries, folder.Warnings()); err != nil {
		return err
	}
	opts := doctor.Options{Store: folder, Blobs: datafolder.BlobsIn(filepath.Join(d.settings.Data, datafolder.FilesName)), Now: now, Findings: found}
	opts.Keys = files.rootKey(ctx, datafolder.RootKeyPath(d.settings), d.settings.RootKeyFile != "")
	if !files.present[datafolder.DatabaseName] {
		found.Skipped = append(found.Skipped, "the database is missing: neither rows nor shares were examined")
		return nil
	}
	line := d.Progress()
	defer line.End()
	err = folder.OpenDatabase(ctx, func(pages, of int64) {
		line.Show(func() string { return fmt.Sprintf("reading hush.db: %d of %d pages", pages, of) })
	})
	if d.note(ctx, found, doctor.CodeDatabase, err) {
		found.Skipped = append(found.Skipped, "the database is damaged: neither rows nor shares were examined")
		return ctx.Err()
	}
	d.note(ctx, found, doctor.CodeFolderCopied, folder.Copied())
	if slots, err := folder.OpenShares(ctx); !d.note(ctx, found, doctor.CodeShares, err) {
		opts.Slots = slots
		if slots.Torn > 0 {
			found.Note(doctor.CodeSharesTorn, console.Count(slots.Torn, "bytes")+" at its end")
		}
	} else if err := ctx.Err(); err != nil {
		return err
	} else {
		found.Skipped = append(found.Skipped, "the file of shares cannot be read: shares were not examined")
	}
	if opts.Names, err = folder.Buckets(); err != nil {
		return err
	}
	return d.examineRows(ctx, opts, line)
}

// note adds a finding for an error that is not about the call itself, and reports
// whether there is an error.
func (examination) note(ctx context.Context, found *doctor.Findings, code doctor.Code, err error) bool {
	switch {
	case err == nil:
		return false
	case ctx.Err() != nil:
	case errors.Is(err, bolt.ErrMismatch):
		found.Note(code, bolt.MismatchText(err))
	default:
		found.Note(code, err.Error())
	}
	return true
}

// examineDatabase examines a database that nodes may serve.
func (d examination) examineDatabase(ctx context.Context, found *doctor.Findings) (err error) {
	store, now, done, err := datafolder.ConnectExisting(ctx, d.settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	found.Skipped = append(found.Skipped,
		"shares, pages and the files of the data folder were not examined: PostgreSQL keeps the data")
	files := folderFiles{folder: d.settings.Data, found: found}
	opts := doctor.Options{Store: store, Served: true, Now: now, Findings: found}
	opts.Keys = files.rootKey(ctx, datafolder.RootKeyPath(d.settings), d.settings.RootKeyFile != "")
	line := d.Progress()
	defer line.End()
	return d.examineRows(ctx, opts, line)
}

func (d examination) examineRows(ctx context.Context, opts doctor.Options, line *console.Progress) error {
	if opts.Keys == nil {
		opts.Findings.Skipped = append(opts.Findings.Skipped, "without the root key nothing sealed was opened")
	}
	opts.Progress = func(bucket string, rows int64) {
		line.Show(func() string { return fmt.Sprintf("reading rows: %d, now in %q", rows, bucket) })
	}
	return doctor.Examine(ctx, opts)
}
