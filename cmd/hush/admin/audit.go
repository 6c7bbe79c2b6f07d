package admin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	"hush/server/settings"
	"hush/vault"
)

// auditCommand returns "hush admin audit".
func (a administrator) auditCommand() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "audit", Short: "export the audit trail",
		Long: "Export the audit trail of a service." + serviceHelp,
		Example: `# Write what happened in the last day
hush admin audit export --since 24h`,
	}, a.auditExportCommand())
}

// auditExport are the flags of "hush admin audit export".
type auditExport struct {
	settings     *settings.Settings
	since, until time.Time
	kinds        []string
	output       string
}

func (a administrator) auditExportCommand() *cobra.Command {
	var opts auditExport
	c := &cobra.Command{
		Use: "export", Short: "write the audit trail as JSON lines", Args: command.Takes(0, 0),
		Long: `Write the rows of the audit trail as JSON, a line each and the oldest first.

A TIME is a date such as 2026-01-31 (midnight in UTC), a time such as
2026-01-31T14:00:00Z, or how long ago it was, such as 24h or 7d.` + serviceHelp,
		Example: `# Write what happened in the last day
hush admin audit export --since 24h
# Write the sign-ins that failed in January to a file
hush admin audit export --kind sign-in-failed --since 2026-01-01 \
  --until 2026-02-01 --output failed.jsonl`,
	}
	command.AddDetails(c, `A line has the time, the number of the node (0 unless nodes share a store), the
number of the row among those of its node, the kind, the result, and the subject in
hexadecimal digits: the id of an account, the name of a root key, or the row of a
receipt, from which no link can be made. Rows that were stored after the command
began are not in it.

The kinds:
`+kindsText())
	opts.settings = settings.AddExisting(c, serviceFlags()...)
	now := time.Now()
	flags.Parsed(&opts.since, "only rows of this `TIME` or later", parsePast(now))(c.Flags(), "since")
	flags.Parsed(&opts.until, "only rows before this `TIME`", parsePast(now))(c.Flags(), "until")
	flags.Repeated(&opts.kinds, "only rows of this `KIND`; may be repeated, or a list with commas", parseKinds)(c.Flags(), "kind")
	c.Flags().StringVarP(&opts.output, "output", "o", "-", "the `file` to write; - is standard output")
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(vault.AuditKinds(), cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(c *cobra.Command, _ []string) error { return a.exportAudit(c.Context(), opts) }
	return c
}

// kindsText returns the kinds in lines of help.
func kindsText() string {
	var text strings.Builder
	for _, kind := range vault.AuditKinds() {
		text.WriteString("  " + kind + "\n")
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func parseKinds(text string) ([]string, error) {
	kinds := flags.SplitList(text)
	if _, ok := vault.NewAuditFilter(kinds...); !ok || len(kinds) == 0 { // none would list all
		return nil, errors.New("must be one of " + strings.Join(vault.AuditKinds(), ", "))
	}
	return kinds, nil
}

// parsePast reads a date, a time, or how long ago it was.
func parsePast(now time.Time) func(string) (time.Time, error) {
	return func(text string) (time.Time, error) {
		for _, layout := range []string{time.DateOnly, time.RFC3339} {
			if t, err := time.Parse(layout, text); err == nil {
				return t, nil
			}
		}
		ago, err := flags.ParseSpan(text)
		if err != nil {
			return time.Time{}, errors.New("must be a date such as 2026-01-31, a time such as 2026-01-31T14:00:00Z, or how long ago it was, such as 24h or 7d")
		}
		return now.Add(-ago), nil
	}
}

func (a administrator) exportAudit(ctx context.Context, opts auditExport) (err error) {
	if opts.output == "-" {
		if err := command.NeedOutput(a.Console, "the audit trail would be lost: name a file with --output"); err != nil {
			return err
		}
	}
	var file *os.File
	open := func() (_ io.Writer, err error) {
		if opts.output == "-" {
			return a.Out, nil
		}
		file, err = console.Interruptible(ctx, func() (*os.File, error) { // a pipe opens once it has a reader
			return os.OpenFile(opts.output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		})
		return file, console.NameFolder(opts.output, err)
	}
	defer func() {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	// Without this, a reader that goes away would end the process at once.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	var unreadable int32
	err = a.withService(ctx, opts.settings, func(ctx context.Context, admin adminv1connect.AdminServiceClient) (err error) {
		unreadable, err = writeAudit(ctx, admin, opts, open)
		return err
	})
	if console.IsClosedOutput(err) {
		return nil // the reader has enough
	}
	if err == nil && unreadable > 0 {
		return fmt.Errorf("left out of the audit trail, since they cannot be read: %s", console.Count(unreadable, "rows"))
	}
	return err
}

// writeAudit writes all pages, and returns how many rows cannot be read. It calls
// open once it has the first page: an export that is refused empties no file.
func writeAudit(
	ctx context.Context, admin adminv1connect.AdminServiceClient, opts auditExport, open func() (io.Writer, error),
) (unreadable int32, err error) {
	request := &adminv1.ListAuditRowsRequest{Kinds: opts.kinds}
	if !opts.since.IsZero() {
		request.Since = timestamppb.New(opts.since)
	}
	if !opts.until.IsZero() {
		request.Until = timestamppb.New(opts.until)
	}
	page, err := admin.ListAuditRows(ctx, request)
	if err != nil {
		return 0, err
	}
	out, err := open()
	if err != nil {
		return 0, err
	}
	lines := bufio.NewWriter(out)
	for {
		for _, row := range page.GetRows() {
			if err := writeAuditLine(lines, row); err != nil {
				return unreadable, err
			}
		}
		unreadable += page.GetUnreadable()
		if request.PageToken = page.GetNextPageToken(); request.GetPageToken() == "" {
			return unreadable, lines.Flush()
		}
		if page, err = admin.ListAuditRows(ctx, request); err != nil {
			return unreadable, errors.Join(err, lines.Flush())
		}
	}
}

// auditLine is a line of an export. Scripts depend on the names.
type auditLine struct {
	Time        string `json:"time"`
	Node        uint32 `json:"node"`
	Sequence    uint64 `json:"sequence"`
	Kind        string `json:"kind"`
	Result      string `json:"result"`
	SubjectType string `json:"subject_type"`
	Subject     string `json:"subject"`
}

// auditTime is the form of the times in an export.
const auditTime = "2006-01-02T15:04:05.000Z07:00"

func writeAuditLine(w io.Writer, row *adminv1.AuditRow) error {
	about := "receipt"
	switch {
	case row.GetSubjectIsAccount():
		about = "account"
	case strings.HasPrefix(row.GetKind(), "root-key-"):
		about = "root key"
	}
	line, err := json.Marshal(auditLine{
		Time: row.GetTime().AsTime().UTC().Format(auditTime), Node: row.GetNode(), Sequence: row.GetSequence(),
		Kind: row.GetKind(), Result: row.GetResult(), SubjectType: about, Subject: row.GetSubject(),
	})
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}
