package v2

import (
	"net/url"
	"strings"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/version"
)

func feedbackInput() call.Input[hushv1.ReceiveFeedbackRequest] {
	return call.Fill(call.Nothing[hushv1.ReceiveFeedbackRequest],
		params.Field{Name: "msg", Form: params.FormText, Becomes: "message", Required: true},
		params.Field{Name: "tz", Form: params.FormText, Becomes: "time_zone"},
		params.Field{Name: "version", Form: params.FormText, Becomes: "version"},
		version.SolutionField())
}

func exceptionInput() call.Input[hushv1.ReceiveExceptionRequest] {
	return call.Fill(call.Nothing[hushv1.ReceiveExceptionRequest],
		params.Field{Name: "message", Form: params.FormText, Becomes: "message", Required: true},
		params.Field{Name: "type", Form: params.FormText, Becomes: "type"},
		params.Field{Name: "stack", Form: params.FormText, Becomes: "stack"},
		params.Field{Name: "url", Form: params.FormText, Becomes: "url"},
		params.Field{Name: "line", Form: params.FormPosition, Becomes: "line"},
		params.Field{Name: "column", Form: params.FormPosition, Becomes: "column"},
		params.Field{Name: "user_agent", Form: params.FormText, Becomes: "user_agent"},
		params.Field{Name: "environment", Form: params.FormText, Becomes: "environment"},
		params.Field{Name: "release", Form: params.FormText, Becomes: "release"})
}

type feedbackDetails struct {
	Message  string `json:"message"`
	Received bool   `json:"received"`
}

func encodeFeedback(req *call.Request, _ *hushv1.ReceiveFeedbackResponse) any {
	return newEnvelope(req, struct{}{}, feedbackDetails{Message: "Message received. Send as much as you like!", Received: true})
}

// exceptionRecord is a report as it was stored.
type exceptionRecord struct {
	Identifier   string   `json:"identifier"`
	ShortID      string   `json:"short_id"`
	Message      string   `json:"message"`
	Type         string   `json:"type"`
	URL          string   `json:"url"`
	Line         int32    `json:"line"`
	Column       int32    `json:"column"`
	Environment  string   `json:"environment"`
	Release      string   `json:"release"`
	User         string   `json:"user"`
	Created      int64    `json:"created"`
	Updated      int64    `json:"updated"`
	OccurredAt   string   `json:"occurred_at"`
	IsError      bool     `json:"is_error"`
	IsCritical   bool     `json:"is_critical"`
	BrowserInfo  browser  `json:"browser_info"`
	Location     location `json:"location"`
	StackPreview []string `json:"stack_preview"`
	StackLength  int      `json:"stack_length"`
}

type browser struct {
	Browser *string `json:"browser"`
	Version *string `json:"version"`
	Mobile  bool    `json:"mobile"`
}

type location struct {
	Path     string  `json:"path"`
	Query    *string `json:"query"`
	Hostname *string `json:"hostname"`
}

type messageDetails struct {
	Message string `json:"message"`
}

// previewLines is the number of lines of a stack in the preview.
const previewLines = 3

func encodeException(req *call.Request, res *hushv1.ReceiveExceptionResponse) any {
	e := res.GetException()
	at := e.GetCreateTime().AsTime()
	lines := stackLines(e.GetStack())
	record := exceptionRecord{
		Identifier: e.GetExceptionId(), ShortID: e.GetExceptionId(), Message: e.GetMessage(), Type: e.GetType(),
		URL: e.GetUrl(), Line: e.GetLine(), Column: e.GetColumn(), Environment: e.GetEnvironment(),
		Release: e.GetRelease(), User: e.GetUser(), Created: at.Unix(), Updated: at.Unix(),
		OccurredAt: at.Format(time.RFC3339), IsError: strings.HasSuffix(e.GetType(), "Error"),
		IsCritical:  isCritical(e.GetType()),
		BrowserInfo: newBrowser(e.GetUserAgent()), Location: newLocation(e.GetUrl()),
		StackPreview: lines[:min(previewLines, len(lines))], StackLength: len(lines),
	}
	return newEnvelope(req, record, messageDetails{Message: "Exception logged"})
}

func stackLines(stack string) []string {
	if stack == "" {
		return []string{}
	}
	return strings.Split(strings.TrimSuffix(stack, "\n"), "\n")
}

func isCritical(kind string) bool {
	for _, word := range []string{"Fatal", "Critical", "Emergency"} {
		if strings.Contains(kind, word) {
			return true
		}
	}
	return false
}

// newBrowser parses a user agent: Mozilla/5.0 (..) is Mozilla, 5.0.
func newBrowser(agent string) browser {
	if agent == "" {
		return browser{}
	}
	name, rest, found := strings.Cut(agent, "/")
	b := browser{Browser: &name, Mobile: strings.Contains(agent, "Mobile")}
	if found {
		version, _, _ := strings.Cut(rest, " ")
		b.Version = &version
	}
	return b
}

// newLocation has no query: the service stores none.
func newLocation(page string) location {
	u, err := url.Parse(page)
	if err != nil || page == "" {
		return location{}
	}
	return location{Path: u.Path, Hostname: new(u.Hostname())}
}
