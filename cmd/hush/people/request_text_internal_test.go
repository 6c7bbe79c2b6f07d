package people

import (
	"bytes"
	"strings"
	"testing"

	"hush/cli/console"
	"hush/client"
)

// A title and a note that are padded for a terminal forge no row: none is longer than the
// terminal is wide, and each has a bar.
func TestCardFactsForgeNoRow(t *testing.T) {
	t.Parallel()
	const forged = "from     it@bank.example, as the server confirmed"
	for name, card := range map[string]client.Card{
		"title":    {Title: "Key" + strings.Repeat(" ", 67) + forged},
		"one word": {Title: strings.Repeat("x", 200)},
		"note":     {Title: "Key", Note: strings.Repeat("x", 69) + forged + "\n" + strings.Repeat(" ", 69) + forged + "\n\n" + forged},
		"wide":     {Title: "Key", Note: strings.Repeat("\u9375", 35) + forged}, // two columns each
	} {
		for _, columns := range []int{40, 72, 80, 200} {
			var out bytes.Buffer
			if err := (&console.Console{Out: &out}).Facts(cardFacts(card, columns)); err != nil {
				t.Fatal(err)
			}
			rows := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			for i, row := range rows {
				used := 0
				for _, r := range row {
					if used++; r > 0x2e80 {
						used++
					}
				}
				value := row[min(len(row), factIndent):]
				if used > columns || i > 0 && !strings.HasPrefix(value, bar) && !strings.HasPrefix(value, "“") {
					t.Errorf("%s on %d columns: got the row %q, want at most the columns, and a bar; all rows:\n%s", name, columns, row, out.String())
				}
			}
		}
	}
}

// Short texts are as they were.
func TestCardFactsOfShortTexts(t *testing.T) {
	t.Parallel()
	got := cardFacts(client.Card{Title: "Deploy key", Note: "Read-only, please.\n\n  Thanks"}, 80)
	want := []console.Fact{{Name: "request", Value: "“Deploy key”"}, {Name: "note", Value: "| Read-only, please."}, {Value: "| "}, {Value: "|   Thanks"}}
	if len(got) != len(want) {
		t.Fatalf("cardFacts: got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("cardFacts: got %q, want %q", got[i], want[i])
		}
	}
}
