package routes

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

// Texts that clients in the field compare.
const (
	textNothing = "You did not provide anything to share"
	textAccount = "An account is required to send emails."
)

// details is what the details of an RPC's error say.
type details struct {
	refusal   *hushv1.Refusal
	retry     time.Duration
	violation *validate.Violation // the first one
}

// readRefusal turns what a route answered into a refusal. It is the one place that
// reads the errors of RPCs. A nil err is none of its business.
func readRefusal(err error) *refusal {
	if own := (*refusal)(nil); errors.As(err, &own) {
		return own
	}
	var rpc *connect.Error
	if !errors.As(err, &rpc) {
		return &refusal{class: classInternal}
	}
	d := readDetails(rpc)
	refused := d.refuse(rpc)
	refused.retry, refused.forGood = d.retry, d.refusal.GetForGood()
	return refused
}

func readDetails(rpc *connect.Error) details {
	var d details
	for _, detail := range rpc.Details() {
		message, err := detail.Value()
		if err != nil {
			continue // a detail of a kind that says nothing to these routes
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

func (d details) refuse(rpc *connect.Error) *refusal {
	if refused := d.byReason(rpc.Message()); refused != nil {
		return refused
	}
	if d.violation != nil && rpc.Code() == connect.CodeInvalidArgument {
		return violated(d.violation)
	}
	refused := &refusal{class: classByCode(rpc.Code())}
	if refused.class == classInvalid {
		refused.text = rpc.Message()
	}
	return refused
}

// byReason answers nil for an error whose code says all.
func (d details) byReason(message string) *refusal {
	switch d.refusal.GetReason() {
	case hushv1.Refusal_REASON_PASSPHRASE:
		return &refusal{class: classPassphrase}
	case hushv1.Refusal_REASON_LOCKED, hushv1.Refusal_REASON_RATE_LIMITED:
		return &refusal{class: classLimited}
	case hushv1.Refusal_REASON_TOO_LARGE:
		return &refusal{class: classTooLarge, text: tooLarge(d.refusal)}
	case hushv1.Refusal_REASON_QUOTA:
		return &refusal{class: classFull}
	case hushv1.Refusal_REASON_ACCOUNT_REQUIRED:
		return &refusal{class: classInvalid, text: textAccount}
	case hushv1.Refusal_REASON_DOMAIN_NOT_FOUND:
		return &refusal{class: classDomain, text: message}
	case hushv1.Refusal_REASON_INVALID:
		return &refusal{class: classInvalid, text: message}
	default:
		return d.byPolicy(message)
	}
}

// byPolicy is for reasons that callers with accounts meet.
func (d details) byPolicy(message string) *refusal {
	switch d.refusal.GetReason() {
	case hushv1.Refusal_REASON_SHRIMP:
		return &refusal{class: classForgery}
	case hushv1.Refusal_REASON_CROSS_SITE, hushv1.Refusal_REASON_INSECURE, hushv1.Refusal_REASON_ELSEWHERE:
		return &refusal{class: classForbidden, text: message}
	case hushv1.Refusal_REASON_SCOPE:
		return &refusal{class: classUnauthorized}
	case hushv1.Refusal_REASON_MAINTENANCE:
		return &refusal{class: classMaintenance, text: message}
	case hushv1.Refusal_REASON_CREDENTIALS:
		return &refusal{class: classCredentials, text: message}
	case hushv1.Refusal_REASON_TICKET:
		return &refusal{class: classTicket, text: message}
	case hushv1.Refusal_REASON_DUPLICATE:
		return &refusal{class: classDuplicate, text: message}
	case hushv1.Refusal_REASON_POLICY:
		return &refusal{class: policyClass(d.refusal), text: message}
	case hushv1.Refusal_REASON_CHALLENGE, hushv1.Refusal_REASON_UNVERIFIED,
		hushv1.Refusal_REASON_NOT_CONFIGURED, hushv1.Refusal_REASON_ADDRESS_TAKEN,
		hushv1.Refusal_REASON_TOO_MANY, hushv1.Refusal_REASON_DOMAIN_SUSPENDED:
		return &refusal{class: classInvalid, text: message}
	default:
		return nil
	}
}

// policyClass tells a value that the operator does not take from what is not
// allowed at all.
func policyClass(r *hushv1.Refusal) class {
	if r.GetField() == "" {
		return classForbidden
	}
	return classInvalid
}

// classByCode is for errors without a reason. A code that no RPC of these
// routes uses on purpose is a fault of the service.
func classByCode(code connect.Code) class {
	switch code {
	case connect.CodeInvalidArgument, connect.CodeFailedPrecondition:
		return classInvalid
	case connect.CodeNotFound:
		return classUnknown
	case connect.CodeUnimplemented:
		return classRoute
	case connect.CodeUnauthenticated, connect.CodePermissionDenied:
		return classUnauthorized
	case connect.CodeResourceExhausted:
		return classLimited
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeCanceled:
		return classUnavailable
	default:
		return classInternal
	}
}

func tooLarge(r *hushv1.Refusal) string {
	field := r.GetField()
	if field == "" {
		field = "secret"
	}
	return fmt.Sprintf("%s: must be at most %d bytes", field, r.GetLimit())
}

// violated tells which of a request's limits was passed. A key that is too long
// to be one is an unknown key like any other of a wrong shape.
func violated(v *validate.Violation) *refusal {
	field, rule := fieldPath(v.GetField()), v.GetRuleId()
	text := field + ": " + v.GetMessage()
	switch {
	case field == "secret_key" || field == "metadata_key":
		return &refusal{class: classUnknown}
	case field == "secret" && rule == "string.min_bytes":
		return &refusal{class: classInvalid, text: textNothing}
	case field == "secret" && rule == "string.max_bytes", field == "content" && rule == "bytes.max_len":
		return &refusal{class: classTooLarge, text: text}
	default:
		return &refusal{class: classInvalid, text: text}
	}
}

// maxEchoed is how much of a path a refusal repeats as the unknown key, in
// bytes. Keys have 31.
const maxEchoed = 256

// echoed is the key of an unknown secret as a refusal repeats it, nil for one
// that no client ever took for a key.
func (req *request) echoed() *string {
	if len(req.key) > maxEchoed {
		return nil
	}
	return &req.key
}

// fieldPath writes the path to a field as in recipients[0].
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
