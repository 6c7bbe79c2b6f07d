package console

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
	"rsc.io/qr"
)

const (
	// quiet is how many light modules surround a QR code.
	quiet = 4
	// On a terminal the code has colours of its own: black on white.
	beginColours, endColours = "\x1b[38;5;16m\x1b[48;5;231m", "\x1b[0m"
)

// QR draws a QR code of a text on standard error. Elsewhere than on a terminal it is
// drawn for light characters on a dark ground.
func (c *Console) QR(text string) error {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return fmt.Errorf("drawing the QR code: %w", err)
	}
	coloured := c.ErrIsTerminal()
	if coloured {
		file, _ := c.Err.(*os.File)
		width, _, err := term.GetSize(int(file.Fd()))
		if need := code.Size + 2*quiet; err == nil && width > 0 && width < need {
			return fmt.Errorf("the QR code needs %d columns, and the terminal has %d", need, width)
		}
	}
	_, err = fmt.Fprint(c.Err, drawn(code, coloured))
	return err
}

// drawn returns the lines of a QR code. Each has two rows of modules.
func drawn(code *qr.Code, coloured bool) string {
	var lines strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		if coloured {
			lines.WriteString(beginColours)
		}
		for x := -quiet; x < code.Size+quiet; x++ {
			// Characters are dark where they have colours, and light elsewhere. Below
			// the last row there is none.
			upper := code.Black(x, y) == coloured
			lower := y+1 < code.Size+quiet && code.Black(x, y+1) == coloured
			lines.WriteString(half(upper, lower))
		}
		if coloured {
			lines.WriteString(endColours)
		}
		lines.WriteByte('\n')
	}
	return lines.String()
}

// half returns the character with the given halves.
func half(upper, lower bool) string {
	switch {
	case upper && lower:
		return "█"
	case upper:
		return "▀"
	case lower:
		return "▄"
	default:
		return " "
	}
}
