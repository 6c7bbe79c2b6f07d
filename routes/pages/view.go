package pages

import (
	"cmp"
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
	// start names what the shell shows before its script runs, as in start.json.
	start string
	// ofSecret is whether the page is that of a link to a secret, and ofRequest whether it
	// is that of a link to answer by, for its preview.
	ofSecret, ofRequest bool
}

// view is a page without scripts, or the noscript part of one, in the visitor's
// language. Empty fields are not shown.
type view struct {
	Language  string
	Direction string // of the language, as the attribute dir
	Styles    []string
	Instance  string // the service's name
	Title     string
	Done      []string // paragraphs about the result
	Problem   string   // the refusal
	Value     string   // a revealed secret, which must not appear elsewhere
	Links     []link
	Facts     []fact
	Text      []passage
	Form      *form
	Next      *anchor
	Start     *start // what a shell shows before its script runs
}

// link is a link that was made. Only one to keep can be opened on the page: opening
// another would use it up.
type link struct {
	Label, Hint, URL string
	Class            string // of its card
	Keep             bool
}

// anchor leads to another page.
type anchor struct{ URL, Text string }

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

// input asks for a text or a choice.
type input struct {
	Kind              inputKind
	Name, Label, Hint string
	Complete          string // the attribute autocomplete
	Least             int    // the characters; zero for any number
	Required          bool
	Choices           []choice
}

// choice is one value to choose.
type choice struct {
	Value, Text string
	Chosen      bool
}

// inputKind is how an input looks. The zero value hides what is entered.
type inputKind string

// The other kinds.
const (
	inputText   inputKind = "text"
	inputLines  inputKind = "lines"
	inputChoice inputKind = "choice"
)

// languageTag returns the page's language in its HTML spelling.
func languageTag(req *call.Request) string {
	return strings.ReplaceAll(string(req.Visitor.Locale), "_", "-")
}

// instanceName returns the service's name.
func instanceName(req *call.Request) string {
	return cmp.Or(req.Policy.GetInstanceName(), "Hush")
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
