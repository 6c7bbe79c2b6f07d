// Package server composes the service that "hush serve" runs, out of the settings
// and the data: the vault, the handlers, the routes, mail, and the listeners for
// people and for "hush admin". It runs the service until it is told to stop, then
// ends what still runs.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"hush/cli/console"
	"hush/crash"
	"hush/server/connections"
	"hush/server/datafolder"
	"hush/server/process"
	"hush/server/settings"
)

const (
	// drainTime is how long running requests may take to end after SIGTERM. Within
	// it, firstRequestTime is how long a new connection may take to send its first
	// one, and nextRequestTime how long one that is kept may take to send its last.
	drainTime        = 9 * time.Second
	firstRequestTime = 2 * time.Second
	nextRequestTime  = 500 * time.Millisecond
	openInterval     = 5 * time.Millisecond
)

// Options are what the service is made of.
type Options struct {
	Settings *settings.Settings
	Console  *console.Console // gets the few messages that are not log lines, and the log
	Version  string
	// Alone reports whether nothing else runs in this process, so that the service
	// may give up rights of the whole process for good.
	Alone bool
	// Reload, unless nil, tells the service to read its certificate again.
	Reload <-chan os.Signal
	// Now is the clock of whatever the service decides by the time, but for a new store's
	// beginning; nil means the system's.
	Now func() time.Time
	// Manual leaves out the vault's work in the background, but for keeping shares ready,
	// so that nothing runs but what calls ask for. For measurements: nothing expires on
	// time.
	Manual bool
}

// server is a service that runs or is about to.
type server struct {
	*settings.Settings
	*parts

	console    *console.Console
	version    string
	alone      bool
	reload     <-chan os.Signal // nil for none
	now        func() time.Time
	manual     bool
	log        *slog.Logger
	base       *url.URL     // where links lead
	plain      net.Listener // the port without TLS of --acme; nil without
	endStreams func()       // ends the streams that are under way

	observed *observation // nil without --admin-listen and --metrics-listen
	backups  *backups     // nil without --backup-to
	stopping atomic.Bool  // no more requests should be sent here
}

// Run runs the service until ctx ends or its data cannot be trusted.
func Run(ctx context.Context, opts Options) error {
	s := &server{
		Settings: opts.Settings, console: opts.Console, version: opts.Version, alone: opts.Alone, reload: opts.Reload,
		now: opts.Now, manual: opts.Manual,
	}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.prepare(ctx); err != nil {
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

// listen opens the listener, then the data, and serves. A taken port is noticed
// before anything has changed on the disk.
func (s *server) listen(ctx context.Context) error {
	sockets, err := newSockets(s.Wait, s.log)
	if err != nil {
		return err
	}
	listener, err := sockets.open(ctx, s.ListenAddress(), groupMode)
	if err != nil {
		return err
	}
	defer listener.Close()
	if s.ACME {
		if s.plain, err = sockets.open(ctx, s.ACMEHTTPListen, groupMode); err != nil {
			return err
		}
		defer s.plain.Close()
	}
	if err := s.observe(ctx, sockets); err != nil {
		return err
	}
	defer s.observed.close()
	for _, name := range sockets.unused() {
		s.log.Warn("a socket that systemd passed is not used; see --listen", "name", name)
	}
	s.base = s.Base(listener.Addr())
	d, err := datafolder.Open(ctx, s.Settings, s.console, s.log)
	if err != nil {
		return err
	}
	if !d.Locked {
		s.log.Warn("the keys could not be locked in memory and may be swapped out: see the limit on locked memory (ulimit -l)")
	}
	s.observed.watch(d)
	return errors.Join(s.serve(ctx, listener, d), d.Close())
}

// Check returns everything that would keep the service from starting with these
// settings, as far as it shows without opening data. It changes nothing. A root key
// that is missing is not one: a supervisor may put it there at the start.
func Check(ctx context.Context, s *settings.Settings) []error {
	_, mistakes := inspect(ctx, s)
	return slices.DeleteFunc(mistakes, func(err error) bool { return errors.Is(err, datafolder.ErrNoKey) })
}

// inspect makes what needs no data, and returns everything that is wrong with the
// settings. It is the one rule of the start and of Check.
func inspect(ctx context.Context, s *settings.Settings) (made *parts, mistakes []error) {
	made, wrong := newParts(ctx, s)
	mistakes = slices.Concat(s.Conflicts(), wrong, datafolder.Check(s))
	for _, err := range []error{checkSandbox(s), checkProfile(s), checkBackups(s)} {
		if err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return made, mistakes
}

func checkProfile(s *settings.Settings) error {
	if err := process.CheckProfile(s.CPUProfile); err != nil {
		return fmt.Errorf("--cpu-profile: %w", err)
	}
	return nil
}

// prepare makes what needs no data, and reports what is wrong before anything has
// changed on the disk.
func (s *server) prepare(ctx context.Context) error {
	made, mistakes := inspect(ctx, s.Settings)
	for _, err := range mistakes {
		return err
	}
	if err := checkBackupsWritable(s.Settings); err != nil {
		return err
	}
	s.parts = made
	if err := checkFiles(process.FileLimit(), s.moreFiles()); err != nil {
		return err
	}
	process.LimitMemory(s.MemoryLimit, "/")
	if s.alone { // what a process that serves never needs
		process.DisableCoreDumps()
	}
	return nil
}

// serve opens the vault and the administrator's socket, and serves.
func (s *server) serve(ctx context.Context, listener net.Listener, d *datafolder.Data) error {
	v, err := s.openVault(ctx, d)
	if err != nil {
		return err
	}
	defer v.Close()
	if s.backups, err = s.newBackups(d); err != nil {
		return err
	}
	tree, endStreams, err := s.newTree(v, d)
	if err != nil {
		return err
	}
	s.endStreams = endStreams
	stop, err := s.serveAdmin(ctx, v, d)
	if err != nil {
		return err
	}
	defer stop()
	secured, err := s.openTLS(ctx, v, d)
	if err != nil {
		return err
	}
	defer secured.end()
	scraped := s.openScrapeTLS(ctx, secured.config)
	defer scraped.end()
	defer s.heedReload(ctx, secured.reload, scraped.reload)()
	s.advise(listener.Addr())
	if err := s.confine(); err != nil {
		return err
	}
	defer s.backups.start(ctx)()
	s.summarise(listener.Addr())
	s.console.Tellf("serving on %s", s.base)
	web := newServer(tree)
	web.TLSConfig = secured.config
	limited := s.limitConnections(listener)
	limited.Attach(web)
	stopMetrics, err := s.serveMetrics(looked{v, d, limited, secured.status}, scraped.config)
	if err != nil {
		return err
	}
	defer stopMetrics()
	return s.run(ctx, web, limited, d.Fault)
}

// run serves until ctx ends, then lets running requests end; after a fault it
// stops at once.
func (s *server) run(ctx context.Context, web *http.Server, listener *connections.Listener, fault <-chan error) error {
	failed := make(chan error, 1)
	go crash.Guard(s.log, func() {
		if web.TLSConfig != nil {
			failed <- web.ServeTLS(listener, "", "")
			return
		}
		failed <- web.Serve(listener)
	})
	s.tellSystemd(daemon.SdNotifyReady)
	if s.alone {
		go crash.Guard(s.log, process.Settle)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case err := <-fault:
		s.stopping.Store(true)
		_ = web.Close()
		return fmt.Errorf("stopping, because it is unknown what is on the disk: %w", err)
	case <-ctx.Done():
		s.stopping.Store(true)
	}
	s.log.Info("stopping: no new requests, letting the running ones end")
	s.tellSystemd(daemon.SdNotifyStopping)
	return s.drain(web, listener, failed)
}

// drain accepts no more connections and lets running requests end. A request
// that net/http reads after Shutdown was called gets no response, so clients are
// let go first. Connections that were not accepted wait in a socket of systemd
// for the next process.
func (s *server) drain(web *http.Server, listener *connections.Listener, served <-chan error) error {
	ending, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	_ = listener.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) { // nothing is accepted any more
		s.log.Warn("accepting connections ended with an error", "cause", err)
	}
	listener.Retire()
	s.endStreams() // now, so that clients that call again at once are told to leave
	letGo(listener)
	if err := web.Shutdown(ending); err != nil {
		_ = web.Close()
		return fmt.Errorf("some requests did not end within %s: %w", drainTime, err)
	}
	s.log.Info("stopped")
	return nil
}

// letGo waits for the first requests of new connections to a retired listener, and
// for the last ones of kept connections. Those that stay silent are closed:
// Shutdown would wait five seconds for them.
func letGo(listener *connections.Listener) {
	began := time.Now()
	for {
		all, unserved := listener.Open()
		waited := time.Since(began)
		if all == 0 || waited >= firstRequestTime || unserved == 0 && waited >= nextRequestTime {
			listener.CloseUnserved()
			return
		}
		time.Sleep(openInterval)
	}
}

// tellSystemd tells the service manager about the state of this process, if it
// asked to be told.
func (s *server) tellSystemd(state string) {
	if !s.alone {
		return
	}
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.log.Warn("the service manager cannot be told the state of the service", "cause", err)
	}
}
