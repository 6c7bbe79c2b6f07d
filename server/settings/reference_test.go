package settings

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/flags"
)

var update = flag.Bool("update", false, "write the reference of settings anew")

// referencePath is the page for operators that lists all settings.
const referencePath = "../../docs/operations/settings.md"

// The operator's page lists every setting as help describes it. `make generate` writes it.
func TestReferenceOfSettings(t *testing.T) {
	t.Parallel()
	want := reference(t)
	if *update {
		if err := os.WriteFile(referencePath, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referencePath)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s: stale, run make generate (-want +got):\n%s", referencePath, diff)
	}
	for _, name := range Names() {
		if strings.Count(want, "| `--"+name+"` |") != 1 {
			t.Errorf("reference: got --%s not once, want a row for it", name)
		}
	}
}

const referenceHead = `# Settings

Every setting of the service, by group: its flag, its variable, and its default. In a
configuration file it has the name of the flag without the dashes. [Configuration](configuration.md)
says which of them counts, and ` + "`hush admin config check`" + ` prints those that are in effect.
This page is written by ` + "`make generate`" + ` from the table that the program reads.

Where the default is empty, nothing is set. † stands for a setting whose variable, or line
of a file, must not be empty.
`

// reference returns the page.
func reference(t *testing.T) string {
	t.Helper()
	var page strings.Builder
	page.WriteString(referenceHead)
	c := &cobra.Command{}
	Add(c, Names()...)
	for _, group := range new(Settings).groups() {
		pages, ok := pagesOfGroups()[group.title]
		if !ok {
			t.Errorf("group %s: got no page that explains it, want one", group.title)
		}
		fmt.Fprintf(&page, "\n## %s\n\nSee %s.\n\n| flag | variable | default | what it does |\n|---|---|---|---|\n", group.title, pages)
		for _, setting := range group.settings {
			page.WriteString(referenceRow(c.Flags().Lookup(setting.name)))
		}
	}
	return page.String()
}

// pagesOfGroups are the pages that explain the settings of each group.
func pagesOfGroups() map[string]string {
	return map[string]string{
		"Configuration": "[Configuration](configuration.md)",
		"Network":       "[Running the service](running.md), [Certificates](certificates.md), [Behind a proxy](proxies.md) and [Domains](domains.md)",
		"Data":          "[Moving](moving.md), [The spent log](backup.md#the-spent-log), [Root keys](root-keys.md) and [Several nodes on PostgreSQL](nodes.md)",
		"Backups":       "[Backup and restore](backup.md)",
		"Limits":        "[Limits](limits.md)",
		"Secrets":       "[Policy](policy.md)",
		"Accounts":      "[Accounts](accounts.md)",
		"Pages":         "[Policy](policy.md)",
		"Mail":          "[Mail](mail.md)",
		"Metrics":       "[Metrics](metrics.md)",
		"Process":       "[The log](log.md) and [The sandbox](sandbox.md)",
	}
}

var (
	// defaultWords is a default that a description tells in words.
	defaultWords = regexp.MustCompile(` \(default: ([^)]*)\)`)
	// codeWord is what a description has of flags, commands, forms and values.
	codeWord = regexp.MustCompile(`--[a-z][a-z-]*|"[^"]+"|\b(?:unix|systemd):[A-Z]+|\bpostgres://\S+|\w+(?:\|\w+)+`)
)

// referenceRow returns the row of a setting.
func referenceRow(f *pflag.Flag) string {
	_, about := pflag.UnquoteUsage(f)
	value := f.DefValue
	if words := defaultWords.FindStringSubmatch(about); words != nil {
		value, about = codeWord.ReplaceAllString(words[1], "`$0`"), strings.Replace(about, words[0], "", 1)
	} else if value != "" && !strings.Contains(value, " ") {
		value = "`" + value + "`"
	}
	about = codeWord.ReplaceAllStringFunc(about, func(word string) string { return "`" + strings.Trim(word, `"`) + "`" })
	if words := flags.Words(f); len(words) > 0 {
		about += " (`" + strings.Join(words, "|") + "`)"
	}
	if example := flags.ExampleOf(f); example != f.DefValue && !strings.Contains(about, "such as") {
		about += "; such as `" + example + "`"
	}
	if needsValue(f.Name) {
		value = strings.TrimSpace(value + " †")
	}
	return fmt.Sprintf("| `--%s` | `%s` | %s | %s |\n", f.Name, Variable(f.Name), value, strings.ReplaceAll(about, "|", `\|`))
}
