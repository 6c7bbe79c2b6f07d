package settings

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"hush/cli/flags"
)

// processSettings say how the process runs and what it logs.
type processSettings struct {
	LogFormat  string
	LogLevel   string
	Sandbox    string
	CPUProfile string // a file; empty for none
}

// The values of --sandbox.
const (
	SandboxAuto = "auto"
	SandboxOff  = "off"
	SandboxOn   = "on"
)

func (s *processSettings) settings() []setting {
	return []setting{
		{"log-format", flags.Choice(&s.LogFormat, "format of log lines", logText, logJSON)},
		{"log-level", flags.Choice(&s.LogLevel, "lowest level of log lines", "info", "debug", "warn", "error")},
		{"sandbox", flags.Choice(&s.Sandbox, "restrict the process to its own files with Landlock; \"auto\" does so where the kernel can, \"on\" refuses to start where it cannot", SandboxAuto, SandboxOn, SandboxOff)},
		{"cpu-profile", flags.Example("hush.pprof", flags.Checked(&s.CPUProfile, "", "`file` that a CPU profile of the whole run is written to", checkPlace))},
	}
}

// The values of --log-format.
const (
	logText = "text"
	logJSON = "json"
)

// Logger returns the program's logger, which writes to w.
func (s *processSettings) Logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // choice admits only levels
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: withUnit}
	if s.LogFormat == logJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// withUnit writes durations as in "7.1ms", where JSON would have a bare number.
func withUnit(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// MessagesTo returns the logger that a command's messages go to, or nil if they
// are text. The arguments are those of "hush serve", which may have mistakes.
func (r *Reader) MessagesTo(ctx context.Context, w io.Writer, args []string) *slog.Logger {
	c := &cobra.Command{FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}}
	s := Add(c, "log-format")
	if c.ParseFlags(args) != nil {
		return nil
	}
	_, _ = r.Gather(ctx, c.Flags()) // mistakes are reported where the command reads its settings
	if s.LogFormat != logJSON {
		return nil
	}
	return s.Logger(w)
}
