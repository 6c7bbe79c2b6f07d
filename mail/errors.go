package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"strconv"

	gomail "github.com/wneessen/go-mail"
)

// ErrPermanent says that this message will never reach this recipient; do not
// try again.
// Every other error of Send may pass with time.
var ErrPermanent = errors.New("mail cannot be delivered")

// Step is what was being done when a delivery failed.
type Step string

// The steps of a delivery.
const (
	StepMessage     Step = "message"     // a field is missing or not what it should be
	StepConnect     Step = "connect"     // nobody answered
	StepCertificate Step = "certificate" // the relay's certificate is not trusted
	StepSession     Step = "session"     // greeting, TLS or signing on
	StepSender      Step = "sender"      // the relay does not take mail from us
	StepRecipient   Step = "recipient"   // the relay does not take mail for this address
	StepContent     Step = "content"     // the relay does not take this message
)

// DeliveryError says why a message was not sent. It is ErrPermanent if
// Permanent is set, and context.Canceled or context.DeadlineExceeded if the
// time was up. Its text may be logged.
type DeliveryError struct {
	Step Step
	// Field names the field of Message for StepMessage.
	Field string
	// Code is the SMTP code that the relay answered, or 0 if it did not.
	Code      int
	Permanent bool

	cause error // of the context, or nil
}

func (e *DeliveryError) Error() string {
	text := "sending mail: " + string(e.Step)
	if e.Field != "" {
		text += " " + e.Field + " is not valid"
	}
	if e.Code != 0 {
		text += " refused with " + strconv.Itoa(e.Code)
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

func (e *DeliveryError) Is(target error) bool { return target == ErrPermanent && e.Permanent }
func (e *DeliveryError) Unwrap() error        { return e.cause }

// invalid is for a message that no relay has to see.
func invalid(field string) error {
	return &DeliveryError{Step: StepMessage, Field: field, Permanent: true}
}

// explain keeps of an error what may be known. The connected tells whether the
// relay was reached at all.
func explain(ctx context.Context, err error, connected bool) error {
	e := &DeliveryError{Step: StepConnect}
	if connected {
		e.Step = StepSession
	}
	var refused *gomail.SendError
	var answer *textproto.Error
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &refused):
		e.Step, e.Code = stepOf(refused.Reason), refused.ErrorCode()
		e.Permanent = final(e.Step, e.Code)
	case errors.As(err, &answer):
		e.Code = answer.Code
	case errors.As(err, &untrusted):
		e.Step = StepCertificate
	}
	if e.Code == 0 {
		e.cause = causeOf(ctx, err)
	}
	return e
}

// causeOf is the end of ctx. Dialing has the same deadline and may notice it
// first.
func causeOf(ctx context.Context, err error) error {
	var late net.Error
	if ctx.Err() == nil && errors.As(err, &late) && late.Timeout() {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

func stepOf(reason gomail.SendErrReason) Step {
	switch reason {
	case gomail.ErrSMTPMailFrom:
		return StepSender
	case gomail.ErrSMTPRcptTo:
		return StepRecipient
	case gomail.ErrSMTPData, gomail.ErrWriteContent, gomail.ErrSMTPDataClose:
		return StepContent
	default:
		return StepSession
	}
}

// final tells whether a refusal is about this recipient or message. What a
// relay says about the service itself, such as that it has to sign on first,
// holds until the operator has seen to it and no longer.
func final(step Step, code int) bool {
	switch code {
	case 530, 534, 535, 538:
		return false
	default:
		return (step == StepRecipient || step == StepContent) && code >= 500 && code <= 599
	}
}
