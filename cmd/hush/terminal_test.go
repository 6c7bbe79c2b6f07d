package main

import (
	"flag"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var updateTerminal = flag.Bool("terminal.update", false, "write the picture of the terminal in docs/ anew")

// terminalPicture is what README shows.
const terminalPicture = "../../docs/terminal.svg"

// shownCommands are those of the picture, and what the test runs for them, where a
// terminal has the link from elsewhere.
func shownCommands() [][2]string {
	return [][2]string{
		{"hush share .env --receipt-file receipt", "umask 077; hush share .env --receipt-file receipt >link; head -n 1 link"},
		{"hush open @link --output .env", "rm .env; hush open @link --output .env"},
		{"hush open @link", "hush open @link || test $? -gt 0"},
		{"hush receipt @receipt --watch", "hush receipt @receipt --watch"},
	}
}

// The picture of the terminal shows what the commands print: a secret is shared, opened,
// and refused to who comes second. `make terminal` writes it.
func TestPictureOfTheTerminal(t *testing.T) {
	t.Parallel()
	needCurl(t)
	k := newShellKit(t)
	k.write(t, ".env", "DB_PASSWORD=correct horse\n")
	var lines []string
	for _, c := range shownCommands() {
		lines = append(lines, "$ "+c[0])
		said := strings.Split(strings.TrimSpace(strings.ReplaceAll(k.sh(t, c[1]), k.URL, "https://hush.example")), "\n")
		if last := len(said) - 1; strings.HasPrefix(said[last], "https://") { // the link, which comes first in a terminal
			said = append(said[last:], said[:last]...)
		}
		lines = append(lines, said...)
	}
	got := drawTerminal(lines)
	if *updateTerminal {
		if err := os.WriteFile(terminalPicture, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(terminalPicture)
	if err != nil {
		t.Fatal(err)
	}
	if want := string(content); sameEachTime(got) != sameEachTime(want) {
		t.Errorf("%s: got\n%s\nwant what the commands print\n%s", terminalPicture, want, got)
	}
}

// sameEachTime leaves out what differs from one run to the next: links and times, which
// may be cut off.
func sameEachTime(picture string) string {
	return regexp.MustCompile(`/[er]#[\w-]+…?|20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]+( UTC|…)|[0-9]+ seconds? ago|just now`).ReplaceAllString(picture, "…")
}

// drawTerminal draws the lines of a terminal. They come one after the other, once; where
// motion is not wanted, or not known, all are there from the beginning.
func drawTerminal(lines []string) string {
	const width, left, top, letters = 860, 20, 62, 95
	var texts strings.Builder
	y, wait := top, 0.4
	for i, line := range lines {
		fill := "#9aa4b2"
		if strings.HasPrefix(line, "$ ") {
			fill = "#f2f3f5"
			if i > 0 {
				y, wait = y+4, wait+1.4
			}
		}
		if utf8.RuneCountInString(line) > letters {
			line = string([]rune(line)[:letters-1]) + "…"
		}
		fmt.Fprintf(&texts, "<text x=\"%d\" y=\"%d\" fill=\"%s\" style=\"animation-delay:%.1fs\">%s</text>\n", left, y, fill, wait, html.EscapeString(line))
		y, wait = y+25, wait+0.5
	}
	height := y + 1
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="A terminal: a file is shared with hush share, opened once with hush open, and gone the second time; the receipt says delivered.">
<style>@media (prefers-reduced-motion: no-preference) { text { animation: come 0.2s both } } @keyframes come { from { opacity: 0 } }</style>
<rect width="100%%" height="100%%" rx="10" fill="#16181d"/>
<circle cx="22" cy="20" r="6" fill="#e5534b"/><circle cx="42" cy="20" r="6" fill="#d9a13b"/><circle cx="62" cy="20" r="6" fill="#57a65b"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" xml:space="preserve">
%[3]s</g>
</svg>
`, width, height, texts.String())
}
