package mail

import (
	"fmt"
	"io"
	"log/slog"
)

// hidden is what messages, relays and posts print as: they contain addresses,
// links and a password.
const hidden = "[redacted]"

func (Message) String() string               { return hidden }
func (Message) GoString() string             { return hidden }
func (Message) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, hidden) }
func (Message) LogValue() slog.Value         { return slog.StringValue(hidden) }
func (Message) MarshalText() ([]byte, error) { return []byte(hidden), nil }

func (Relay) String() string               { return hidden }
func (Relay) GoString() string             { return hidden }
func (Relay) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, hidden) }
func (Relay) LogValue() slog.Value         { return slog.StringValue(hidden) }
func (Relay) MarshalText() ([]byte, error) { return []byte(hidden), nil }

func (*Post) String() string               { return hidden }
func (*Post) GoString() string             { return hidden }
func (*Post) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, hidden) }
func (*Post) LogValue() slog.Value         { return slog.StringValue(hidden) }
func (*Post) MarshalText() ([]byte, error) { return []byte(hidden), nil }
