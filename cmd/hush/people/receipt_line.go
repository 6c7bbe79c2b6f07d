package people

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// liveLine is the last line of a terminal, which is redrawn. Elsewhere it draws nothing.
type liveLine struct {
	to       io.Writer
	terminal bool
	width    func() int

	mu    sync.Mutex
	shown bool
}

// newLine returns the line that a view redraws: on a terminal alone, and not where
// programs read.
func newLine(v receiptView) *liveLine {
	l := &liveLine{to: v.to}
	file, ok := v.to.(*os.File)
	if !ok || v.asJSON || !term.IsTerminal(int(file.Fd())) {
		return l
	}
	l.terminal = true
	l.width = func() int {
		width, _, err := term.GetSize(int(file.Fd()))
		if err != nil {
			return 0
		}
		return width
	}
	return l
}

// draw shows text instead of what the line has, as much of it as fits.
func (l *liveLine) draw(text string) {
	if !l.terminal || text == "" {
		return
	}
	if runes, width := []rune(text), l.width(); width > 1 && len(runes) >= width {
		text = string(runes[:width-2]) + "…"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = true
	fmt.Fprint(l.to, clearLine, text)
}

// keep writes a line for good, above the one that is redrawn.
func (l *liveLine) keep(text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		text = clearLine + text
	}
	l.shown = false
	_, err := fmt.Fprintln(l.to, strings.TrimRight(text, " "))
	return err
}

// clear empties the line.
func (l *liveLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		fmt.Fprint(l.to, clearLine)
	}
	l.shown = false
}

// end leaves what is shown, for another line to follow.
func (l *liveLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		fmt.Fprintln(l.to)
	}
	l.shown = false
}

// besideLine writes messages where the line is, which is drawn again below them.
type besideLine struct {
	line *liveLine
	to   io.Writer
}

// Write implements io.Writer.
func (a *besideLine) Write(message []byte) (int, error) {
	a.line.mu.Lock()
	defer a.line.mu.Unlock()
	if a.line.shown {
		fmt.Fprint(a.line.to, clearLine)
	}
	a.line.shown = false
	return a.to.Write(message)
}

// clearLine brings a terminal to the begin of its line, and empties that.
const clearLine = "\r\x1b[K"
