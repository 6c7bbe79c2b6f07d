package refusal

import (
	"errors"
	"fmt"
	"strings"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
)

// Read returns err if it is a refusal, or the refusal that an RPC's error
// means. Any other error becomes ClassInternal. err must not be nil.
func Read(err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	if refused, ok := errors.AsType[*chain.RefusedError](err); ok {
		return ofCall(refused)
	}
	if rpc, ok := errors.AsType[*connect.Error](err); ok {
		return ofMessage(rpc)
	}
	return &Error{Class: ClassInternal}
}

// Detail returns why an RPC refused a call, or nil.
func Detail(err error) *hushv1.Refusal {
	if refused, ok := errors.AsType[*chain.RefusedError](err); ok {
		return refused.Refusal
	}
	return nil
}

// ofCall returns the refusal that the chain's error means.
func ofCall(call *chain.RefusedError) *Error {
	refused := byReason(call.Refusal, call.Text)
	if refused == nil {
		refused = byCode(call.Code, call.Text)
	}
	refused.Retry, refused.ForGood = call.Retry, call.Refusal.GetForGood()
	return refused
}

// ofMessage returns the refusal of a call whose message is not valid, or cannot be taken.
func ofMessage(rpc *connect.Error) *Error {
	refused := byCode(rpc.Code(), rpc.Message())
	for _, detail := range rpc.Details() {
		message, err := detail.Value()
		if err != nil {
			continue // a kind of detail that these routes ignore
		}
		switch m := message.(type) {
		case *validate.Violations:
			if all := m.GetViolations(); len(all) > 0 {
				return violated(all[0])
			}
		case *errdetails.RetryInfo:
			refused.Retry = m.GetRetryDelay().AsDuration()
		}
	}
	return refused
}

func byCode(code connect.Code, message string) *Error {
	refused := &Error{Class: classByCode(code)}
	if refused.Class == ClassInvalid {
		refused.Text = message
	}
	return refused
}

// byReason returns nil for a call without a reason, whose code says everything.
func byReason(why *hushv1.Refusal, message string) *Error {
	switch why.GetReason() {
	case hushv1.Refusal_REASON_PASSPHRASE:
		return &Error{Class: ClassPassphrase}
	case hushv1.Refusal_REASON_LOCKED, hushv1.Refusal_REASON_RATE_LIMITED:
		return &Error{Class: ClassLimited}
	case hushv1.Refusal_REASON_TOO_LARGE:
		return &Error{Class: ClassTooLarge, Text: tooLarge(why)}
	case hushv1.Refusal_REASON_QUOTA:
		return &Error{Class: ClassFull}
	case hushv1.Refusal_REASON_ACCOUNT_REQUIRED:
		return &Error{Class: ClassInvalid, Text: textAccount}
	case hushv1.Refusal_REASON_DOMAIN_NOT_FOUND:
		return &Error{Class: ClassDomain, Text: message}
	case hushv1.Refusal_REASON_INVALID:
		return &Error{Class: ClassInvalid, Text: message}
	default:
		return byPolicy(why, message)
	}
}

// byPolicy is for reasons that concern callers with accounts.
func byPolicy(why *hushv1.Refusal, message string) *Error {
	switch why.GetReason() {
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
		return &Error{Class: policyClass(why), Text: message}
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
		return &Error{Class: ClassInvalid, Text: textNothing}
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
