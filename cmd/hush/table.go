package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"google.golang.org/protobuf/types/known/timestamppb"
)

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

// visible replaces characters that do not print. Strangers choose some texts,
// such as DNS records, and must not control the terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// tellf writes a line to standard error, where no script reads it.
func (p program) tellf(format string, args ...any) {
	fmt.Fprintf(p.stderr, "hush: "+format+"\n", args...)
}

// moment formats a time to the minute, and nil as a dash.
func moment(at *timestamppb.Timestamp) string {
	if at == nil {
		return "-"
	}
	return at.AsTime().UTC().Format("2006-01-02 15:04")
}

// orDash returns text, or a dash if it is empty.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
