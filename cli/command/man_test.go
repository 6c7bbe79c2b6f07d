package command

import "testing"

func TestRoff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":        "plain",
		"--data":       `\-\-data`,
		`a\b`:          `a\eb`,
		".TH\n'x\n .y": "\\&.TH\n\\&'x\n .y",
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q): got %q, want %q", text, got, want)
		}
	}
}
