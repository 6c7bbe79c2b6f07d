package hush_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Packages, messages and links that are in use name headings of docs/operations.md, which
// became a folder. Each leads to where its text is now.
func TestOldAnchorsOfOperationsResolve(t *testing.T) {
	const name = "docs/operations.md"
	documents := readDocuments(t)
	old := oldAnchors()
	for _, anchor := range old {
		if !slices.Contains(anchors(documents[name]), anchor) {
			t.Errorf("%s: got no anchor %s, want every one that it had", name, anchor)
		}
	}
	for _, missing := range missingLinks(name, documents) {
		t.Errorf("%s leads to %s: got no such heading, want one", name, missing)
	}
	led := regexp.MustCompile(`(?m)^- <a id="[\w-]+"></a>\[[^\]]+\]\(operations/[\w-]+\.md(#[\w-]+)?\)$`)
	if got := len(led.FindAllString(documents[name], -1)); got != len(old)-1 { // the first is the title
		t.Errorf("%s: got %d lines that lead on, want %d", name, got, len(old)-1)
	}
}

// oldAnchors are the link names of the headings that docs/operations.md had.
func oldAnchors() []string {
	return strings.Fields(`
		operations install the-first-day running-the-service configuration certificates obtained-over-acme from-files
		behind-a-proxy container commands the-data-folder copying-and-moving-the-folder moving-to-another-store keep-it
		backups doctor-and-compact the-spent-log restore the-worst-day before-it the-day a-new-root-key an-old-folder
		root-keys upgrades-and-formats audit-export several-nodes-on-postgresql starting-stopping-and-health metrics
		metrics-for-other-machines when-something-is-wrong causes-that-postgresql-names requests-that-fail full-disk
		the-log accounts mail domains policy places limits bodies-and-memory stored-bytes connections the-sandbox`)
}

// What operators search for is in their documents, under the words that they use.
func TestOperationsAnswerSearches(t *testing.T) {
	documents := readDocuments(t)
	for word, name := range map[string]string{
		"**429**": "limits", "firewall": "install", "certbot": "certificates", "single sign-on (SSO)": "proxies", "GDPR": "privacy",
		"log rotation": "log", "To another machine": "moving",
	} {
		page := "docs/operations/" + name + ".md"
		if !strings.Contains(documents[page], word) {
			t.Errorf("%s: got nothing about %q, want an answer", page, word)
		}
	}
	for _, word := range []string{"429", "firewall", "certbot", "SSO", "GDPR", "rotates", "another machine"} {
		if !strings.Contains(documents["docs/operations/README.md"], word) {
			t.Errorf("contents of operations: got nothing about %q, want a line that leads to it", word)
		}
	}
	for name := range documents {
		page, below := strings.CutPrefix(name, "docs/operations/")
		if below && page != "README.md" && !strings.Contains(documents["docs/operations/README.md"], "]("+page+")") {
			t.Errorf("contents of operations: got no line for %s, want one", page)
		}
	}
}

// The contents of operations lead a tired operator to the place where the first paragraph
// answers.
func TestOperationsAnswerTheTired(t *testing.T) {
	documents := readDocuments(t)
	contents := documents["docs/operations/README.md"]
	for _, q := range []struct{ question, target, answer string }{
		{"The disk is full", "full-disk.md", "Free space on the disk"},
		{"The certificate did not renew", "certificates.md", "It did not renew"},
		{"goes to spam", "mail.md", "Mail goes to spam"},
		{"The root key is lost", "root-keys.md", "that is **lost**"},
		{"A node is away", "nodes.md#when-a-node-is-away", "Start it again"},
		{"restore yesterday's backup", "backup.md#restore", "`hush admin restore` makes a data folder out of a backup"},
		{"forgot a password", "accounts.md", "`reset-password` sets another password"},
		{"block an abuser", "abuse.md", "Block an account with"},
		{"The upgrade went wrong", "upgrades.md", "**It went wrong**"},
		{"move to another machine", "moving.md#to-another-machine", "on the new machine, install"},
		{"The machine is lost", "worst-day.md#the-day", "On the new machine,"},
	} {
		row := regexp.MustCompile(`(?m)^\| [^|]*` + regexp.QuoteMeta(q.question) + `.*\]\(` + regexp.QuoteMeta(q.target) + `\).*\|$`)
		if !row.MatchString(contents) {
			t.Errorf("contents of operations: got no row with %q that leads to %s, want one", q.question, q.target)
		}
		page, anchor, _ := strings.Cut(q.target, "#")
		if got := beginning(documents["docs/operations/"+page], anchor); !strings.Contains(got, q.answer) {
			t.Errorf("%s begins with\n%s\nwant an answer: %q", q.target, got, q.answer)
		}
	}
}

// beginning returns what a section begins with: at most 1,000 bytes before the next
// heading.
func beginning(document, anchor string) string {
	for _, section := range regexp.MustCompile(`(?m)^#+ `).Split(document, -1)[1:] {
		title, text, _ := strings.Cut(section, "\n")
		if anchor != "" && !slices.Contains(anchors("# "+title), anchor) {
			continue
		}
		return text[:min(len(text), 1000)]
	}
	return ""
}
