package routes

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// standIn is what a page says where no script runs. Its sheet depends on the
// language alone, so there is one for each name and language.
type standIn struct {
	name  string
	sheet func(x *exchange) *sheet
}

// sheet is a page without scripts, or the part of one, in the visitor's
// language. What is empty is not shown.
type sheet struct {
	Language string
	Styles   []string
	Title    string
	Done     []string // paragraphs on what just happened
	Problem  string   // why it did not
	Value    string   // a revealed secret, which belongs nowhere else
	Facts    []fact
	Text     []passage
	Form     *form
}

// passage is a paragraph, with a command below it if it has one.
type passage struct{ Text, Command string }

// fact is one thing that is known. Time is its moment for programs.
type fact struct{ Name, Text, Time string }

// form sends what it asks for to the path that shows it, without the query
// that the path was opened with.
type form struct {
	Fields []input
	Button string
	Sure   bool   // whether the button says continue
	Shrimp string // the session's token
}

// input asks for a text that nobody should read along.
type input struct {
	Name, Label, Hint string
	Complete          string // as in the attribute autocomplete
	Least             int    // characters; zero where nothing is needed
}

// languageTag is the page's language as HTML has it.
func languageTag(x *exchange) string {
	return strings.ReplaceAll(string(x.visitor.Locale), "_", "-")
}

// allowReferrer lets a form say that it comes from here.
func (s *sheet) allowReferrer(h http.Header) {
	if s.Form != nil {
		h.Set("Referrer-Policy", ownReferrer)
	}
}

// showSheet answers with a page without scripts.
func (t *tree) showSheet(w http.ResponseWriter, x *exchange, status int, s *sheet) {
	s.Language, s.Styles = languageTag(x), t.client.shell.styles
	s.allowReferrer(w.Header())
	if s.Form != nil {
		s.Form.Shrimp = x.visitor.Shrimp
	}
	var b bytes.Buffer
	if err := t.client.plain.Execute(&b, s); err != nil {
		writeText(w, http.StatusInternalServerError, textInternal)
		return
	}
	writeBytes(w, status, typeHTML, b.Bytes())
}

// moment is a fact about when something happened or will.
func moment(name string, at *timestamppb.Timestamp) fact {
	utc := at.AsTime()
	return fact{Name: name, Text: utc.Format("2006-01-02 15:04 UTC"), Time: utc.Format(time.RFC3339)}
}

// homePage says what the service is, and how to use it from a command line.
func homePage() standIn {
	return standIn{"home", func(x *exchange) *sheet {
		base := x.links.base
		keys := x.text("page.home.keys", "secret", "secret_key", "link", base+"/s#KEY", "receipt", "metadata_key")
		return &sheet{Title: x.text("page.home.title"), Text: []passage{
			{Text: x.text("page.home.explanation")},
			{Text: x.text("page.script")},
			{x.text("page.home.share"), "curl --data-urlencode secret@FILE " + base + "/api/v1/share"},
			{Text: keys},
		}}
	}}
}

// fragmentPage is for links whose key browsers keep to themselves. It tells how
// to make one with the key in the path.
func fragmentPage(from, to string) standIn {
	return standIn{"fragment " + from, func(x *exchange) *sheet {
		return &sheet{Title: x.text("page.fragment.title"), Text: []passage{
			{Text: x.text("page.fragment.explanation")},
			{Text: x.text("page.fragment.advice", "from", from, "to", to)},
		}}
	}}
}

func unknownPage() standIn {
	return standIn{"unknown", func(x *exchange) *sheet {
		return &sheet{Title: x.text("page.unknown.title"), Text: []passage{{Text: x.text("page.unknown.explanation")}}}
	}}
}
