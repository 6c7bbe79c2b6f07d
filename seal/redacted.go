package seal

import (
	"fmt"
	"io"
	"log/slog"
)

const redactedText = "[redacted]"

// redacted is embedded by every type that holds a secret. Its promoted methods
// cover each way of printing, on the value and on its pointer, so that a new
// secret type is safe with one line instead of six methods.
type redacted struct{}

// Format prints [redacted] for every verb and flag of fmt.
func (redacted) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redactedText) }

// String returns [redacted].
func (redacted) String() string { return redactedText }

// GoString returns [redacted].
func (redacted) GoString() string { return redactedText }

// MarshalJSON returns the JSON string "[redacted]".
func (redacted) MarshalJSON() ([]byte, error) { return []byte(`"` + redactedText + `"`), nil }

// MarshalText returns [redacted].
func (redacted) MarshalText() ([]byte, error) { return []byte(redactedText), nil }

// LogValue returns [redacted] for log/slog.
func (redacted) LogValue() slog.Value { return slog.StringValue(redactedText) }

// Redacted is what a type of another package embeds that holds a secret. It must
// hold it so that a formatter without methods does not show it either: in a
// function, as Hidden does.
type Redacted = redacted

// Hidden holds a value that is not to be printed. Make it with Hide.
type Hidden[T any] = hidden[T]

// Hide returns a function that returns value.
func Hide[T any](value T) Hidden[T] { return hide(value) }

// hidden holds a value that even a formatter without methods must not show. fmt
// prints the contents of arrays, and of pointers too for some verbs, wherever
// it finds them; of a function it prints the address.
type hidden[T any] func() T

func hide[T any](value T) hidden[T] { return func() T { return value } }
