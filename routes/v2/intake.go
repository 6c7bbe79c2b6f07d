package v2

import (
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/refusal"
	"hush/routes/version"
)

func feedbackFields() []params.Field {
	return slices.Concat(params.Required(params.FormText, "msg"), params.Optional(params.FormText, "tz", "version", version.Payload))
}

func decodeFeedback(req *call.Request) (*hushv1.ReceiveFeedbackRequest, error) {
	msg := new(hushv1.ReceiveFeedbackRequest)
	err := req.Params.Texts(
		params.Into("msg", &msg.Message), params.Into("tz", &msg.TimeZone), params.Into("version", &msg.Version),
		params.Into(version.Payload, &msg.AuthenticityPayload))
	if err != nil {
		return nil, err
	}
	return msg, nil
}

func exceptionFields() []params.Field {
	return slices.Concat(
		params.Required(params.FormText, "message"),
		params.Optional(params.FormText, "type", "stack", "url", "user_agent", "environment", "release"),
		params.Optional(params.FormInteger, "line", "column"))
}

func decodeException(req *call.Request) (*hushv1.ReceiveExceptionRequest, error) {
	msg := new(hushv1.ReceiveExceptionRequest)
	var line, column string
	err := req.Params.Texts(
		params.Into("message", &msg.Message), params.Into("type", &msg.Type), params.Into("stack", &msg.Stack), params.Into("url", &msg.Url),
		params.Into("user_agent", &msg.UserAgent), params.Into("environment", &msg.Environment), params.Into("release", &msg.Release),
		params.Into("line", &line), params.Into("column", &column))
	if err != nil {
		return nil, err
	}
	if msg.Line, err = position("line", line); err != nil {
		return nil, err
	}
	msg.Column, err = position("column", column)
	return msg, err
}

// position parses a line or column. Browsers send many things there: anything
// but a positive whole number counts as unknown.
func position(name, text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, refusal.Invalid("%s must be a number of at most %d", name, math.MaxInt32)
	case err == nil && n > 0:
		return int32(n), nil
	default:
		return 0, nil
	}
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
