package console

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// Table prints rows under a header line, whose titles are separated by commas.
func (c *Console) Table(header string, rows [][]string) error {
	out := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, strings.ReplaceAll(header, ",", "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Visible(cell)
		}
		fmt.Fprintln(out, strings.Join(cells, "\t"))
	}
	return out.Flush()
}

// A Listing is a table that is left out where it is empty.
type Listing struct {
	Header string
	Rows   [][]string
}

// Tables prints the listings that have rows.
func (c *Console) Tables(listings ...Listing) error {
	for _, l := range listings {
		if len(l.Rows) == 0 {
			continue
		}
		if err := c.Table(l.Header, l.Rows); err != nil {
			return err
		}
	}
	return nil
}

// A Fact is a name and its value.
type Fact struct{ Name, Value string }

// Facts prints facts in two columns. A fact without a name belongs to the one above.
func (c *Console) Facts(facts []Fact) error {
	out := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, fact := range facts {
		fmt.Fprintf(out, "%s\t%s\n", fact.Name, Visible(fact.Value))
	}
	return out.Flush()
}

// Visible replaces characters that do not print, line ends among them. Strangers
// choose some texts, such as DNS records and labels, and must not control the
// terminal.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Moment formats a time to the minute, and nil as a dash.
func Moment(at *timestamppb.Timestamp) string {
	if at == nil {
		return "-"
	}
	return at.AsTime().UTC().Format("2006-01-02 15:04")
}

// OrDash returns text, or a dash if it is empty.
func OrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
