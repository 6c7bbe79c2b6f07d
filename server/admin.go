package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"hush/crash"
	"hush/handlers"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/vault"
	"hush/vault/doctor"
)

// The bounds on operators' commands: an import of many accounts takes a while.
const (
	adminReadTimeout  = time.Minute
	adminWriteTimeout = 10 * time.Minute
	adminDrainTime    = 500 * time.Millisecond
)

// examineOf returns what examines the data for the operator.
func (s *server) examineOf(d *datafolder.Data) handlers.Examine {
	return func(ctx context.Context, tell func(bucket string, rows int64)) (*doctor.Findings, error) {
		s.log.Info("examining the data for the operator")
		found, err := d.Examine(ctx, tell)
		switch {
		case err != nil && !errors.Is(err, datafolder.ErrExamining):
			s.log.Warn("an examination for the operator ended early", "cause", err)
		case err == nil:
			s.log.Info("examined the data for the operator", "rows", found.Rows, "errors", found.Count(doctor.LevelError), "warnings", found.Count(doctor.LevelWarning))
		}
		return found, err
	}
}

// serveAdmin serves the operator's commands on the socket in the data folder until
// stop. A store in memory has no folder, and so no socket.
func (s *server) serveAdmin(ctx context.Context, v *vault.Vault, d *datafolder.Data) (stop func(), err error) {
	if s.Store == settings.StoreMemory {
		return func() {}, nil
	}
	path, handler := handlers.NewAdmin(v, s.base, s.log, handlers.Local{Backup: s.backupOf(d), Examine: s.examineOf(d)})
	listener, err := datafolder.ListenAdmin(ctx, s.Data)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(path, handler)
	web := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       adminReadTimeout,
		WriteTimeout:      adminWriteTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	ended := make(chan struct{})
	go crash.Guard(s.log, func() {
		defer close(ended)
		if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("commands are no longer served", "cause", err)
		}
	})
	return func() {
		defer func() { <-ended }()
		ending, cancel := context.WithTimeout(context.Background(), adminDrainTime)
		defer cancel()
		if web.Shutdown(ending) != nil {
			_ = web.Close()
		}
	}, nil
}
