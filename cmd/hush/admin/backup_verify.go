package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"

	format "hush/backup"
	"hush/cli/command"
	"hush/cli/console"
	"hush/seal"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/vault/restoration"
)

// verifyOptions are the flags of "hush admin backup verify".
type verifyOptions struct {
	settings *settings.Settings
	identity string
	asJSON   bool
}

func (k backups) verifyCommand() *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use: "verify FILE|-", Short: "check a backup without restoring it", Args: command.Takes(1, 1), ValidArgsFunction: command.CompleteFiles,
		Long: `Read a whole backup, check it, and say what is in it. Nothing is restored or
changed. With --root-key-file it also checks whether the root key is the one of the
backup.

The exit code is 0 if the backup is complete and every row in it can be read.
Secrets without a share are no damage: they were opened after the rows were read.`,
		Example: `# Check a backup, and whether it belongs to a root key
hush admin backup verify --identity backup.key \
  --root-key-file /etc/hush/root.key hush.backup`,
	}
	o.settings = settings.Add(c, "root-key-file")
	c.Flags().Lookup("root-key-file").Usage = "`file` with the root key, to check whether it is the one of the backup"
	c.Flags().StringVar(&o.identity, "identity", "", "`file` with the identity that opens the backup")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	c.RunE = func(c *cobra.Command, args []string) error { return k.verify(c.Context(), args[0], o) }
	return c
}

// readIdentityFile returns the identities in a file, none without a file. It gives up
// waiting for a pipe when ctx ends.
func readIdentityFile(ctx context.Context, c *console.Console, path string) ([]age.Identity, error) {
	if path == "" {
		return nil, nil
	}
	if console.IsEverybodys(path) {
		c.Tellf("every user of this machine may read %s: run chmod 0400 on it", path)
	}
	content, err := console.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	identities, err := format.Identities(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return identities, nil
}

// verifiedBackup is what a backup has, as --json prints it.
type verifiedBackup struct {
	format.Header
	format.Trailer

	Bytes     int64    `json:"bytes"`
	Secrets   int64    `json:"secrets"`
	Accounts  int64    `json:"accounts"`
	Gone      int64    `json:"secretsWithoutShare"`
	NoReceipt int64    `json:"secretsWithoutReceipt"`
	Damaged   int64    `json:"damagedRows"`
	Names     []string `json:"damaged,omitempty"`
	RootKey   string   `json:"rootKey"`
	Sound     bool     `json:"sound"`
}

func (k backups) verify(ctx context.Context, name string, o verifyOptions) error {
	identities, err := readIdentityFile(ctx, k.Console, o.identity)
	if err != nil {
		return err
	}
	var keys *seal.Keys
	if o.settings.RootKeyFile != "" {
		keys, err = datafolder.ReadKeys(ctx, o.settings.RootKeyFile)
		if errors.Is(err, datafolder.ErrNoKey) {
			return fmt.Errorf("%w %s: name the file with the root key of the data in the backup", datafolder.ErrNoKey, o.settings.RootKeyFile)
		}
		if err != nil {
			return err
		}
	}
	file, done, err := k.Open(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	counted := &countingReader{from: file}
	found, err := inspectBackup(counted, identities, keys)
	if errors.Is(err, console.ErrInterrupted) {
		return console.ErrInterrupted // without what a format makes of a file that ends
	}
	if missing := datafolder.MissingKeys(err); missing != nil {
		return fmt.Errorf("%s: %w, which the backup needs", inputName(name), missing)
	}
	if errors.Is(err, seal.ErrWrongRootKey) {
		return fmt.Errorf("%s: the root key is not the one of the backup", inputName(name))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(name), err)
	}
	found.Bytes = counted.bytes
	if err := k.print(found, o.asJSON); err != nil {
		return err
	}
	if !found.Sound {
		return fmt.Errorf("%s is not sound: rows that cannot be read: %d, secrets without a receipt: %d", inputName(name), found.Damaged, found.NoReceipt)
	}
	return nil
}

// inspectBackup reads a backup to its end.
func inspectBackup(from io.Reader, identities []age.Identity, keys *seal.Keys) (*verifiedBackup, error) {
	r, err := format.Open(from, identities)
	if err != nil {
		return nil, err
	}
	if err := datafolder.CheckBackup(r.Header); err != nil {
		return nil, err
	}
	check := restoration.NewInspection(keys)
	trailer, err := r.All(check.Row, check.Slot)
	if err != nil {
		return nil, err
	}
	check.End()
	found := &verifiedBackup{
		Header: r.Header, Trailer: trailer, Secrets: check.Secrets, Accounts: check.Accounts, Gone: check.Gone,
		NoReceipt: check.NoReceipt, Damaged: check.Damaged, Names: check.Names, RootKey: "not checked", Sound: check.Sound(),
	}
	if len(check.RootKeys) > 0 {
		found.Header.RootKeys = check.RootKeys // a rotation may lie between the header and the rows
	}
	switch {
	case check.Verified:
		found.RootKey = "matches"
	case keys != nil:
		return nil, fmt.Errorf("%w: it has no verifier of a root key", format.ErrDamaged)
	}
	return found, nil
}

func (k backups) print(v *verifiedBackup, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(k.Out)
		out.SetIndent("", "  ")
		return out.Encode(v)
	}
	spent := "none"
	if v.Spent != nil {
		spent = fmt.Sprintf("%s, sequence %d", v.Spent.Log, v.Spent.Sequence)
	}
	list := [][]string{
		{"Made", v.Time.UTC().Format(time.RFC3339)},
		{"Release", console.OrDash(v.Release)},
		{"Format", numberText(v.Format)},
		{"Store", v.Store.String()},
		{"Spent log", spent},
		{"Root keys", console.OrDash(strings.Join(v.RootKeys, " "))},
		{"Root key file", v.RootKey},
		{"Size", sizeText(v.Bytes)},
		{"Rows", numberText(v.Rows)},
		{"Accounts", numberText(v.Accounts)},
		{"Secrets", numberText(v.Secrets)},
		{"Without a share", numberText(v.Gone)},
		{"Shares", numberText(v.Shares)},
	}
	if err := k.Table("WHAT,IN THE BACKUP", list); err != nil {
		return err
	}
	for _, name := range v.Names {
		k.Tellf("damaged: %s", name)
	}
	if v.Sound {
		k.Tellf("the backup is complete")
	}
	return nil
}

func numberText[N uint32 | uint64 | int64](n N) string { return strconv.FormatUint(uint64(n), 10) }

// countingReader counts what is read.
type countingReader struct {
	from  io.Reader
	bytes int64
}

// Read implements io.Reader.
func (r *countingReader) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	r.bytes += int64(n)
	return n, err
}
