package caller

import (
	"fmt"
	"log/slog"
)

const redacted = "[redacted]"

// Text is text that must not be printed: a secret, a passphrase, a note. Only a
// conversion to string reveals it.
type Text string

// String returns a placeholder.
func (Text) String() string { return redacted }

// GoString returns a placeholder.
func (Text) GoString() string { return redacted }

// Format writes a placeholder for every verb.
func (Text) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(redacted)) }

// LogValue returns a placeholder.
func (Text) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns a placeholder.
func (Text) MarshalText() ([]byte, error) { return []byte(redacted), nil }
