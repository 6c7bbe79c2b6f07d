package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"filippo.io/age"

	"hush/backup"
	"hush/cli/command"
	"hush/cli/console"
	"hush/seal"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/storage"
	"hush/storage/sharefile"
	"hush/vault/restoration"
)

// restoreOptions are the flags of "hush admin restore".
type restoreOptions struct {
	settings           *settings.Settings
	identities         []string // files
	burnAll            bool
	acceptResurrection bool
}

// restoreCommand returns "hush admin restore": it makes a data folder out of a backup, and ends
// in it what has ended since.
func (a administrator) restoreCommand() *cobra.Command {
	var o restoreOptions
	c := &cobra.Command{
		Use: "restore FILE|-", Short: "make a data folder out of a backup", Args: command.Takes(1, 1), ValidArgsFunction: command.CompleteFiles,
		Long: `Make a data folder out of a backup. The folder must be empty or missing; it may
have the root key, which no backup contains and which is needed, and the folder files
with the contents of shared files, which no backup contains either: a file whose content
is not there is burned. The old data must never be served again: a secret would open in
both places.

What has ended since the backup was made stays ended. The spent log of the service
(--spent-log) says what that is: opened, burned and expired secrets, revoked tokens,
destroyed accounts, changed passwords. Sessions, mailed links, invites, queued
mail and uploads of the backup always end. Without a log that reaches back to the backup,
nothing is restored, unless you choose one of

  --burn-all              every secret is burned; receipts and accounts stay
  --accept-resurrection   what has ended since the backup can be opened and used
                          again`,
		Example: `# Restore a backup; what has ended since stays ended
hush admin restore hush.backup --identity backup.key --data /var/lib/hush \
  --root-key-file /etc/hush/root.key --spent-log /mnt/other/hush-spent
# Restore accounts and receipts where there is no spent log
hush admin restore hush.backup --identity backup.key --data restored \
  --root-key-file /etc/hush/root.key --burn-all`,
	}
	command.AddDetails(c, `Until the end there is nothing in the folder that a service would open. If the
command is interrupted, run it again.`)
	o.settings = settings.Add(c, "data", "store", "root-key-file", "spent-log")
	c.Flags().StringArrayVarP(&o.identities, "identity", "i", nil, "`file` with an age identity that opens the backup; may be repeated")
	c.Flags().BoolVar(&o.burnAll, "burn-all", false, "burn every secret, instead of asking a spent log")
	c.Flags().BoolVar(&o.acceptResurrection, "accept-resurrection", false, "let what has ended since the backup come back, instead of asking a spent log")
	c.RunE = func(c *cobra.Command, args []string) error { return a.restore(c.Context(), args[0], o) }
	return c
}

// errRestoreShared is for a store that other means restore.
var errRestoreShared = command.Usage("restore makes data folders: restore a PostgreSQL database with pg_restore, as \"Several nodes on PostgreSQL\" in docs/operations/nodes.md says")

func (a administrator) restore(ctx context.Context, name string, o restoreOptions) (err error) {
	switch {
	case o.burnAll && o.acceptResurrection:
		return command.Usage("--burn-all does not go with --accept-resurrection")
	case o.settings.SharedStore():
		return errRestoreShared
	}
	if err := checkRestoreInput(name, o.identities); err != nil {
		return err
	}
	identities, err := a.readIdentities(ctx, o.identities)
	if err != nil {
		return err
	}
	file, done, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	from, err := backup.Open(file, identities)
	if err != nil {
		return explainRestoreError(err)
	}
	if err := datafolder.CheckBackup(from.Header); err != nil {
		return err
	}
	keys, err := datafolder.KeysOf(ctx, o.settings)
	if err != nil {
		return explainMissingKey(err, o.settings)
	}
	log, err := openRestoreLog(from.Header, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.close()) }()
	folder, err := datafolder.OpenRestoring(o.settings.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	return explainRestoreError(a.begin(o, from, folder, keys, log).run(ctx))
}

// checkRestoreInput refuses a command that would read several things from standard input, which
// the first one takes whole.
func checkRestoreInput(name string, identities []string) error {
	given := 0
	for _, file := range identities {
		if file == "-" {
			given++
		}
	}
	switch {
	case given > 0 && name == "-":
		return command.Usage("--identity: standard input has the backup; name a file")
	case given > 1:
		return command.Usage("--identity: standard input was given twice; name a file")
	}
	return nil
}

// explainMissingKey says where the root key belongs, which no backup contains.
func explainMissingKey(err error, s *settings.Settings) error {
	if !errors.Is(err, datafolder.ErrNoKey) {
		return err
	}
	if s.RootKeyFile != "" {
		return fmt.Errorf("%w %s: name the file with the root key of the data in the backup", datafolder.ErrNoKey, s.RootKeyFile)
	}
	return fmt.Errorf("the root key, which no backup contains, is missing: copy it to %s, or name its file with --root-key-file", filepath.Join(s.Data, datafolder.RootKeyName))
}

func (a administrator) readIdentities(ctx context.Context, files []string) (all []age.Identity, err error) {
	for _, name := range files {
		found, err := a.readIdentity(ctx, name)
		if errors.Is(err, console.ErrInterrupted) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("--identity=%s: %w", name, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func (a administrator) readIdentity(ctx context.Context, name string) ([]age.Identity, error) {
	file, done, err := a.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer done()
	return backup.Identities(file)
}

// explainRestoreError adds what an operator can do about an error.
func explainRestoreError(err error) error {
	switch {
	case errors.Is(err, storage.ErrFull):
		return fmt.Errorf("%w; nothing is left in the folder; make room, and run the command again", err)
	case errors.Is(err, context.Canceled), errors.Is(err, console.ErrInterrupted):
		return errors.New("interrupted; nothing is left in the folder; run the command again")
	}
	return err
}

// restoreRun is a restore under way.
type restoreRun struct {
	administrator
	restoreOptions

	restore *restoration.Restore
	from    *backup.Reader
	to      *datafolder.Restoring
	line    *console.Progress
	trailer backup.Trailer
	report  restoration.Report
}

// begin begins to restore a backup into a folder, by a log.
func (a administrator) begin(o restoreOptions, from *backup.Reader, to *datafolder.Restoring, keys *seal.Keys, log *restoreLog) *restoreRun {
	r := &restoreRun{administrator: a, restoreOptions: o, from: from, to: to, line: a.Progress()}
	r.restore = restoration.New(restoration.Options{
		Keys: keys, Now: time.Now, Log: slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Since: log.since, BurnAll: o.burnAll, Progress: r.showReplay,
		Blobs: datafolder.BlobsIn(filepath.Join(o.settings.Data, datafolder.FilesName)),
	})
	return r
}

func (r *restoreRun) run(ctx context.Context) error {
	if err := r.fill(ctx); err != nil {
		return err
	}
	err := r.settle(ctx)
	if missing := datafolder.MissingKeys(err); missing != nil {
		return fmt.Errorf("%w, which the backup needs; nothing was restored; put the line with that key into the file", missing)
	}
	if errors.Is(err, seal.ErrWrongRootKey) {
		return errors.New("the root key is not the one that the backup was made with; nothing was restored")
	}
	if err != nil {
		return err
	}
	if err := r.to.Commit(ctx, func(store storage.Store) error { return r.tellLog(ctx, store) }); err != nil {
		return err
	}
	r.tell()
	return nil
}

// fill stores what a restore keeps.
func (r *restoreRun) fill(ctx context.Context) (err error) {
	defer r.line.End()
	n := 0
	count := func() error {
		if n++; n%1024 == 0 {
			r.line.Show(func() string { return fmt.Sprintf("reading: %d rows and shares", n) })
			return ctx.Err()
		}
		return nil
	}
	r.trailer, err = r.from.All(
		func(bucket string, key, value []byte) error {
			if !r.restore.KeepsRow(bucket, key, value) {
				return count()
			}
			return errors.Join(count(), r.to.Row(bucket, key, value))
		},
		func(slot storage.Slot, share [storage.ShareSize]byte) error {
			if !r.restore.KeepsShare(slot) {
				return count()
			}
			return errors.Join(count(), r.to.Slot(slot, share))
		})
	if err != nil {
		return err
	}
	return r.to.Complete(ctx, sharefile.Extent{Slots: r.trailer.Slots, Generation: r.trailer.Generation})
}

// settle ends what no restore keeps, and what the log says.
func (r *restoreRun) settle(ctx context.Context) error {
	defer r.line.End()
	store, shares, err := r.to.Open()
	if err != nil {
		return err
	}
	r.report, err = r.restore.Settle(ctx, store, shares)
	return err
}

// showReplay shows how many entries of the log are replayed.
func (r *restoreRun) showReplay(done, of uint64) {
	if done == of {
		r.line.End()
		return
	}
	r.line.Show(func() string { return fmt.Sprintf("ending what the spent log says: %d of %d entries", done, of) })
}

// tellLog tells the log that the restored data replaces the old one.
func (r *restoreRun) tellLog(ctx context.Context, store storage.Store) error {
	if err := r.restore.Served(ctx, store); err != nil {
		return fmt.Errorf("the backup is restored into %s, but the spent log could not be told: %s; start the service on it, which tells the log, and never on the old data", r.settings.Data, err.Error()) // not an error after which nothing is left
	}
	return nil
}
