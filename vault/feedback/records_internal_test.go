package feedback

import (
	"testing"

	"hush/vault/recordtest"

	"github.com/google/go-cmp/cmp"
)

func sampleException() Exception {
	return Exception{
		ID: "id", Message: "message", Type: "type", Stack: "stack", URL: "url", UserAgent: "agent",
		Environment: "environment", Release: "release", User: "user", Line: 7, Column: -1,
	}
}

// What was stored once of feedback and exceptions is read for
// ever.
func TestGoldenIntake(t *testing.T) {
	t.Parallel()
	everything := cmp.AllowUnexported(Record{}, feedbackText{}, ExceptionRecord{})
	feedback := &Record{created: recordtest.Moment(5), age: feedbackYesterday, sealed: []byte("sealed text")}
	text := feedbackText{sender: "sender", message: "message", zone: "zone", version: "1.2"}
	ages := feedbackAges{3, 4}
	exception := &ExceptionRecord{created: recordtest.Moment(5), sealed: []byte("sealed report")}
	report := sampleException()
	recordtest.Check(t, []recordtest.Case{
		{Name: "feedback-v1", Record: feedback, Encoded: feedback.encode(), Decode: func(b []byte) (any, error) { return decodeFeedback(b) }},
		{Name: "feedback-text-v1", Record: text, Encoded: text.encode(), Decode: func(b []byte) (any, error) { return decodeFeedbackText(b) }},
		{Name: "feedback-ages-v1", Record: ages, Encoded: ages.encode(), Decode: func(b []byte) (any, error) { return decodeFeedbackAges(b) }},
		{Name: "exception-v1", Record: exception, Encoded: exception.encode(), Decode: func(b []byte) (any, error) { return decodeException(b) }},
		{Name: "exception-report-v1", Record: report, Encoded: encodeReport(&report), Decode: func(b []byte) (any, error) { return decodeReport(b) }},
	}, everything)
}

// An age that there is not is damage.
func TestDecodeFeedbackAge(t *testing.T) {
	t.Parallel()
	r := Record{created: recordtest.Moment(5), age: feedbackOlder + 1}
	if _, err := decodeFeedback(r.encode()); err == nil {
		t.Errorf("decodeFeedback(age %d): got nil, want errDamaged", r.age)
	}
}

func FuzzDecodeFeedback(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeFeedback(data)
		return r.encode(), err
	}, "feedback-v1")
}

func FuzzDecodeFeedbackText(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeFeedbackText(data)
		return r.encode(), err
	}, "feedback-text-v1")
}

func FuzzDecodeFeedbackAges(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeFeedbackAges(data)
		return r.encode(), err
	}, "feedback-ages-v1")
}

func FuzzDecodeException(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeException(data)
		return r.encode(), err
	}, "exception-v1")
}

func FuzzDecodeReport(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		e, err := decodeReport(data)
		return encodeReport(&e), err
	}, "exception-report-v1")
}
