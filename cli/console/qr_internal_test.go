package console

import (
	"strings"
	"testing"

	"rsc.io/qr"
)

// The drawing has the modules of the code, dark and light, and a light border.
func TestDrawn(t *testing.T) {
	t.Parallel()
	code, err := qr.Encode("https://hush.example/e#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", qr.L)
	if err != nil {
		t.Fatal(err)
	}
	for _, coloured := range []bool{true, false} {
		lines := strings.Split(strings.TrimSuffix(drawn(code, coloured), "\n"), "\n")
		if want := (code.Size + 2*quiet + 1) / 2; len(lines) != want {
			t.Fatalf("drawn: got %d lines, want %d", len(lines), want)
		}
		for i, line := range lines {
			line, begins := strings.CutPrefix(line, beginColours)
			line, ends := strings.CutSuffix(line, endColours)
			cells := []rune(line)
			if begins != coloured || ends != coloured || len(cells) != code.Size+2*quiet {
				t.Fatalf("line %d: got %d cells, colours %t to %t, want %d and %t", i, len(cells), begins, ends, code.Size+2*quiet, coloured)
			}
			for at, cell := range cells {
				x, y := at-quiet, 2*i-quiet
				upper, lower := cell == '█' || cell == '▀', cell == '█' || cell == '▄'
				if upper != (code.Black(x, y) == coloured) {
					t.Errorf("module %d, %d: got %q, want dark %t", x, y, cell, code.Black(x, y))
				}
				if below := y + 1; below < code.Size+quiet && lower != (code.Black(x, below) == coloured) {
					t.Errorf("module %d, %d: got %q, want dark %t", x, below, cell, code.Black(x, below))
				}
			}
		}
	}
}
