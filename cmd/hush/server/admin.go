package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"hush/cmd/hush/data"
	"hush/cmd/hush/settings"
	"hush/crash"
	"hush/handlers"
	"hush/vault"
)

// The bounds on operators' commands: an import of many accounts takes a while.
const (
	adminReadTimeout  = time.Minute
	adminWriteTimeout = 10 * time.Minute
	adminDrainTime    = 500 * time.Millisecond
)

// serveAdmin serves the operator's commands on the socket in the data folder until
// stop. A store in memory has no folder, and so no socket.
func (s *server) serveAdmin(ctx context.Context, v *vault.Vault, d *data.Data) (stop func(), err error) {
	if s.Store == settings.StoreMemory {
		return func() {}, nil
	}
	path, handler := handlers.NewAdmin(v, s.base, s.log, s.backupOf(d))
	listener, err := data.ListenAdmin(ctx, s.Data)
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
