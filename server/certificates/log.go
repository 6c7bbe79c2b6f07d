package certificates

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"go.uber.org/zap/zapcore"
)

// shown are the fields of CertMagic and acmez that are logged. Others are not,
// among them the addresses of clients and the names that they asked for.
func shown(field string) bool {
	switch field {
	case "identifier", "identifiers", "subject", "subjects", "issuer", "ca", "error", "problem", "attempt", "attempts",
		"max_attempts", "challenge_type", "remaining", "expiration", "not_after", "order", "count", "lock_key", "selected_time":
		return true
	}
	return false
}

// levelOf returns the level of our log for one of theirs. What matters to an
// operator is logged by this package; the rest explains it.
func levelOf(level slog.Level) slog.Level {
	if level >= slog.LevelWarn {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// isRepeated reports whether a line of CertMagic's says what this package logs
// itself, or says again at each check.
func isRepeated(message string) bool {
	return message == "job failed" || message == "could not get certificate from issuer" ||
		strings.HasPrefix(message, "certificate is in emergency renewal window")
}

// zapLog writes CertMagic's log to ours.
type zapLog struct{ log *slog.Logger }

// Enabled implements zapcore.LevelEnabler.
func (z zapLog) Enabled(level zapcore.Level) bool {
	return level > zapcore.DebugLevel && z.log.Enabled(context.Background(), levelOf(slogLevel(level)))
}

func slogLevel(level zapcore.Level) slog.Level {
	if level >= zapcore.WarnLevel {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// With implements zapcore.Core.
func (z zapLog) With(fields []zapcore.Field) zapcore.Core {
	return zapLog{slog.New(z.log.Handler().WithAttrs(attrsOf(fields)))}
}

// Check implements zapcore.Core.
func (z zapLog) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if z.Enabled(entry.Level) {
		return checked.AddCore(entry, z)
	}
	return checked
}

// Write implements zapcore.Core.
func (z zapLog) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	level := levelOf(slogLevel(entry.Level))
	if isRepeated(entry.Message) {
		level = slog.LevelDebug
	}
	z.log.LogAttrs(context.Background(), level, "certmagic: "+entry.Message, attrsOf(fields)...)
	return nil
}

// Sync implements zapcore.Core.
func (zapLog) Sync() error { return nil }

func attrsOf(fields []zapcore.Field) (attrs []slog.Attr) {
	for _, field := range fields {
		if !shown(field.Key) {
			continue
		}
		values := zapcore.NewMapObjectEncoder()
		field.AddTo(values)
		attrs = append(attrs, slog.String(field.Key, fmt.Sprint(values.Fields[field.Key])))
	}
	return attrs
}

// acmeLog writes the log of acmez to ours.
type acmeLog struct{ slog.Handler }

// Enabled implements slog.Handler.
func (l acmeLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level > slog.LevelDebug && l.Handler.Enabled(ctx, levelOf(level))
}

// Handle implements slog.Handler.
func (l acmeLog) Handle(ctx context.Context, r slog.Record) error {
	made := slog.NewRecord(r.Time, levelOf(r.Level), "acme: "+r.Message, 0)
	r.Attrs(func(attr slog.Attr) bool {
		if shown(attr.Key) {
			made.AddAttrs(slog.String(attr.Key, fmt.Sprint(attr.Value.Any())))
		}
		return true
	})
	return l.Handler.Handle(ctx, made)
}

// WithAttrs implements slog.Handler.
func (l acmeLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	var kept []slog.Attr
	for _, attr := range attrs {
		if shown(attr.Key) {
			kept = append(kept, slog.String(attr.Key, fmt.Sprint(attr.Value.Any())))
		}
	}
	return acmeLog{l.Handler.WithAttrs(kept)}
}

// WithGroup implements slog.Handler.
func (l acmeLog) WithGroup(string) slog.Handler { return l }
