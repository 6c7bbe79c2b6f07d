package people

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"hush/cli/console"
	"hush/client"
)

// quoted is a title for people: what a requester wrote is shown as that, and is no link.
func quoted(title string) string { return "“" + console.Visible(title) + "”" }

// cardFacts is what a requester wrote, for a console of that many columns. A row that would
// be wrapped there could end in one that looks like a fact of its own: the rows of a long
// title and of the note are shorter, and each has a bar before it.
func cardFacts(card client.Card, columns int) []console.Fact {
	facts := []console.Fact{{Name: "request", Value: quoted(card.Title)}}
	if rows := wrapped(quoted(card.Title), columns-factIndent); len(rows) > 1 {
		facts = barred("request", wrapped(quoted(card.Title), columns-factIndent-len(bar)))
	}
	var rows []string
	for line := range strings.Lines(card.Note) {
		rows = append(rows, wrapped(console.Visible(strings.TrimSuffix(line, "\n")), columns-factIndent-len(bar))...)
	}
	return append(facts, barred("note", rows)...)
}

const (
	// factIndent is how many columns are before the values of a request's facts.
	factIndent = len("request  ")
	// bar stands before each row of what a requester wrote.
	bar = "| "
	// factColumns is how many columns there are where no terminal says it, and fewestColumns
	// how many a row has at least.
	factColumns   = 72
	fewestColumns = 8
)

// barred returns rows as one fact.
func barred(name string, rows []string) (facts []console.Fact) {
	for _, row := range rows {
		facts = append(facts, console.Fact{Name: name, Value: bar + row})
		name = ""
	}
	return facts
}

// wrapped breaks a line into rows of at most that many columns, behind a blank where there is
// one.
func wrapped(line string, columns int) (rows []string) {
	columns = max(columns, fewestColumns)
	row, used, blank := []rune(nil), 0, 0 // blank is where a row may end
	for _, r := range line {
		if used+columnsOf(r) > columns {
			if blank == 0 {
				blank = len(row)
			}
			rows, row = append(rows, strings.TrimRight(string(row[:blank]), " ")), row[blank:]
			used, blank = 0, 0
			for _, left := range row {
				used += columnsOf(left)
			}
		}
		row, used = append(row, r), used+columnsOf(r)
		if r == ' ' {
			blank = len(row)
		}
	}
	return append(rows, string(row))
}

// columnsOf returns how many columns a character takes at most.
func columnsOf(r rune) int {
	const firstWide = 0x1100 // East Asian characters and pictures are above it, and others too
	if r >= firstWide {
		return 2
	}
	return 1
}

// columnsOfConsole returns how many columns a console has that is a terminal, and factColumns
// for others.
func columnsOfConsole(to io.Writer) int {
	if file, ok := to.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return factColumns
}

// askerText says who asks, as far as the server knows.
func askerText(q client.Question) string {
	switch {
	case q.Domain != "" && q.Address != "":
		return q.Address + ", of " + q.Domain + ", as the server confirmed"
	case q.Domain != "":
		return q.Domain + ", as the server confirmed"
	case q.Address != "":
		return q.Address + ", as the server confirmed"
	default:
		return "someone who sent you this link: the server does not know who"
	}
}

// acceptsText says what a requester accepts.
func acceptsText(card client.Card) string {
	switch {
	case card.Text && card.File:
		return "a text or a file"
	case card.File:
		return "a file"
	default:
		return "a text"
	}
}

// endText is a time to the minute for the person at this machine.
func endText(at time.Time) string { return at.Local().Format("2006-01-02 15:04 MST") } //nolint:gosmopolitan // see above

// requestText says what became of a request, as of now.
func requestText(r client.Request, now time.Time) string {
	text := r.State.String() + ", " + cameText(r)
	if r.State == client.RequestOpen {
		text += "; ends " + untilText(r.Expires, now)
	}
	return text
}

// cameText says how many answers came.
func cameText(r client.Request) string {
	switch {
	case r.Answered == 0 && r.State == client.RequestOpen:
		return "no answer yet"
	case r.Answered == 0:
		return "no answer came"
	case r.Answers == 1:
		return "answered"
	default:
		return fmt.Sprintf("%d of %d answers came", r.Answered, r.Answers)
	}
}
