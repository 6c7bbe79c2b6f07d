package routes

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
)

func rpcError(t *testing.T, code connect.Code, text string, details ...proto.Message) error {
	t.Helper()
	err := connect.NewError(code, errors.New(text))
	for _, message := range details {
		detail, detailErr := connect.NewErrorDetail(message)
		if detailErr != nil {
			t.Fatalf("making detail: %v", detailErr)
		}
		err.AddDetail(detail)
	}
	return fmt.Errorf("calling: %w", err)
}

func violation(rule, message string, path ...*validate.FieldPathElement) *validate.Violations {
	return &validate.Violations{Violations: []*validate.Violation{{
		Field: &validate.FieldPath{Elements: path}, RuleId: &rule, Message: &message,
	}}}
}

func field(name string) *validate.FieldPathElement {
	return &validate.FieldPathElement{FieldName: &name}
}

func indexed(name string, at uint64) *validate.FieldPathElement {
	return &validate.FieldPathElement{FieldName: &name, Subscript: &validate.FieldPathElement_Index{Index: at}}
}

// Every code that an RPC can answer without a reason.
func TestReadRefusalCodes(t *testing.T) {
	for code, want := range map[connect.Code]refusal{
		connect.CodeCanceled:           {class: classUnavailable},
		connect.CodeUnknown:            {class: classInternal},
		connect.CodeInvalidArgument:    {class: classInvalid, text: "why"},
		connect.CodeDeadlineExceeded:   {class: classUnavailable},
		connect.CodeNotFound:           {class: classUnknown},
		connect.CodeAlreadyExists:      {class: classInternal},
		connect.CodePermissionDenied:   {class: classUnauthorized},
		connect.CodeResourceExhausted:  {class: classLimited},
		connect.CodeFailedPrecondition: {class: classInvalid, text: "why"},
		connect.CodeAborted:            {class: classInternal},
		connect.CodeOutOfRange:         {class: classInternal},
		connect.CodeUnimplemented:      {class: classRoute},
		connect.CodeInternal:           {class: classInternal},
		connect.CodeUnavailable:        {class: classUnavailable},
		connect.CodeDataLoss:           {class: classInternal},
		connect.CodeUnauthenticated:    {class: classUnauthorized},
	} {
		if got := readRefusal(rpcError(t, code, "why")); *got != want {
			t.Errorf("readRefusal(%v): got %+v, want %+v", code, *got, want)
		}
	}
	if got := readRefusal(errors.New("hunter2")); *got != (refusal{class: classInternal}) {
		t.Errorf("readRefusal(any error): got %+v, want an internal one without text", *got)
	}
}

func TestReadRefusalReasons(t *testing.T) {
	wants := map[hushv1.Refusal_Reason]refusal{
		hushv1.Refusal_REASON_UNSPECIFIED:      {class: classInvalid, text: "why"},
		hushv1.Refusal_REASON_PASSPHRASE:       {class: classPassphrase},
		hushv1.Refusal_REASON_LOCKED:           {class: classLimited},
		hushv1.Refusal_REASON_TOO_LARGE:        {class: classTooLarge, text: "secret: must be at most 102400 bytes"},
		hushv1.Refusal_REASON_RATE_LIMITED:     {class: classLimited},
		hushv1.Refusal_REASON_QUOTA:            {class: classFull},
		hushv1.Refusal_REASON_ACCOUNT_REQUIRED: {class: classInvalid, text: "An account is required to send emails."},
		hushv1.Refusal_REASON_DOMAIN_NOT_FOUND: {class: classDomain, text: "why"},
		hushv1.Refusal_REASON_INVALID:          {class: classInvalid, text: "why"},
		hushv1.Refusal_REASON_SCOPE:            {class: classUnauthorized},
		hushv1.Refusal_REASON_SHRIMP:           {class: classForgery},
		hushv1.Refusal_REASON_CROSS_SITE:       {class: classForbidden, text: "why"},
		hushv1.Refusal_REASON_CHALLENGE:        {class: classInvalid, text: "why"},
		hushv1.Refusal_REASON_CREDENTIALS:      {class: classCredentials, text: "why"},
		hushv1.Refusal_REASON_UNVERIFIED:       {class: classInvalid, text: "why"},
		hushv1.Refusal_REASON_POLICY:           {class: classForbidden, text: "why"},
		hushv1.Refusal_REASON_MAINTENANCE:      {class: classMaintenance, text: "why"},
		hushv1.Refusal_REASON_ADDRESS_TAKEN:    {class: classInvalid, text: "why"},
		hushv1.Refusal_REASON_TICKET:           {class: classTicket, text: "why"},
		hushv1.Refusal_REASON_DUPLICATE:        {class: classDuplicate, text: "why"},
		hushv1.Refusal_REASON_DOMAIN_SUSPENDED: {class: classInvalid, text: "why"},
		hushv1.Refusal_REASON_NOT_CONFIGURED:   {class: classInvalid, text: "why"},
		hushv1.Refusal_REASON_INSECURE:         {class: classForbidden, text: "why"},
		hushv1.Refusal_REASON_TOO_MANY:         {class: classInvalid, text: "why"},
		hushv1.Refusal_REASON_ELSEWHERE:        {class: classForbidden, text: "why"},
	}
	for number := range hushv1.Refusal_Reason_name {
		reason := hushv1.Refusal_Reason(number)
		want, ok := wants[reason]
		if !ok {
			t.Errorf("readRefusal(%v): no expectation", reason)
		}
		err := rpcError(t, connect.CodeInvalidArgument, "why", &hushv1.Refusal{Reason: reason, Limit: 102400})
		if got := readRefusal(err); *got != want {
			t.Errorf("readRefusal(%v): got %+v, want %+v", reason, *got, want)
		}
	}
}

// A policy about a value is the caller's to meet, any other is not.
func TestReadRefusalPolicy(t *testing.T) {
	detail := &hushv1.Refusal{Reason: hushv1.Refusal_REASON_POLICY, Field: "passphrase"}
	got := readRefusal(rpcError(t, connect.CodeFailedPrecondition, "why", detail))
	if want := (refusal{class: classInvalid, text: "why"}); *got != want {
		t.Errorf("readRefusal(policy about a field): got %+v, want %+v", *got, want)
	}
}

func TestReadRefusalViolations(t *testing.T) {
	for _, test := range []struct {
		violations *validate.Violations
		want       refusal
	}{
		{violation("string.min_bytes", "must be at least 1 bytes", field("secret")),
			refusal{class: classInvalid, text: "You did not provide anything to share"}},
		{violation("string.max_bytes", "must be at most 1048576 bytes", field("secret")),
			refusal{class: classTooLarge, text: "secret: must be at most 1048576 bytes"}},
		{violation("string.max_bytes", "must be at most 256 bytes", field("secret_key")), refusal{class: classUnknown}},
		{violation("string.max_bytes", "must be at most 256 bytes", field("metadata_key")), refusal{class: classUnknown}},
		{violation("bytes.max_len", "must be at most 1048576 bytes", field("content")),
			refusal{class: classTooLarge, text: "content: must be at most 1048576 bytes"}},
		{violation("string.max_len", "must be at most 128 characters", field("passphrase")),
			refusal{class: classInvalid, text: "passphrase: must be at most 128 characters"}},
		{violation("string.min_len", "must be at least 3 characters", indexed("recipients", 2)),
			refusal{class: classInvalid, text: "recipients[2]: must be at least 3 characters"}},
		{violation("x", "bad", field("a"), field("b")), refusal{class: classInvalid, text: "a.b: bad"}},
		{&validate.Violations{}, refusal{class: classInvalid, text: "why"}},
	} {
		got := readRefusal(rpcError(t, connect.CodeInvalidArgument, "why", test.violations))
		if *got != test.want {
			t.Errorf("readRefusal(%v): got %+v, want %+v", test.violations, *got, test.want)
		}
	}
}

// What each version answers for every class.
func TestFail(t *testing.T) {
	const key = `"secret_key":"secretkey0000000000000000000000"`
	req := testRequest()
	req.catalogue = testCatalogue(t)
	v2 := func(text string) string {
		return `{"success":false,"message":"` + text + `","error":"` + text + `","shrimp":"shrimp"}`
	}
	for _, test := range []struct {
		class  class
		v1, v2 int
		honest string
		text   string
	}{
		{classInternal, 404, 500, "500", "An unexpected error occurred"},
		{classRoute, 404, 404, "404", "Not Found"},
		{classMethod, 405, 405, "405", "Method Not Allowed"},
		{classMalformed, 404, 400, "400", "why <&>"},
		{classEncoding, 404, 415, "415", "why <&>"},
		{classTooLarge, 413, 413, "413", "why <&>"},
		{classInvalid, 404, 422, "422", "why <&>"},
		{classUnknown, 404, 404, "404", "Unknown secret"},
		{classDomain, 404, 404, "404", "why <&>"},
		{classUnauthorized, 404, 403, "401", "Not authorized"},
		{classPassphrase, 404, 422, "422", "Double check that passphrase"},
		{classLimited, 429, 429, "429", "Apologies dear citizen! You have been rate limited."},
		{classFull, 404, 503, "503", "There is no room for more secrets at the moment"},
		{classUnavailable, 404, 503, "503", "We'll be back shortly!"},
		{classForbidden, 404, 403, "403", "why <&>"},
		{classCredentials, 404, 422, "422", "why <&>"},
		{classTicket, 404, 422, "422", "why <&>"},
		{classDuplicate, 404, 422, "422", "why <&>"},
		{classForgery, 404, 403, "403", "Please refresh the page and try again"},
		{classMissing, 404, 404, "404", "why <&>"},
		{classMaintenance, 404, 503, "503", "why <&>"},
	} {
		f := &refusal{class: test.class, text: "why <&>"}
		wantV1 := `{"message":"` + test.text + `"}`
		wantV2 := v2(test.text)
		switch test.class {
		case classUnknown:
			wantV1 = `{` + key + `,"message":"Unknown secret"}`
			wantV2 = wantV2[:len(wantV2)-1] + `,` + key + `}`
		case classRoute:
			wantV2 = wantV1
		default: // as the table says
		}
		w := httptest.NewRecorder()
		v1Fail(w, req, f)
		wantJSON(t, fmt.Sprintf("v1Fail(%d)", test.class), w.Body.String(), wantV1)
		if got := w.Header().Get("X-OTS-Intended-Status"); w.Code != test.v1 || got != test.honest {
			t.Errorf("v1Fail(%d): got %d and %s, want %d and %s", test.class, w.Code, got, test.v1, test.honest)
		}
		w = httptest.NewRecorder()
		v2Fail(w, req, f)
		wantJSON(t, fmt.Sprintf("v2Fail(%d)", test.class), w.Body.String(), wantV2)
		if w.Code != test.v2 {
			t.Errorf("v2Fail(%d): got %d, want %d", test.class, w.Code, test.v2)
		}
	}
	if classes != 21 {
		t.Errorf("classes: got %d, want 21: a class lacks its row", classes)
	}
}

func TestRetryAfter(t *testing.T) {
	req := testRequest()
	req.catalogue = testCatalogue(t)
	for _, test := range []struct {
		retry time.Duration
		class class
		want  string
	}{
		{0, classLimited, "60"},
		{-time.Second, classLimited, "60"},
		{time.Millisecond, classLimited, "1"},
		{time.Second, classLimited, "1"},
		{90*time.Second + 1, classLimited, "91"},
		{0, classUnavailable, ""},
		{5 * time.Second, classUnavailable, "5"},
	} {
		for name, fail := range map[string]func(http.ResponseWriter, *request, *refusal){"v1Fail": v1Fail, "v2Fail": v2Fail} {
			w := httptest.NewRecorder()
			fail(w, req, &refusal{class: test.class, retry: test.retry})
			if got := w.Header().Get("Retry-After"); got != test.want {
				t.Errorf("%s(class %d, %v): got Retry-After %q, want %q", name, test.class, test.retry, got, test.want)
			}
		}
	}
	info := &errdetails.RetryInfo{RetryDelay: seconds(30)}
	got := readRefusal(rpcError(t, connect.CodeResourceExhausted, "why", &hushv1.Refusal{Reason: hushv1.Refusal_REASON_LOCKED}, info))
	if got.retry != 30*time.Second {
		t.Errorf("readRefusal(locked): got %v, want 30s", got.retry)
	}
}
