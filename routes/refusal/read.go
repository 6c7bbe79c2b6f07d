package refusal

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	hushv1 "hush/gen/hush/v1"
)

// details are the contents of an RPC error's details.
type details struct {
	refusal   *hushv1.Refusal
	retry     time.Duration
	violation *validate.Violation // the first one
}

// Read returns err if it is a refusal, or the refusal that an RPC's error
// means. Any other error becomes ClassInternal. err must not be nil.
func Read(err error) *Error {
	if own := (*Error)(nil); errors.As(err, &own) {
		return own
	}
	var rpc *connect.Error
	if !errors.As(err, &rpc) {
		return &Error{Class: ClassInternal}
	}
	d := readDetails(rpc)
	refused := d.refuse(rpc)
	refused.Retry, refused.ForGood = d.retry, d.refusal.GetForGood()
	return refused
}

// Detail returns the refusal in the details of an RPC's error, or nil.
func Detail(err error) *hushv1.Refusal {
	var rpc *connect.Error
	if !errors.As(err, &rpc) {
		return nil
	}
	return readDetails(rpc).refusal
}

func readDetails(rpc *connect.Error) details {
	var d details
	for _, detail := range rpc.Details() {
		message, err := detail.Value()
		if err != nil {
			continue // a kind of detail that these routes ignore
		}
		switch m := message.(type) {
		case *hushv1.Refusal:
			d.refusal = m
		case *errdetails.RetryInfo:
			d.retry = m.GetRetryDelay().AsDuration()
		case *validate.Violations:
			if all := m.GetViolations(); len(all) > 0 {
				d.violation = all[0]
			}
		}
	}
	return d
}

func (d details) refuse(rpc *connect.Error) *Error {
	if refused := d.byReason(rpc.Message()); refused != nil {
		return refused
	}
	if d.violation != nil && rpc.Code() == connect.CodeInvalidArgument {
		return violated(d.violation)
	}
	refused := &Error{Class: classByCode(rpc.Code())}
	if refused.Class == ClassInvalid {
		refused.Text = rpc.Message()
	}
	return refused
}

// byReason returns nil for an error without a reason, whose code says
// everything.
func (d details) byReason(message string) *Error {
	switch d.refusal.GetReason() {
	case hushv1.Refusal_REASON_PASSPHRASE:
		return &Error{Class: ClassPassphrase}
	case hushv1.Refusal_REASON_LOCKED, hushv1.Refusal_REASON_RATE_LIMITED:
		return &Error{Class: ClassLimited}
	case hushv1.Refusal_REASON_TOO_LARGE:
		return &Error{Class: ClassTooLarge, Text: tooLarge(d.refusal)}
	case hushv1.Refusal_REASON_QUOTA:
		return &Error{Class: ClassFull}
	case hushv1.Refusal_REASON_ACCOUNT_REQUIRED:
		return &Error{Class: ClassInvalid, Text: TextAccount}
	case hushv1.Refusal_REASON_DOMAIN_NOT_FOUND:
		return &Error{Class: ClassDomain, Text: message}
	case hushv1.Refusal_REASON_INVALID:
		return &Error{Class: ClassInvalid, Text: message}
	default:
		return d.byPolicy(message)
	}
}

// byPolicy is for reasons that concern callers with accounts.
func (d details) byPolicy(message string) *Error {
	switch d.refusal.GetReason() {
	case hushv1.Refusal_REASON_SHRIMP:
		return &Error{Class: ClassForgery}
	case hushv1.Refusal_REASON_CROSS_SITE, hushv1.Refusal_REASON_INSECURE, hushv1.Refusal_REASON_ELSEWHERE:
		return &Error{Class: ClassForbidden, Text: message}
	case hushv1.Refusal_REASON_SCOPE:
		return &Error{Class: ClassUnauthorized}
	case hushv1.Refusal_REASON_MAINTENANCE:
		return &Error{Class: ClassMaintenance, Text: message}
	case hushv1.Refusal_REASON_CREDENTIALS:
		return &Error{Class: ClassCredentials, Text: message}
	case hushv1.Refusal_REASON_TICKET:
		return &Error{Class: ClassTicket, Text: message}
	case hushv1.Refusal_REASON_DUPLICATE:
		return &Error{Class: ClassDuplicate, Text: message}
	case hushv1.Refusal_REASON_POLICY:
		return &Error{Class: policyClass(d.refusal), Text: message}
	case hushv1.Refusal_REASON_CHALLENGE, hushv1.Refusal_REASON_UNVERIFIED,
		hushv1.Refusal_REASON_NOT_CONFIGURED, hushv1.Refusal_REASON_ADDRESS_TAKEN,
		hushv1.Refusal_REASON_TOO_MANY, hushv1.Refusal_REASON_DOMAIN_SUSPENDED,
		hushv1.Refusal_REASON_LINK:
		return &Error{Class: ClassInvalid, Text: message}
	case hushv1.Refusal_REASON_ENCRYPTION:
		return &Error{Class: ClassEndToEnd, Text: message}
	default:
		return nil
	}
}

// policyClass distinguishes a value that the operator does not accept from an
// action that is not allowed at all.
func policyClass(r *hushv1.Refusal) Class {
	if r.GetField() == "" {
		return ClassForbidden
	}
	return ClassInvalid
}

// classByCode is for errors without a reason. A code that these RPCs never use
// on purpose is an internal error.
func classByCode(code connect.Code) Class {
	switch code {
	case connect.CodeInvalidArgument, connect.CodeFailedPrecondition:
		return ClassInvalid
	case connect.CodeNotFound:
		return ClassUnknown
	case connect.CodeUnimplemented:
		return ClassRoute
	case connect.CodeUnauthenticated, connect.CodePermissionDenied:
		return ClassUnauthorized
	case connect.CodeResourceExhausted:
		return ClassLimited
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeCanceled:
		return ClassUnavailable
	default:
		return ClassInternal
	}
}

func tooLarge(r *hushv1.Refusal) string {
	field := r.GetField()
	if field == "" {
		field = "secret"
	}
	return fmt.Sprintf("%s: must be at most %d bytes", field, r.GetLimit())
}

// violated returns the refusal for an exceeded limit. A key that is too long
// counts as an unknown key, like any malformed one.
func violated(v *validate.Violation) *Error {
	field, rule := fieldPath(v.GetField()), v.GetRuleId()
	text := field + ": " + v.GetMessage()
	switch {
	case field == "secret_key" || field == "metadata_key":
		return &Error{Class: ClassUnknown}
	case rule == "message.oneof": // only ConcealSecret has one: of the kinds of content
		return &Error{Class: ClassInvalid, Text: TextNothing}
	case field == "secret" && rule == "string.max_bytes", field == "content" && rule == "bytes.max_len":
		return &Error{Class: ClassTooLarge, Text: text}
	default:
		return &Error{Class: ClassInvalid, Text: text}
	}
}

// fieldPath returns the path to a field, such as recipients[0].
func fieldPath(path *validate.FieldPath) string {
	var b strings.Builder
	for i, element := range path.GetElements() {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(element.GetFieldName())
		if at, ok := element.GetSubscript().(*validate.FieldPathElement_Index); ok {
			fmt.Fprintf(&b, "[%d]", at.Index)
		}
	}
	return b.String()
}
