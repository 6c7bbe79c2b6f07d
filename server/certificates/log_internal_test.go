package certificates

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mholt/acmez/v3/acme"
	"go.uber.org/zap"
)

// Fields that are not known to be harmless, such as the addresses of clients and
// the names they ask for, do not reach our log, in whatever way they are added.
func TestLogHasOnlyKnownFields(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	ours := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	theirs := zap.New(zapLog{ours})
	hidden := []zap.Field{
		zap.String("remote", "192.0.2.1:443"), zap.String("remote_ip", "192.0.2.1"), zap.String("server_name", "canary.example"),
		zap.String("user_agent", "canary"), zap.Any("headers", map[string]string{"x": "canary"}),
	}
	theirs.Info("information", hidden...)
	theirs.Named("handshake").With(hidden...).Error("failure", zap.Error(errors.New("the cause")), zap.Strings("identifiers", []string{"a", "b"}))
	theirs.Error("job failed")
	theirs.Debug("detail")
	client := slog.New(acmeLog{ours.Handler()})
	client.With("remote", "192.0.2.1").WithGroup("canary").Error("refused",
		"problem", acme.Problem{Type: "urn:x", Detail: "the reason"}, "headers", "canary", "identifier", "a.example")
	client.Debug("detail")
	got := text.String()
	for _, word := range []string{"192.0.2.1", "canary", "detail"} {
		if strings.Contains(got, word) {
			t.Errorf("log: got %q, want no %q", got, word)
		}
	}
	for _, line := range []string{
		`level=DEBUG msg="certmagic: information"`,
		`level=DEBUG msg="certmagic: job failed"`,
		`level=WARN msg="certmagic: failure" error="the cause" identifiers="[a b]"`,
		`level=WARN msg="acme: refused" problem="`, "the reason", "identifier=a.example",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("log: got\n%s\nwant %q in it", got, line)
		}
	}
}
