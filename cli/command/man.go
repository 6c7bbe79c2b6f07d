package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Manuals returns "hush man", which packages call when they are made.
func Manuals(version string) *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "write the manual pages to a folder", Args: Takes(1, 1), Hidden: true,
		Example: `# Write the pages to a new folder, and read one
hush man pages && man -l pages/hush-share.1`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // manual pages are for everybody
				return err
			}
			return writeManuals(args[0], version, c.Root())
		},
	}
}

// writeManuals writes the pages of c and of the commands below it, named as in
// hush-admin-token.1.
func writeManuals(folder, version string, c *cobra.Command) error {
	var page strings.Builder
	writeManual(&page, version, c)
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(folder, name), []byte(page.String()), 0o644); err != nil { //nolint:gosec // as above
		return err
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if err := writeManuals(folder, version, sub); err != nil {
			return err
		}
	}
	return nil
}

// writeManual writes one page in the macros of man(7).
func writeManual(w io.Writer, version string, c *cobra.Command) {
	dashed := func(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }
	fmt.Fprintf(w, ".TH %s 1 \"\" \"hush %s\" \"Hush\"\n", roff(strings.ToUpper(dashed(c))), version)
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(dashed(c)), roff(c.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n", roff(usageLine(c)))
	fmt.Fprintf(w, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(aboutInFull(c)))
	for _, list := range commandLists(c) {
		fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper(list.title)))
		for _, sub := range list.commands {
			fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(sub.Use), roff(sub.Short))
		}
	}
	for _, list := range flagLists(c) {
		fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper(list.title)))
		for _, f := range list.flags {
			fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(flagTitle(f)), roff(flagText(f)))
		}
	}
	fmt.Fprintln(w, ".SH EXIT STATUS")
	for _, exit := range exitsOf(c) {
		fmt.Fprintf(w, ".TP\n.B %d\n%s\n", exit.code, roff(exit.meaning))
	}
	if c.Example != "" {
		fmt.Fprintf(w, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.TrimSpace(c.Example)))
	}
	var related []string
	if c.HasParent() {
		related = append(related, dashed(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			related = append(related, dashed(sub))
		}
	}
	fmt.Fprintf(w, ".SH SEE ALSO\n%s(1)\n", roff(strings.Join(related, "(1), ")))
}

// roff escapes what means something to roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
