package hush_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// Every paragraph, list item and table of security.md has one row in promises.md, and
// each row has tests, a file of browser tests, or says why not.
func TestPromisesHaveProofs(t *testing.T) {
	promises, proofs := promisesOf(readDocument(t, "docs/security.md")), proofsOf(readDocument(t, "docs/promises.md"))
	for _, problem := range unproven(promises, proofs) {
		t.Error(problem)
	}
	if len(promises) < 50 {
		t.Errorf("docs/security.md: got %d paragraphs, items and tables, want 50 or more, or this test finds nothing", len(promises))
	}
}

// The check must be able to fail.
func TestUnprovenPromisesAreFound(t *testing.T) {
	t.Parallel()
	promises := promisesOf("# Title\n\nAll is **well** and\nstays `so`.\n\n```\ncode\n```\n- One [promise](x.md) here\n- Two of them\n\n| | a | b |\n|---|---|---|\n| x | y | z |\nThe end of it.\n")
	proofs := proofsOf("| security.md | proof |\n|---|---|\n| All is well | `TestWell` |\n| One promise | Proved. |\n| Two of | A limit. |\n| Two of them | A limit. |\n| Three | `TestThree` |\n| Table of 2 rows: a | `web/e2e/form.spec.ts` |\n")
	want := []string{
		`docs/promises.md, "One promise": got no test and no reason`,
		`"Two of them": got 2 rows of docs/promises.md, want 1`,
		`"Table of 1 rows: a": got 0 rows of docs/promises.md, want 1`,
		`"The end of it.": got 0 rows of docs/promises.md, want 1`,
		`docs/promises.md, "Three": got nothing of docs/security.md that begins so`,
		`docs/promises.md, "Table of 2 rows: a": got nothing of docs/security.md that begins so`,
	}
	if got := unproven(promises, proofs); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("unproven: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// proof is a row of promises.md.
type proof struct{ beginning, text string }

var (
	listMark = regexp.MustCompile(`^(- |\d+\. )`)
	linkText = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
	anyTest  = regexp.MustCompile("`(Test\\w+…?|web/e2e/[\\w.-]+)`")
	noProof  = regexp.MustCompile(`^(No promise|A limit|Advice)\b`)
)

// tableName is how promises.md names a table.
const tableName = "Table of %d rows: %s"

// plain returns a text without the marks of Markdown.
func plain(text string) string {
	return strings.NewReplacer("*", "", "`", "").Replace(linkText.ReplaceAllString(text, "$1"))
}

// promisesOf returns the paragraphs and list items of a document as plain text, and for
// each table the number of its rows with its first heading that has a word.
func promisesOf(document string) (promises []string) {
	var block []string
	end := func() {
		if len(block) > 0 && strings.HasPrefix(block[0], "|") {
			promises = append(promises, fmt.Sprintf(tableName, len(block)-2, firstCell(block[0])))
		} else if len(block) > 0 {
			promises = append(promises, plain(strings.Join(block, " ")))
		}
		block = nil
	}
	code := false
	for line := range strings.Lines(document) {
		line = strings.TrimSpace(line)
		fence := strings.HasPrefix(line, "```")
		inTable := len(block) > 0 && strings.HasPrefix(block[0], "|")
		if line == "" || fence || strings.HasPrefix(line, "#") || listMark.MatchString(line) || inTable != strings.HasPrefix(line, "|") {
			end()
		}
		switch {
		case fence:
			code = !code
		case line != "" && !code && !strings.HasPrefix(line, "#"):
			block = append(block, listMark.ReplaceAllString(line, ""))
		}
	}
	end()
	return promises
}

func firstCell(row string) string {
	for cell := range strings.SplitSeq(row, "|") {
		if cell = strings.TrimSpace(cell); cell != "" {
			return plain(cell)
		}
	}
	return ""
}

// proofsOf returns the rows of all tables of a document but their headings.
func proofsOf(document string) (proofs []proof) {
	for line := range strings.Lines(document) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 2 || cells[0] == "| security.md" {
			continue
		}
		proofs = append(proofs, proof{strings.TrimPrefix(cells[0], "| "), strings.TrimSuffix(cells[1], " |")})
	}
	return proofs
}

// unproven says what has no row, or more than one, and which rows prove nothing.
func unproven(promises []string, proofs []proof) (problems []string) {
	used := map[proof]bool{}
	for _, p := range proofs {
		if !anyTest.MatchString(p.text) && !noProof.MatchString(p.text) {
			problems = append(problems, fmt.Sprintf("docs/promises.md, %q: got no test and no reason", p.beginning))
		}
	}
	for _, promise := range promises {
		rows := 0
		for _, p := range proofs {
			if strings.HasPrefix(promise, p.beginning) && (!strings.HasPrefix(promise, "Table of ") || promise == p.beginning) {
				rows, used[p] = rows+1, true
			}
		}
		if rows != 1 {
			problems = append(problems, fmt.Sprintf("%q: got %d rows of docs/promises.md, want 1", promise, rows))
		}
	}
	for _, p := range proofs {
		if !used[p] {
			problems = append(problems, fmt.Sprintf("docs/promises.md, %q: got nothing of docs/security.md that begins so", p.beginning))
		}
	}
	return problems
}
