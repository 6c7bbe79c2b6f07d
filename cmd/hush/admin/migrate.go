package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/storage"
	"hush/vault"
	"hush/vault/cluster"
	"hush/vault/doctor"
	"hush/vault/rows"
)

// migrateCommand returns "hush admin migrate": it says which format
// the data of a service has, and upgrades it without serving.
func (a administrator) migrateCommand() *cobra.Command {
	m := migration{administrator: a}
	c := &cobra.Command{
		Use: "migrate", Short: "show or upgrade the format of the data", Args: command.Takes(0, 0),
		Long: `Upgrade the format of the data of a stopped service, as "hush serve" does at its
start. Earlier releases refuse the data afterwards, and what this release restores
from a backup. The way back is a copy of the stopped data folder, made before the
upgrade.

With --check nothing is changed. It shows the format of the data and what a start of
this release would do, and counts the rows that earlier releases wrote in a form of
their own: each gets the present one when it changes. The exit code is 0 if this
release opens the data, and 1 if it does not, or if a service uses the folder.

In a PostgreSQL database the format follows from its nodes: it is raised once all of
them read the next one. There --check works beside them, and shows them.`,
		Example: `# See what an upgrade would do
hush admin migrate --check
# Upgrade the data of a stopped service
hush admin migrate`,
	}
	m.settings = settings.AddExisting(c, "data", "root-key-file", "store", "spent-log")
	c.Flags().BoolVar(&m.check, "check", false, "show the format, and change nothing")
	c.Flags().BoolVar(&m.asJSON, "json", false, "with --check, print one JSON document")
	c.RunE = func(c *cobra.Command, _ []string) error { return m.run(c.Context()) }
	return c
}

// migration is one call of the command.
type migration struct {
	administrator

	settings      *settings.Settings
	check, asJSON bool
}

func (m migration) run(ctx context.Context) error {
	switch {
	case m.settings.Store == settings.StoreMemory:
		return command.Usage("--store=memory holds no data that could be upgraded")
	case m.asJSON && !m.check:
		return command.Usage("--json needs --check")
	}
	if !m.check {
		return m.upgrade(ctx)
	}
	found, err := m.readFormat(ctx)
	if err != nil {
		return err
	}
	if err := m.show(found); err != nil {
		return err
	}
	if !found.Opens {
		return &command.ExitError{Code: command.ExitFailure}
	}
	return nil
}

// formatReport is what --check finds. Scripts depend on the names.
type formatReport struct {
	Format       rows.Format  `json:"format"`
	FirstRelease string       `json:"first_release"` // that writes the format
	Newest       rows.Format  `json:"newest"`        // that this release reads
	Release      string       `json:"release"`       // of this program
	Opens        bool         `json:"opens"`
	Upgrades     bool         `json:"upgrades"` // at the next start
	Nodes        []nodeFormat `json:"nodes,omitempty"`
	// Older are the rows that earlier releases wrote, which this one reads.
	Older []doctor.Older `json:"older,omitempty"`
}

// nodeFormat is a node of a shared store.
type nodeFormat struct {
	Name    string      `json:"name"`
	Release string      `json:"release"`
	Newest  rows.Format `json:"newest"`
	Holds   bool        `json:"holds"` // whether it keeps the store from the newest format
}

func (m migration) readFormat(ctx context.Context) (f formatReport, err error) {
	line := m.Progress()
	defer line.End()
	store, now, done, err := m.openData(ctx, line)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, done()) }()
	f.Newest, f.Release = rows.FormatNewest(), m.release
	err = store.View(ctx, func(tx storage.Tx) error {
		stored, err := cluster.GetFormat(tx)
		if err != nil {
			return err
		}
		f.Format, f.FirstRelease = stored.Format, stored.Release
		live, err := cluster.LiveNodes(tx, now)
		f.Nodes = nil
		for _, n := range live {
			f.Nodes = append(f.Nodes, nodeFormat{n.Name, n.Release, n.Formats.Newest, n.Formats.Newest < f.Newest})
		}
		return err
	})
	f.Opens, f.Upgrades = f.Format <= f.Newest, f.Format < f.Newest
	for _, n := range f.Nodes {
		f.Upgrades = f.Upgrades && !n.Holds
	}
	if err != nil || !f.Opens {
		return f, err
	}
	f.Older, err = doctor.CountOlder(ctx, store, func(rows int64) {
		line.Show(func() string { return fmt.Sprintf("reading rows: %d", rows) })
	})
	return f, err
}

func (m migration) openData(ctx context.Context, line *console.Progress) (store storage.Viewer, now time.Time, done func() error, err error) {
	if m.settings.SharedStore() {
		return datafolder.ConnectExisting(ctx, m.settings)
	}
	folder, err := datafolder.InspectData(m.settings.Data)
	if errors.Is(err, datafolder.ErrInUse) {
		return nil, now, nil, fmt.Errorf("%w, to see the format; the start of a service has raised it to the newest one that its release writes", err)
	}
	if err != nil {
		return nil, now, nil, err
	}
	err = folder.OpenDatabase(ctx, func(pages, of int64) {
		line.Show(func() string { return fmt.Sprintf("reading hush.db: %d of %d pages", pages, of) })
	})
	if err != nil {
		return nil, now, nil, errors.Join(err, folder.Close())
	}
	return folder, time.Now(), folder.Close, nil
}

// formatStays is about a database whose nodes keep it from the newest format.
const formatStays = "the data stays at format %d as long as nodes run that cannot read the next one"

func (m migration) show(f formatReport) error {
	if m.asJSON {
		lines := json.NewEncoder(m.Out)
		lines.SetIndent("", "  ")
		return lines.Encode(f)
	}
	fmt.Fprintf(m.Out, "format of the data: %d, which hush %s began to write\n", f.Format, f.FirstRelease)
	fmt.Fprintf(m.Out, "this is hush %s, which reads formats up to %d\n", f.Release, f.Newest)
	for _, n := range f.Nodes {
		fmt.Fprintf(m.Out, "node %q with hush %s reads formats up to %d\n", n.Name, n.Release, n.Newest)
	}
	for _, o := range f.Older {
		fmt.Fprintf(m.Out, "%d of the %d rows in bucket %q are as an earlier release wrote them: this one reads them\n", o.Rows, o.Of, o.Bucket)
	}
	verdict := "a start changes no format"
	switch {
	case !f.Opens:
		verdict = fmt.Sprintf("this release cannot open the data: upgrade to hush %s or later", f.FirstRelease)
	case f.Upgrades:
		verdict = fmt.Sprintf("a start upgrades the data to format %d: releases before hush %s can then no longer open it", f.Newest, f.Newest.FirstRelease())
	case f.Format < f.Newest:
		verdict = fmt.Sprintf(formatStays, f.Format)
	}
	_, err := fmt.Fprintln(m.Out, verdict)
	return err
}

// upgrade opens the data as "hush serve" does, and closes it.
func (m migration) upgrade(ctx context.Context) (err error) {
	log := slog.New(slog.NewTextHandler(m.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, err := datafolder.OpenExisting(ctx, m.settings, m.Console, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	before, err := d.Format(ctx)
	if err != nil {
		return err
	}
	if err := datafolder.HandOver(m.settings.Data); err != nil {
		return fmt.Errorf("giving new files to the owner of the data folder: %w", err)
	}
	v, err := d.OpenVault(ctx, m.release, vault.Options{Log: log, Host: m.settings.PublicURL().Hostname(), Manual: true})
	if err != nil {
		return err
	}
	v.Close()
	after, err := d.Format(ctx)
	switch {
	case err != nil:
		return err
	case after < rows.FormatNewest():
		m.Tellf(formatStays, after)
	case after == before:
		m.Tellf("the data has format %d already, the newest that this release writes", after)
	default:
		m.Tellf("the data has format %d now", after)
	}
	return nil
}
