package pages

import (
	"net/http"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"hush/routes/call"
)

// noscriptPage is a page's content for browsers without scripts. Its view
// depends only on the language, so there is one for each name and language.
type noscriptPage struct {
	name string
	view func(req *call.Request) *view
}

// view is a page without scripts, or the noscript part of one, in the visitor's
// language. Empty fields are not shown.
type view struct {
	Language string
	Styles   []string
	Title    string
	Done     []string // paragraphs about the result
	Problem  string   // the refusal
	Value    string   // a revealed secret, which must not appear elsewhere
	Facts    []fact
	Text     []passage
	Form     *form
}

// passage is a paragraph, with an optional command below it.
type passage struct{ Text, Command string }

// fact is one known thing. Time is its time for programs.
type fact struct{ Name, Text, Time string }

// form sends its inputs to the path of its page, without the query.
type form struct {
	Fields []input
	Button string
	Sure   bool   // whether the button is named continue
	Shrimp string // the session's token
}

// input asks for a text that stays hidden.
type input struct {
	Name, Label, Hint string
	Complete          string // the attribute autocomplete
	Least             int    // minimum characters; zero if optional
}

// languageTag returns the page's language in its HTML spelling.
func languageTag(req *call.Request) string {
	return strings.ReplaceAll(string(req.Visitor.Locale), "_", "-")
}

// allowReferrer lets browsers name this origin for a page's form.
func (v *view) allowReferrer(h http.Header) {
	if v.Form != nil {
		h.Set("Referrer-Policy", ownReferrer)
	}
}

// moment returns a fact about a time in the past or future.
func moment(name string, at *timestamppb.Timestamp) fact {
	utc := at.AsTime()
	return fact{Name: name, Text: utc.Format("2006-01-02 15:04 UTC"), Time: utc.Format(time.RFC3339)}
}
