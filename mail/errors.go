package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"syscall"

	gomail "github.com/wneessen/go-mail"
)

// ErrPermanent reports that this message can never be delivered to this
// recipient; do not try again. Every other error of Send may be temporary.
var ErrPermanent = errors.New("mail cannot be delivered")

// ErrUnsupported reports that the relay takes no address with a local part outside
// ASCII, as that of this recipient. It is an ErrPermanent, too.
var ErrUnsupported = errors.New("the relay takes no address outside ASCII")

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
	// Reason says what the relay lacks or what there is instead; empty if the other
	// fields tell it.
	Reason string
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
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Is reports whether the error is ErrPermanent or ErrUnsupported.
func (e *DeliveryError) Is(target error) bool {
	return e.Permanent && (target == ErrPermanent || target == ErrUnsupported && e.Reason == reasonNoUTF8)
}

func (e *DeliveryError) Unwrap() error { return e.cause }

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
		e.Reason = reasonOf(err)
	}
	return e
}

// The reasons of failures that have no SMTP code.
const (
	reasonNoUTF8     = "the server does not take addresses outside ASCII (SMTPUTF8)"
	reasonRefused    = "the connection was refused"
	reasonNoHost     = "the host name has no address"
	reasonNoName     = "the host name could not be looked up"
	reasonNoStartTLS = "the server does not offer STARTTLS"
	reasonNoAuth     = "the server does not offer AUTH"
	reasonNoMethod   = "the server does not offer AUTH with PLAIN or LOGIN"
	reasonNoTLS      = "the server does not answer in TLS; its port may be one for STARTTLS"
	reasonClosed     = "the server closed the connection"
)

// reasonOf returns why a delivery failed, or "" if it is none of the reasons. It
// returns no part of the error's text, which may name internal servers.
func reasonOf(err error) string {
	var name *net.DNSError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return reasonRefused
	case errors.As(err, &name) && name.IsNotFound:
		return reasonNoHost
	case errors.As(err, &name):
		return reasonNoName
	case errors.As(err, &record):
		return reasonNoTLS
	case errors.Is(err, gomail.ErrPlainAuthNotSupported), errors.Is(err, gomail.ErrLoginAuthNotSupported),
		errors.Is(err, gomail.ErrNoSupportedAuthDiscovered):
		return reasonNoMethod
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return reasonClosed
	}
	// The library has no values for these.
	switch text := err.Error(); {
	case strings.Contains(text, "does not support STARTTLS"):
		return reasonNoStartTLS
	case strings.Contains(text, "does not support SMTP AUTH"):
		return reasonNoAuth
	default:
		return ""
	}
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
