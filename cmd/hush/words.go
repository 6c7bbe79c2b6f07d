package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// word is a command behind a command, as in "hush account create".
type word struct {
	name    string
	usage   string // flags of its own and arguments
	summary string
	run     func(p program, ctx context.Context, args []string) error
}

// choose runs the word that args begin with.
func (p program) choose(ctx context.Context, command string, list []word, args []string) error {
	if len(args) == 0 {
		return usage("%s: a word is missing; there are %s", command, enumerate(list))
	}
	switch args[0] {
	case "--help", "-help", "-h", "help":
		p.describeWords(command, list)
		return nil
	}
	for _, w := range list {
		if w.name == args[0] {
			return w.run(p, ctx, args[1:])
		}
	}
	return usage("%s: unknown word %q; there are %s", command, args[0], enumerate(list))
}

// enumerate lists the words as a sentence does.
func enumerate(list []word) string {
	names := make([]string, len(list))
	for i, w := range list {
		names[i] = w.name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func (p program) describeWords(command string, list []word) {
	fmt.Fprintln(p.stdout, "Usage:")
	for _, w := range list {
		line := strings.TrimSpace("hush " + command + " " + w.name + " " + w.usage)
		fmt.Fprintf(p.stdout, "  %s\n      %s\n", line, w.summary)
	}
	fmt.Fprintf(p.stdout, "\nIt works while the service runs and while it does not. Called by root, it leaves\nthe data to the owner of its folder.\n"+
		"\"hush %s WORD --help\" lists the flags of a word.\n", command)
}

// table prints rows under a header line.
func (p program) table(header string, rows [][]string) error {
	out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, strings.ReplaceAll(header, ",", "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = visible(cell)
		}
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
	return out.Flush()
}

// visible keeps what strangers chose, such as a DNS record, from moving the
// cursor of whoever reads it.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// tellf says something to the person who called, where no script reads it.
func (p program) tellf(format string, args ...any) {
	fmt.Fprintf(p.stderr, "hush: "+format+"\n", args...)
}

// moment shows a time to the minute; without one it shows a dash.
func moment(at *timestamppb.Timestamp) string {
	if at == nil {
		return "-"
	}
	return at.AsTime().UTC().Format("2006-01-02 15:04")
}

// orDash shows a dash where there is nothing.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
