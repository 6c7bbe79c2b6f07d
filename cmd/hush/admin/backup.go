package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"connectrpc.com/connect"
	"filippo.io/age"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	format "hush/backup"
	"hush/cli/command"
	"hush/cli/console"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/server/datafolder"
	"hush/server/settings"
)

// command returns "hush admin backup": it makes backups of a service, checks them, and
// creates the identities that open them.
func (k backups) command() *cobra.Command {
	c := k.makeCommand()
	c.AddCommand(k.verifyCommand(), k.identityCommand())
	return c
}

// backupOptions are the flags of "hush admin backup".
type backupOptions struct {
	settings       *settings.Settings
	file           string
	recipients     []age.Recipient
	recipientsFile string
	plain          bool
}

func (k backups) makeCommand() *cobra.Command {
	var o backupOptions
	c := &cobra.Command{
		Use: "backup [-o FILE|-]", Short: "back up the data folder of a service", Args: command.Takes(0, 1),
		Long: `Write a backup of the data folder to a new file, or to standard output for "-".
It works whether or not the service is running, and does not stop it.

The backup is encrypted to recipients of age. "hush admin backup keygen FILE"
creates an identity: the recipient that it prints goes to --recipient, and the file
to a place apart from the service, since only it opens the backups.

The backup contains neither the root key nor certificates. Keep a copy of the root
key elsewhere: without it nothing in a backup can be opened.`,
		Example: `# Write a backup to a file, for the recipient that "keygen" printed
hush admin backup keygen backup.key > recipient
hush admin backup --recipients-file recipient -o hush.backup
# Make one more beside those that the service makes
hush admin backup --config /etc/hush/hush.yaml`,
	}
	command.AddDetails(c, `Without -o it goes to the folder of "backup-to" in the configuration, where the
service never deletes it. Without --recipient, --recipients-file and --plain it is
encrypted to "backup-recipient" there; "backup-plain" counts for that folder alone.`)
	service := []string{"backup-to", "backup-recipient", "backup-plain"} // of the service, in its configuration
	o.settings = settings.AddExisting(c, append(service, "data", "root-key-file", "store")...)
	f := c.Flags()
	for _, name := range service {
		_ = f.MarkHidden(name) // which fails only for a flag that does not exist
	}
	f.StringVarP(&o.file, "output", "o", "", "new `file` to write; - is standard output")
	settings.AddRecipients(c, &o.recipients)
	f.StringVar(&o.recipientsFile, "recipients-file", "", "`file` with a recipient in each line")
	f.BoolVar(&o.plain, "plain", false, "do not encrypt: a thief of the file has the data of the service")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			if args[0] != "-" || o.file != "" {
				return command.Usage("unexpected argument %q: name a file with -o", args[0])
			}
			o.file = "-"
		}
		return k.make(c.Context(), o)
	}
	return c
}

// make makes a backup.
func (k backups) make(ctx context.Context, o backupOptions) (err error) {
	to, err := o.recipientsOf(ctx)
	if err != nil {
		return err
	}
	if o.file == "" && o.settings.BackupTo != "" {
		o.file = filepath.Join(o.settings.BackupTo, format.NameAt("hush-", time.Now(), len(to) > 0))
	}
	if o.settings.SharedStore() {
		return command.Usage("%v", datafolder.ErrNoBackup)
	}
	if o.settings.Store == settings.StoreMemory {
		return errors.New("a store in memory belongs to the service that keeps it: it cannot be backed up")
	}
	out, done, err := k.output(o)
	if err != nil {
		return err
	}
	defer func() { err = done(backupInterrupted(ctx, err)) }()
	began := time.Now()
	counted := &countingWriter{to: out}
	sealed, err := format.Encrypt(counted, to)
	if err != nil {
		return err
	}
	shown := &backupProgress{line: k.Progress()}
	err = k.copyTo(ctx, o.settings, sealed, shown)
	shown.line.End()
	if err == nil {
		err = sealed.Close()
	}
	if err != nil {
		return err
	}
	k.Tellf("backed up %s to %s in %s%s; the root key is not in it", sizeText(counted.bytes), o.placeText(), time.Since(began).Round(time.Millisecond), encryptedText(len(to)))
	return nil
}

// placeText returns where the backup goes to, for people.
func (o backupOptions) placeText() string {
	if o.file == "-" {
		return "standard output"
	}
	return console.Visible(o.file)
}

// backupInterrupted returns what an operator reads who ended the command.
func backupInterrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted; no backup was made")
	}
	return err
}

func encryptedText(recipients int) string {
	if recipients == 0 {
		return ", not encrypted"
	}
	return ", encrypted to " + console.Count(recipients, "recipients")
}

// recipientsOf returns who can open the backup; none for a plain one.
func (o backupOptions) recipientsOf(ctx context.Context) ([]age.Recipient, error) {
	given := len(o.recipients) > 0 || o.recipientsFile != ""
	if !given && !o.plain { // as the service makes its own
		o.recipients = o.settings.BackupRecipients
		o.plain = o.settings.BackupPlain && o.file == "" // the operator chose it for that folder
		given = len(o.recipients) > 0
	}
	switch {
	case given && o.plain:
		return nil, command.Usage("--plain does not go with --recipient and --recipients-file")
	case o.plain:
		return nil, nil
	case !given:
		return nil, command.Usage("say who can open the backup: create an identity with \"hush admin backup keygen FILE\" and give its recipient to --recipient, or choose --plain")
	}
	if o.recipientsFile == "" {
		return o.recipients, nil
	}
	content, err := console.ReadFile(ctx, o.recipientsFile)
	if err != nil {
		return nil, err
	}
	more, err := format.Recipients(string(content))
	if err != nil {
		return nil, command.Usage("--recipients-file=%s: %v", o.recipientsFile, err)
	}
	return slices.Concat(o.recipients, more), nil
}

// output opens what the backup goes to. done completes it, or removes it after an
// error.
func (k backups) output(o backupOptions) (out io.Writer, done func(error) error, err error) {
	switch o.file {
	case "":
		return nil, nil, command.Usage("where to is missing: -o FILE, - for standard output, or backup-to in the configuration")
	case "-":
		if err := command.NeedOutput(k.Console, "the backup would be lost: name a file with -o"); err != nil {
			return nil, nil, err
		}
		if file, ok := k.Out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return nil, nil, command.Usage("standard output is a terminal: redirect it, or name a file with -o")
		}
		return k.Out, func(err error) error { return err }, nil
	}
	if datafolder.Contains(o.settings.Data, o.file) {
		return nil, nil, fmt.Errorf("%s is in the data folder, and would be lost with it: write the backup elsewhere", o.file)
	}
	file, err := format.Create(o.file)
	if err != nil {
		return nil, nil, console.NameFolder(o.file, err)
	}
	return file, func(err error) error {
		if err == nil {
			err = file.Commit()
		}
		left := file.Discard()
		if left == nil && errors.Is(err, syscall.ENOSPC) {
			err = fmt.Errorf("%w; nothing is left of the backup: make room, and run the command again", err)
		}
		return errors.Join(err, left)
	}, nil
}

// copyTo writes a plain backup, of the service that holds the data folder or of
// the folder itself. It waits a little less than a second for a service that is
// just starting or stopping.
func (k backups) copyTo(ctx context.Context, s *settings.Settings, to io.Writer, shown *backupProgress) error {
	for deadline := time.Now().Add(serviceWait); ; {
		client, done, found := datafolder.Service(ctx, s.Data)
		if found {
			defer done()
			// What is sealed does not compress, and trying takes fifty times longer.
			plain := connect.WithAcceptCompression("gzip", nil, nil)
			return receiveBackup(ctx, adminv1connect.NewAdminServiceClient(client, datafolder.ServiceURL, plain), to, shown)
		}
		done()
		err := k.fromFolder(ctx, s, to, shown)
		if !errors.Is(err, datafolder.ErrInUse) {
			return err
		}
		if ctx.Err() != nil { // it was not looked for to the end
			return ctx.Err()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("a hush that makes no backups holds the data folder %s: a service that is just starting or stopping, or another command; try again", s.Data)
		}
		select {
		case <-time.After(serviceRetry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// receiveBackup copies the backup of a service that runs.
func receiveBackup(ctx context.Context, admin adminv1connect.AdminServiceClient, to io.Writer, shown *backupProgress) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // which ends a backup that cannot be written
	stream, err := admin.Backup(ctx, &adminv1.BackupRequest{})
	if err != nil {
		return backupError(err)
	}
	defer stream.Close()
	for stream.Receive() {
		part := stream.Msg()
		shown.begin(part.GetDatabaseBytes())
		if _, err := to.Write(part.GetChunk()); err != nil {
			return err
		}
		shown.add(int64(len(part.GetChunk())))
	}
	if err := stream.Err(); errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the service ended the backup: it stops, or the backup was not taken for 30 seconds; see its log")
	} else if err != nil {
		return backupError(err)
	}
	return nil
}

// backupError reduces a refusal to its message.
func backupError(err error) error {
	return refusal(err, connect.CodeUnimplemented, "the service is of an older release, which makes no backups: restart it")
}

// fromFolder copies the data folder of a service that does not run.
func (k backups) fromFolder(ctx context.Context, s *settings.Settings, to io.Writer, shown *backupProgress) (err error) {
	if datafolder.Held(s.Data) {
		return fmt.Errorf("the data folder %s is %w", s.Data, datafolder.ErrInUse)
	}
	log := slog.New(slog.NewTextHandler(k.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, err := datafolder.OpenExisting(ctx, s, k.Console, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(), datafolder.HandOver(s.Data)) }()
	before := int64(0)
	_, err = d.Backup(ctx, to, datafolder.BackupOptions{Release: k.release, Begun: shown.begin, Wrote: func(bytes int64) {
		shown.add(bytes - before)
		before = bytes
	}})
	return err
}

// countingWriter counts what is written.
type countingWriter struct {
	to    io.Writer
	bytes int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.bytes += int64(n)
	return n, err
}

// backupProgress shows how far a backup is, on a terminal.
type backupProgress struct {
	line     *console.Progress
	database int64 // with unused pages, so that a backup is shorter
	bytes    int64
}

func (p *backupProgress) begin(database int64) { p.database = max(p.database, database) }

func (p *backupProgress) add(bytes int64) {
	p.bytes += bytes
	if p.line.OnTerminal() {
		p.line.Show(func() string {
			return fmt.Sprintf("backed up %s; the database has %s", sizeText(p.bytes), sizeText(p.database))
		})
	}
}

// sizeText formats a number of bytes.
func sizeText(bytes int64) string {
	if bytes < 10<<20 {
		return fmt.Sprintf("%d KiB", (bytes+1023)>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// inputName returns what an input is called in messages.
func inputName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return filepath.Clean(file)
}
