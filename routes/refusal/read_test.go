package refusal

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/locale"
)

// refused returns the error of a call that the chain refuses.
func refused(code connect.Code, why *hushv1.Refusal, retry time.Duration) error {
	return fmt.Errorf("calling: %w", &chain.RefusedError{Code: code, Text: "why", Refusal: why, Retry: retry})
}

// invalid returns the error of a call whose message cannot be taken.
func invalid(t *testing.T, code connect.Code, details ...proto.Message) error {
	t.Helper()
	err := connect.NewError(code, errors.New("why"))
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

// Every code of an RPC without a reason.
func TestReadCodes(t *testing.T) {
	for code, want := range map[connect.Code]Error{
		connect.CodeCanceled:           {Class: ClassUnavailable},
		connect.CodeUnknown:            {Class: ClassInternal},
		connect.CodeInvalidArgument:    {Class: ClassInvalid, Text: "why"},
		connect.CodeDeadlineExceeded:   {Class: ClassUnavailable},
		connect.CodeNotFound:           {Class: ClassUnknown},
		connect.CodeAlreadyExists:      {Class: ClassInternal},
		connect.CodePermissionDenied:   {Class: ClassUnauthorized},
		connect.CodeResourceExhausted:  {Class: ClassLimited},
		connect.CodeFailedPrecondition: {Class: ClassInvalid, Text: "why"},
		connect.CodeAborted:            {Class: ClassInternal},
		connect.CodeOutOfRange:         {Class: ClassInternal},
		connect.CodeUnimplemented:      {Class: ClassRoute},
		connect.CodeInternal:           {Class: ClassInternal},
		connect.CodeUnavailable:        {Class: ClassUnavailable},
		connect.CodeDataLoss:           {Class: ClassInternal},
		connect.CodeUnauthenticated:    {Class: ClassUnauthorized},
	} {
		for _, err := range []error{refused(code, nil, 0), invalid(t, code)} {
			if got := Read(err); *got != want {
				t.Errorf("Read(%v, a %T): got %+v, want %+v", code, err, *got, want)
			}
		}
	}
	if got := Read(errors.New("hunter2")); *got != (Error{Class: ClassInternal}) {
		t.Errorf("Read(any error): got %+v, want an internal one without text", *got)
	}
}

func TestReadReasons(t *testing.T) {
	wants := map[hushv1.Refusal_Reason]Error{
		hushv1.Refusal_REASON_UNSPECIFIED:      {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_PASSPHRASE:       {Class: ClassPassphrase},
		hushv1.Refusal_REASON_LOCKED:           {Class: ClassLimited},
		hushv1.Refusal_REASON_TOO_LARGE:        {Class: ClassTooLarge, Text: "secret: must be at most 102400 bytes"},
		hushv1.Refusal_REASON_RATE_LIMITED:     {Class: ClassLimited},
		hushv1.Refusal_REASON_QUOTA:            {Class: ClassFull},
		hushv1.Refusal_REASON_ACCOUNT_REQUIRED: {Class: ClassInvalid, Text: "An account is required to send emails."},
		hushv1.Refusal_REASON_DOMAIN_NOT_FOUND: {Class: ClassDomain, Text: "why"},
		hushv1.Refusal_REASON_INVALID:          {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_SCOPE:            {Class: ClassUnauthorized},
		hushv1.Refusal_REASON_SHRIMP:           {Class: ClassForgery},
		hushv1.Refusal_REASON_CROSS_SITE:       {Class: ClassForbidden, Text: "why"},
		hushv1.Refusal_REASON_CHALLENGE:        {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_CREDENTIALS:      {Class: ClassCredentials, Text: "why"},
		hushv1.Refusal_REASON_UNVERIFIED:       {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_POLICY:           {Class: ClassForbidden, Text: "why"},
		hushv1.Refusal_REASON_MAINTENANCE:      {Class: ClassMaintenance, Text: "why"},
		hushv1.Refusal_REASON_ADDRESS_TAKEN:    {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_TICKET:           {Class: ClassTicket, Text: "why"},
		hushv1.Refusal_REASON_DUPLICATE:        {Class: ClassDuplicate, Text: "why"},
		hushv1.Refusal_REASON_REQUEST_ENDED:    {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_VERSION:          {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_ARRIVING:         {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_DOMAIN_SUSPENDED: {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_NOT_CONFIGURED:   {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_INSECURE:         {Class: ClassForbidden, Text: "why"},
		hushv1.Refusal_REASON_TOO_MANY:         {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_LINK:             {Class: ClassInvalid, Text: "why"},
		hushv1.Refusal_REASON_ENCRYPTION:       {Class: ClassEndToEnd, Text: "why"},
		hushv1.Refusal_REASON_ELSEWHERE:        {Class: ClassForbidden, Text: "why"},
	}
	for number := range hushv1.Refusal_Reason_name {
		reason := hushv1.Refusal_Reason(number)
		want, ok := wants[reason]
		if !ok {
			t.Errorf("Read(%v): no expectation", reason)
		}
		err := refused(connect.CodeInvalidArgument, &hushv1.Refusal{Reason: reason, Limit: 102400}, 0)
		if got := Read(err); *got != want {
			t.Errorf("Read(%v): got %+v, want %+v", reason, *got, want)
		}
	}
}

// The caller can satisfy a policy about a value, but no other policy.
func TestReadPolicy(t *testing.T) {
	detail := &hushv1.Refusal{Reason: hushv1.Refusal_REASON_POLICY, Field: "passphrase"}
	got := Read(refused(connect.CodeFailedPrecondition, detail, 0))
	if want := (Error{Class: ClassInvalid, Text: "why"}); *got != want {
		t.Errorf("Read(policy about a field): got %+v, want %+v", *got, want)
	}
}

func TestReadViolations(t *testing.T) {
	for _, test := range []struct {
		violations *validate.Violations
		want       Error
	}{
		{violation("message.oneof", "one of secret, sealed must be set"),
			Error{Class: ClassInvalid, Text: "You did not provide anything to share"}},
		{violation("string.max_bytes", "must be at most 1048576 bytes", field("secret")),
			Error{Class: ClassTooLarge, Text: "secret: must be at most 1048576 bytes"}},
		{violation("string.max_bytes", "must be at most 256 bytes", field("secret_key")), Error{Class: ClassUnknown}},
		{violation("string.max_bytes", "must be at most 256 bytes", field("metadata_key")), Error{Class: ClassUnknown}},
		{violation("bytes.max_len", "must be at most 1048576 bytes", field("content")),
			Error{Class: ClassTooLarge, Text: "content: must be at most 1048576 bytes"}},
		{violation("string.max_len", "must be at most 128 characters", field("passphrase")),
			Error{Class: ClassInvalid, Text: "passphrase: must be at most 128 characters"}},
		{violation("string.min_len", "must be at least 3 characters", indexed("recipients", 2)),
			Error{Class: ClassInvalid, Text: "recipients[2]: must be at least 3 characters"}},
		{violation("x", "bad", field("a"), field("b")), Error{Class: ClassInvalid, Text: "a.b: bad"}},
		{&validate.Violations{}, Error{Class: ClassInvalid, Text: "why"}},
	} {
		got := Read(invalid(t, connect.CodeInvalidArgument, test.violations))
		if *got != test.want {
			t.Errorf("Read(%v): got %+v, want %+v", test.violations, *got, test.want)
		}
	}
}

func TestReadRetry(t *testing.T) {
	info := &errdetails.RetryInfo{RetryDelay: durationpb.New(30 * time.Second)}
	for _, err := range []error{
		refused(connect.CodeResourceExhausted, &hushv1.Refusal{Reason: hushv1.Refusal_REASON_LOCKED}, 30*time.Second),
		invalid(t, connect.CodeUnavailable, info),
	} {
		if got := Read(err); got.Retry != 30*time.Second {
			t.Errorf("Read(%v): got %v, want 30s", err, got.Retry)
		}
	}
}

// A near miss is told in the caller's language; v1 tells it in English.
func TestNearMiss(t *testing.T) {
	words, err := locale.New()
	if err != nil {
		t.Fatalf("reading messages: got error %v", err)
	}
	refused := Read(NearMiss("Pass\nphrase", "passphrase"))
	for l, want := range map[locale.Locale]string{
		"en": `There is no parameter "Pass\nphrase". Did you mean passphrase?`,
		"de": `Es gibt keinen Parameter "Pass\nphrase". Meinten Sie passphrase?`,
	} {
		if status, text := refused.Localized(words, l); status != 422 || text != want {
			t.Errorf("Localized(%s): got %d %s, want 422 %s", l, status, text, want)
		}
	}
	if status, text := refused.Status(); status != 422 || text != `There is no parameter "Pass\nphrase". Did you mean passphrase?` {
		t.Errorf("Status(): got %d %s, want 422 and the English text", status, text)
	}
}
