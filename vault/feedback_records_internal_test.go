package vault

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleException() Exception {
	return Exception{
		ID: "id", Message: "message", Type: "type", Stack: "stack", URL: "url", UserAgent: "agent",
		Environment: "environment", Release: "release", User: "user", Line: 7, Column: -1,
	}
}

// What was stored once of challenges, feedback and exceptions is read for
// ever.
func TestGoldenIntake(t *testing.T) {
	t.Parallel()
	everything := cmp.AllowUnexported(paceRecord{}, feedbackRecord{}, feedbackText{}, exceptionRecord{})
	pace := paceRecord{count: 5}
	feedback := &feedbackRecord{created: sampleMoment(5), age: feedbackYesterday, sealed: []byte("sealed text")}
	text := feedbackText{sender: "sender", message: "message", zone: "zone", version: "1.2"}
	ages := feedbackAges{3, 4}
	exception := &exceptionRecord{created: sampleMoment(5), sealed: []byte("sealed report")}
	report := sampleException()
	tests := []struct {
		name    string
		record  any
		encoded []byte
		decode  func([]byte) (any, error)
	}{
		{"pace-v1", pace, pace.encode(), func(b []byte) (any, error) { return decodePace(b) }},
		{"feedback-v1", feedback, feedback.encode(), func(b []byte) (any, error) { return decodeFeedback(b) }},
		{"feedback-text-v1", text, text.encode(), func(b []byte) (any, error) { return decodeFeedbackText(b) }},
		{"feedback-ages-v1", ages, ages.encode(), func(b []byte) (any, error) { return decodeFeedbackAges(b) }},
		{"exception-v1", exception, exception.encode(), func(b []byte) (any, error) { return decodeException(b) }},
		{"exception-report-v1", report, encodeReport(&report), func(b []byte) (any, error) { return decodeReport(b) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stored := golden(t, test.name)
			if !bytes.Equal(test.encoded, stored) {
				t.Errorf("encode(record): got %x, want %x", test.encoded, stored)
			}
			got, err := test.decode(stored)
			if err != nil {
				t.Fatalf("decode(%s): got %v, want nil", test.name, err)
			}
			if diff := cmp.Diff(test.record, got, everything); diff != "" {
				t.Errorf("decode(%s): -want +got\n%s", test.name, diff)
			}
			wantDamaged(t, stored, test.decode)
		})
	}
}

// An age that there is not is damage.
func TestDecodeFeedbackAge(t *testing.T) {
	t.Parallel()
	r := feedbackRecord{created: sampleMoment(5), age: feedbackOlder + 1}
	if _, err := decodeFeedback(r.encode()); err == nil {
		t.Errorf("decodeFeedback(age %d): got nil, want errDamaged", r.age)
	}
}

func FuzzDecodePace(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodePace(data)
		return r.encode(), err
	}, "pace-v1")
}

func FuzzDecodeFeedback(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeFeedback(data)
		return r.encode(), err
	}, "feedback-v1")
}

func FuzzDecodeFeedbackText(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeFeedbackText(data)
		return r.encode(), err
	}, "feedback-text-v1")
}

func FuzzDecodeFeedbackAges(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeFeedbackAges(data)
		return r.encode(), err
	}, "feedback-ages-v1")
}

func FuzzDecodeException(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		r, err := decodeException(data)
		return r.encode(), err
	}, "exception-v1")
}

func FuzzDecodeReport(f *testing.F) {
	fuzzDecoder(f, func(data []byte) ([]byte, error) {
		e, err := decodeReport(data)
		return encodeReport(&e), err
	}, "exception-report-v1")
}
