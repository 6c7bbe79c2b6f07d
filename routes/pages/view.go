package pages

import (
	"net/http"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"hush/routes/call"
)

// noscriptPage is what a page says where no script runs. Its view depends on the
// language only, so there is one for each name and language.
type noscriptPage struct {
	name string
	view func(req *call.Request) *view
}

// view is a page without scripts, or the part of one, in the visitor's
// language. What is empty is not shown.
type view struct {
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

// input asks for a text that is not shown while it is typed.
type input struct {
	Name, Label, Hint string
	Complete          string // as in the attribute autocomplete
	Least             int    // characters; zero where nothing is needed
}

// languageTag returns the page's language as HTML spells it.
func languageTag(req *call.Request) string {
	return strings.ReplaceAll(string(req.Visitor.Locale), "_", "-")
}

// allowReferrer lets a form say that it comes from here.
func (v *view) allowReferrer(h http.Header) {
	if v.Form != nil {
		h.Set("Referrer-Policy", ownReferrer)
	}
}

// moment returns a fact about when something happened or will happen.
func moment(name string, at *timestamppb.Timestamp) fact {
	utc := at.AsTime()
	return fact{Name: name, Text: utc.Format("2006-01-02 15:04 UTC"), Time: utc.Format(time.RFC3339)}
}
