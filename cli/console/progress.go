package console

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

const (
	// progressShown is how often a terminal's line changes, and progressTold how
	// often there is a new line elsewhere.
	progressShown = 200 * time.Millisecond
	progressTold  = 10 * time.Second
)

// Progress shows how far long work is: on a terminal in one line that changes,
// and elsewhere in a line now and then.
type Progress struct {
	console  *Console
	terminal bool
	next     time.Time
	shown    bool // a line on the terminal has no end yet
}

// Progress begins to show progress. The first line comes after a while.
func (c *Console) Progress() *Progress {
	file, ok := c.Err.(*os.File)
	p := &Progress{console: c, terminal: ok && term.IsTerminal(int(file.Fd()))}
	p.next = time.Now().Add(p.every())
	return p
}

// OnTerminal reports whether progress is shown in one line of a terminal.
func (p *Progress) OnTerminal() bool { return p.terminal }

func (p *Progress) every() time.Duration {
	if p.terminal {
		return progressShown
	}
	return progressTold
}

// Show shows text, unless the last one is too recent.
func (p *Progress) Show(text func() string) {
	if now := time.Now(); now.Before(p.next) {
		return
	}
	p.next = time.Now().Add(p.every())
	if !p.terminal {
		p.console.Tellf("%s", text())
		return
	}
	p.shown = true
	fmt.Fprintf(p.console.Err, "\r\x1b[Khush: %s", text())
}

// End ends the line on a terminal, for another to follow.
func (p *Progress) End() {
	if p.shown {
		fmt.Fprint(p.console.Err, "\r\x1b[K")
	}
	p.shown = false
}
