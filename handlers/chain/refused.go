package chain

import (
	"errors"
	"strconv"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
)

// RefusedError is why a call has no result, as its caller may see it. Callers in this process
// read its fields. Over the wire it is a *connect.Error; see onWire.
type RefusedError struct {
	Code connect.Code
	Text string // of a bounded length; it never repeats what was sent
	// Refusal is the detail with the reason; nil if the code says everything.
	Refusal *hushv1.Refusal
	// Retry is the time after which a call may succeed; 0 if that is not known.
	Retry time.Duration
}

func refuse(code connect.Code, err error, why *hushv1.Refusal) *RefusedError {
	return &RefusedError{Code: code, Text: shortened(err.Error()), Refusal: why}
}

// after returns r with the time after which a call may succeed.
func (r *RefusedError) after(retry time.Duration) *RefusedError {
	r.Retry = retry
	return r
}

// Error implements error.
func (r *RefusedError) Error() string { return r.Code.String() + ": " + r.Text }

func (r *RefusedError) wire() *connect.Error {
	refused := connect.NewError(r.Code, errors.New(r.Text))
	var details []proto.Message
	if r.Refusal != nil {
		details = append(details, r.Refusal)
	}
	if r.Retry > 0 {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(r.Retry)})
		refused.Meta().Set("Retry-After", RetryAfter(r.Retry))
	}
	for _, message := range details {
		if detail, err := connect.NewErrorDetail(message); err == nil {
			refused.AddDetail(detail)
		}
	}
	return light(refused)
}

// RetryAfter returns a delay as the header Retry-After has it: in whole seconds, rounded up,
// so that no client retries too early.
func RetryAfter(delay time.Duration) string {
	return strconv.FormatInt(int64((delay+time.Second-1)/time.Second), 10)
}

// codeOf returns the code of an error of the chain.
func codeOf(err error) connect.Code {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.Code
	}
	return connect.CodeOf(err)
}

// onWire returns an error of the chain as connect sends it; nil for none.
func onWire(err error) error {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.wire()
	}
	return err
}
