package v2

import (
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/refusal"
	"hush/routes/routestest"
)

func TestFeedbackInput(t *testing.T) {
	got, err := routestest.Decoded(t, feedbackInput().Decode, "msg=+hi&tz=Europe/Berlin&version=1.2&authenticity_payload=eyJ9")
	routestest.WantMessage(t, "feedbackInput", got, &hushv1.ReceiveFeedbackRequest{
		Message: " hi", TimeZone: "Europe/Berlin", Version: "1.2", AuthenticityPayload: "eyJ9",
	}, err)
	_, err = routestest.Decoded(t, feedbackInput().Decode, `{"msg":["a"]}`)
	routestest.WantRefusal(t, "feedbackInput(list)", err, refusal.ClassInvalid, "msg must be a single value")
}

func TestExceptionInput(t *testing.T) {
	got, err := routestest.Decoded(t, exceptionInput().Decode, `{"message":"m","type":"TypeError","stack":"a\nb","url":"https://h/x","line":12,`+
		`"column":"7","user_agent":"Mozilla/5.0","environment":"production","release":"1"}`)
	routestest.WantMessage(t, "exceptionInput", got, &hushv1.ReceiveExceptionRequest{
		Message: "m", Type: "TypeError", Stack: "a\nb", Url: "https://h/x", Line: 12, Column: 7,
		UserAgent: "Mozilla/5.0", Environment: "production", Release: "1",
	}, err)
	for _, line := range []string{"", "x", "-1", "1.5", "NaN"} {
		got, err := routestest.Decoded(t, exceptionInput().Decode, "message=m&line="+line)
		routestest.WantMessage(t, "exceptionInput("+line+")", got, &hushv1.ReceiveExceptionRequest{Message: "m"}, err)
	}
	for body, want := range map[string]string{
		"line=2147483648":           "line must be a number of at most 2147483647",
		"column=999999999999999999": "column must be a number of at most 2147483647",
		"message=a&message=b":       "message was given more than once",
	} {
		_, err := routestest.Decoded(t, exceptionInput().Decode, body)
		routestest.WantRefusal(t, "exceptionInput("+body+")", err, refusal.ClassInvalid, want)
	}
}

func TestIntake(t *testing.T) {
	req := routestest.Request()
	full := &hushv1.Exception{
		ExceptionId: "exception0000000000000000000000", Message: "m", Type: "FatalError", Stack: "a\nb\nc\nd\n",
		Url: "https://hush.example:8443/secret/[removed]", Line: 1, Column: 2, UserAgent: "Mozilla/5.0 (X; Mobile) A/1",
		Environment: "e", Release: "r", User: "192.0.2.0/24", CreateTime: routestest.At(routestest.Created),
	}
	const id = `"identifier":"exception0000000000000000000000","short_id":"exception0000000000000000000000"`
	for _, test := range []struct {
		name   string
		answer any
		want   string
	}{
		{"encodeFeedback", encodeFeedback(req, nil),
			answerStart + `"record":{},"details":{"message":"Message received. Send as much as you like!","received":true}}`},
		{"encodeException", encodeException(req, &hushv1.ReceiveExceptionResponse{Exception: full}),
			answerStart + `"record":{` + id + `,"message":"m","type":"FatalError","url":"https://hush.example:8443/secret/[removed]",` +
				`"line":1,"column":2,"environment":"e","release":"r","user":"192.0.2.0/24","created":1795236735,"updated":1795236735,` +
				`"occurred_at":"2026-11-21T04:52:15Z","is_error":true,"is_critical":true,` +
				`"browser_info":{"browser":"Mozilla","version":"5.0","mobile":true},` +
				`"location":{"path":"/secret/[removed]","query":null,"hostname":"hush.example"},` +
				`"stack_preview":["a","b","c"],"stack_length":4},"details":{"message":"Exception logged"}}`},
		{"encodeException(message)", encodeException(req, &hushv1.ReceiveExceptionResponse{Exception: &hushv1.Exception{
			ExceptionId: "exception0000000000000000000000", Message: "m", User: "u", CreateTime: routestest.At(routestest.Created),
		}}), answerStart + `"record":{` + id + `,"message":"m","type":"","url":"","line":0,"column":0,"environment":"","release":"","user":"u",` +
			`"created":1795236735,"updated":1795236735,"occurred_at":"2026-11-21T04:52:15Z","is_error":false,"is_critical":false,` +
			`"browser_info":{"browser":null,"version":null,"mobile":false},"location":{"path":"","query":null,"hostname":null},` +
			`"stack_preview":[],"stack_length":0},"details":{"message":"Exception logged"}}`},
	} {
		routestest.WantJSON(t, test.name, routestest.Encoded(t, test.answer), test.want)
	}
	if got := newLocation("http://%zz"); got.Hostname != nil || got.Path != "" {
		t.Errorf("newLocation(not a URL): got %+v, want nothing", got)
	}
}
