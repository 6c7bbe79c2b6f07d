package receipt

import (
	"os"

	"golang.org/x/term"
)

// newLine returns the line that a view redraws: on a terminal alone, and not where
// programs read.
func newLine(v View) *line {
	l := &line{to: v.To}
	file, ok := v.To.(*os.File)
	if !ok || v.JSON || !term.IsTerminal(int(file.Fd())) {
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
