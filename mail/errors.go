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

// ErrPermanent reports that this message can never be delivered to this
// recipient; do not try again. Every other error of Send may be temporary.
var ErrPermanent = errors.New("mail cannot be delivered")

// Step is the step at which a delivery failed.
type Step string

// The steps of a delivery.
const (
	StepMessage     Step = "message"     // a field is missing or invalid
	StepConnect     Step = "connect"     // no connection
	StepCertificate Step = "certificate" // the relay's certificate is not trusted
	StepSession     Step = "session"     // greeting, TLS or authentication
	StepSender      Step = "sender"      // the relay refuses the sender
	StepRecipient   Step = "recipient"   // the relay refuses the recipient
	StepContent     Step = "content"     // the relay refuses the message
)

// DeliveryError describes why a message was not sent. It is ErrPermanent if
// Permanent is set, and context.Canceled or context.DeadlineExceeded if the
// context ended. Its text may be logged.
type DeliveryError struct {
	Step Step
	// Field is the field of Message for StepMessage.
	Field string
	// Code is the SMTP code of the relay's reply, or 0 without one.
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

// invalid returns the error of a message that no relay needs to see.
func invalid(field string) error {
	return &DeliveryError{Step: StepMessage, Field: field, Permanent: true}
}

// explain returns the parts of an error that may be logged. connected reports
// whether the relay was reached at all.
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

// causeOf returns the error of ctx. Dialing has the same deadline and may
// notice it first.
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

// final reports whether a refusal is about this recipient or message. A refusal
// of the service itself, such as a missing authentication, lasts only until the
// operator fixes it.
func final(step Step, code int) bool {
	switch code {
	case 530, 534, 535, 538:
		return false
	default:
		return (step == StepRecipient || step == StepContent) && code >= 500 && code <= 599
	}
}
