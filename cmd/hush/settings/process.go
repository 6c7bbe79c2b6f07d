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
		{"log-format", flags.Choice(&s.LogFormat, "format of log lines", "text", "json")},
		{"log-level", flags.Choice(&s.LogLevel, "lowest level of log lines", "info", "debug", "warn", "error")},
		{"sandbox", flags.Choice(&s.Sandbox, "restrict the process to its own files with Landlock; \"auto\" does so where the kernel can, \"on\" refuses to start where it cannot", SandboxAuto, SandboxOn, SandboxOff)},
		{"cpu-profile", flags.Text(&s.CPUProfile, "", "`file` that a CPU profile of the whole run is written to")},
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
