package admin

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"hush/cli/console"
	"hush/vault/doctor"
)

// examinationResult is what an examination found.
type examinationResult struct {
	place string
	at    time.Time
	found *doctor.Findings
}

// examinationJSON is the result as JSON.
type examinationJSON struct {
	Data     string        `json:"data"`
	Time     time.Time     `json:"time"`
	Rows     int64         `json:"rows"`
	Errors   int64         `json:"errors"`
	Warnings int64         `json:"warnings"`
	Infos    int64         `json:"infos"`
	Skipped  []string      `json:"skipped"`
	Findings []findingJSON `json:"findings"`
}

type findingJSON struct {
	Code   string         `json:"code"`
	Level  string         `json:"level"`
	Bucket string         `json:"bucket,omitempty"`
	Count  int64          `json:"count"`
	Text   string         `json:"text"`
	Do     string         `json:"do"`
	Places []doctor.Place `json:"places"` // the first ones
}

func (d examination) print(r examinationResult) error {
	if !d.asJSON {
		return r.tell(d.Out)
	}
	doc := examinationJSON{
		Data: r.place, Time: r.at.UTC().Truncate(time.Second), Rows: r.found.Rows,
		Errors: r.found.Count(doctor.LevelError), Warnings: r.found.Count(doctor.LevelWarning), Infos: r.found.Count(doctor.LevelInfo),
		Skipped: append([]string{}, r.found.Skipped...), Findings: []findingJSON{},
	}
	for _, g := range r.found.Groups() {
		doc.Findings = append(doc.Findings, findingJSON{string(g.Code), g.Level.String(), g.Bucket, g.Count, g.Text, g.Do, g.Places})
	}
	out := json.NewEncoder(d.Out)
	out.SetIndent("", "  ")
	return out.Encode(doc)
}

// tell prints the result for people. The last line is the verdict.
func (r examinationResult) tell(w io.Writer) error {
	var text strings.Builder
	for _, g := range r.found.Groups() {
		fmt.Fprintf(&text, "%s %s: %s\n", g.Level, g.Code, g.Text)
		for _, p := range g.Places {
			fmt.Fprintf(&text, "  %s\n", describePlace(g.Bucket, p))
		}
		if more := g.Count - int64(len(g.Places)); more > 0 {
			fmt.Fprintf(&text, "  and %d more\n", more)
		}
		fmt.Fprintf(&text, "  %s\n", g.Do)
	}
	for _, skipped := range r.found.Skipped {
		fmt.Fprintf(&text, "not examined: %s\n", skipped)
	}
	fmt.Fprintf(&text, "%s: %s\n", r.place, r.verdict())
	_, err := io.WriteString(w, text.String())
	return err
}

func describePlace(bucket string, p doctor.Place) string {
	var parts []string
	if bucket != "" {
		parts = append(parts, "bucket "+bucket)
	}
	if p.Row != "" {
		parts = append(parts, "row "+p.Row)
	}
	if p.Note != "" {
		parts = append(parts, p.Note)
	}
	return strings.Join(parts, ", ")
}

func (r examinationResult) verdict() string {
	rows := console.Count(r.found.Rows, "rows")
	errors, warnings := r.found.Count(doctor.LevelError), r.found.Count(doctor.LevelWarning)
	switch {
	case errors > 0:
		return fmt.Sprintf("%s and %s in %s", console.Count(errors, "errors"), console.Count(warnings, "warnings"), rows)
	case warnings > 0:
		return fmt.Sprintf("no errors, %s in %s", console.Count(warnings, "warnings"), rows)
	}
	return "no errors in " + rows
}
