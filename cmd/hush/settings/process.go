package settings

import (
	"io"
	"log/slog"

	"hush/cmd/hush/flags"
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
		{"log-format", flags.Choice(&s.LogFormat, "how log lines are written", "text", "json")},
		{"log-level", flags.Choice(&s.LogLevel, "lowest level that is logged", "info", "debug", "warn", "error")},
		{"sandbox", flags.Choice(&s.Sandbox, "restrict the process to its own files with Landlock: auto where the kernel can, on to refuse to start without it", SandboxAuto, SandboxOn, SandboxOff)},
		{"cpu-profile", flags.Text(&s.CPUProfile, "", "`file` to write a CPU profile of the whole run to")},
	}
}

// Logger returns the program's logger, which writes to w.
func (s *processSettings) Logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // choice admits only levels
	options := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
