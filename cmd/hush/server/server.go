// Package server composes the service that "hush serve" runs, out of the settings
// and the data: the vault, the handlers, the routes, mail, and the listeners for
// people and for "hush admin". It runs the service until it is told to stop, then
// ends what still runs.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"hush/cmd/hush/console"
	"hush/cmd/hush/data"
	"hush/cmd/hush/process"
	"hush/cmd/hush/settings"
	"hush/crash"
)

// drainTime is how long running requests may take to end after SIGTERM.
const drainTime = 9 * time.Second

// Options are what the service is made of.
type Options struct {
	Settings *settings.Settings
	Console  *console.Console // gets the few messages that are not log lines, and the log
	Version  string
	// Alone reports whether nothing else runs in this process, so that the service
	// may give up rights of the whole process for good.
	Alone bool
}

// server is a service that runs or is about to.
type server struct {
	*settings.Settings
	*parts

	console *console.Console
	version string
	alone   bool
	log     *slog.Logger
	base    *url.URL // where links lead
}

// Run runs the service until ctx ends or its data cannot be trusted.
func Run(ctx context.Context, opts Options) error {
	s := &server{Settings: opts.Settings, console: opts.Console, version: opts.Version, alone: opts.Alone}
	if err := s.prepare(); err != nil {
		return err
	}
	profiled, err := process.WriteProfile(s.CPUProfile)
	if err != nil {
		return err
	}
	defer profiled()
	s.log = s.Logger(s.console.Err)
	if s.MemoryLimit > 0 && s.MemoryLimit < process.EnoughMemory {
		s.log.Warn("the memory limit is low: allow 512 MiB or more", "flag", "--memory-limit")
	}
	return s.listen(ctx)
}

// listen opens the listener, then the data, and serves. A taken port is an error
// before anything has changed on the disk.
func (s *server) listen(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer listener.Close()
	s.base = s.Base(listener.Addr())
	d, err := data.Open(s.Settings, s.console, s.log)
	if err != nil {
		return err
	}
	if !d.Locked {
		s.log.Warn("the keys could not be locked in memory and may be swapped out: see the limit on locked memory (ulimit -l)")
	}
	return errors.Join(s.serve(ctx, listener, d), d.Close())
}

// prepare makes what needs no data, and reports what is wrong before anything has
// changed on the disk.
func (s *server) prepare() (err error) {
	if err := s.Check(); err != nil {
		return err
	}
	if err := checkFiles(process.FileLimit()); err != nil {
		return err
	}
	if s.TLSCert != "" { // read again to serve; a mistake must show before anything is created
		if _, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey); err != nil {
			return fmt.Errorf("reading the certificate: %w", err)
		}
	}
	if s.parts, err = newParts(s.Settings); err != nil {
		return err
	}
	process.LimitMemory(s.MemoryLimit, "/")
	return s.prepareProcess()
}

// serve opens the vault and the administrator's socket, and serves.
func (s *server) serve(ctx context.Context, listener net.Listener, d *data.Data) error {
	v, err := s.openVault(ctx, d)
	if err != nil {
		return err
	}
	defer v.Close()
	tree, endStreams, err := s.newTree(v, d.FileBytes)
	if err != nil {
		return err
	}
	stop, err := s.serveAdmin(ctx, v)
	if err != nil {
		return err
	}
	defer stop()
	s.advise(listener.Addr())
	if err := s.confine(); err != nil {
		return err
	}
	s.console.Tellf("serving on %s", s.base)
	web := newServer(tree)
	web.RegisterOnShutdown(endStreams)
	limited := s.limitConnections(listener)
	limited.Attach(web)
	return s.run(ctx, web, limited, d.Fault)
}

// run serves until ctx ends, then lets running requests end; after a fault it
// stops at once.
func (s *server) run(ctx context.Context, web *http.Server, listener net.Listener, fault <-chan error) error {
	failed := make(chan error, 1)
	go crash.Guard(s.log, func() {
		if s.TLSCert != "" {
			failed <- web.ServeTLS(listener, s.TLSCert, s.TLSKey)
			return
		}
		failed <- web.Serve(listener)
	})
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case err := <-fault:
		_ = web.Close()
		return fmt.Errorf("stopping, because it is unknown what is on the disk: %w", err)
	case <-ctx.Done():
	}
	s.log.Info("stopping: no new requests, letting the running ones end")
	ending, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := web.Shutdown(ending); err != nil {
		_ = web.Close()
		return fmt.Errorf("some requests did not end within %s: %w", drainTime, err)
	}
	s.log.Info("stopped")
	return nil
}
