package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"hush/crash"
	"hush/handlers"
	"hush/handlers/chain"
	"hush/hosts"
	"hush/routes"
	"hush/server/certificates"
	"hush/server/connections"
	"hush/server/datafolder"
	"hush/server/metrics"
	"hush/server/settings"
	"hush/vault"
)

// observation is what an operator looks into the service with: its metrics, and
// where they are served. There is none without --admin-listen and --metrics-listen.
type observation struct {
	*metrics.Metrics

	admin, scrapes net.Listener // nil without the flag of each
	load           func() chain.Load
}

// observe opens the addresses of --admin-listen and --metrics-listen, if there are any.
func (s *server) observe(ctx context.Context, sockets *sockets) error {
	if s.AdminListen == "" && s.MetricsListen == "" {
		return nil
	}
	counted, err := newMetrics(s.version)
	if err != nil {
		return err
	}
	made := &observation{Metrics: counted}
	if s.AdminListen != "" {
		made.admin, err = sockets.open(ctx, s.AdminListen, ownerMode)
		if err == nil {
			err = settings.CheckAdminAddr(made.admin.Addr())
		}
		if err != nil {
			made.close()
			return fmt.Errorf("--admin-listen=%s: %w", s.AdminListen, err)
		}
	}
	if s.MetricsListen != "" {
		if made.scrapes, err = sockets.open(ctx, s.MetricsListen, ownerMode); err != nil {
			made.close()
			return fmt.Errorf("--metrics-listen=%s: %w", s.MetricsListen, err)
		}
	}
	s.observed = made
	return nil
}

func newMetrics(version string) (*metrics.Metrics, error) {
	kinds, states := vault.MailTries()
	return metrics.New(metrics.Options{
		Version: version, Codes: chain.Codes(), Limits: chain.Limits(),
		Sweeps: []string{vault.SweptSecrets, vault.SweptRest}, MailKinds: kinds, MailStates: states,
	})
}

// local is where metrics and profiles are served to this machine, and remote where
// metrics are to others; nil without.
func (o *observation) local() net.Listener {
	if o == nil {
		return nil
	}
	return o.admin
}

func (o *observation) remote() net.Listener {
	if o == nil {
		return nil
	}
	return o.scrapes
}

// close closes the listeners.
func (o *observation) close() {
	for _, listener := range []net.Listener{o.local(), o.remote()} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}

// watch counts what the store of d does.
func (o *observation) watch(d *datafolder.Data) {
	if o != nil {
		d.Observe(o)
		d.ObserveSpentLog(o.SpentLogSynced)
	}
}

// ofVault and ofRequests return what is told about the background and about
// requests; nil if nothing is.
func (o *observation) ofVault() vault.Observer {
	if o == nil {
		return nil
	}
	return o
}

func (o *observation) ofRequests() chain.Observer {
	if o == nil {
		return nil
	}
	return o
}

// know takes the templates of the routes.
func (o *observation) know(api *handlers.API) {
	if o == nil {
		return
	}
	o.load = api.Chain.Load
	o.SetRoutes(templates(api))
}

// templates returns what the route of a request's log line can be.
func templates(api *handlers.API) []string {
	all := []string{routes.Unknown}
	for _, row := range routes.Table(api) {
		all = append(all, row.Path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// refused counts a refused connection.
func (o *observation) refused() {
	if o != nil {
		o.RefusedConnection()
	}
}

// metricsDrainTime is how long a scrape may take to end when the service stops.
const metricsDrainTime = 200 * time.Millisecond

// looked is what scrapes look at.
type looked struct {
	vault        *vault.Vault
	data         *datafolder.Data
	open         *connections.Listener
	certificates func() certificates.Status // nil without TLS
}

// serveMetrics serves metrics, and profiles to this machine, until stop. secured is the
// TLS of --metrics-listen.
func (s *server) serveMetrics(at looked, secured *tls.Config) (stop func(), err error) {
	o := s.observed
	if o == nil {
		return func() {}, nil
	}
	if err := o.Read(func(ctx context.Context) metrics.State { return s.state(ctx, at) }); err != nil {
		return nil, err
	}
	stopLocal, stopRemote := func() {}, func() {}
	if o.admin != nil {
		stopLocal = s.serveLocally(o)
	}
	if o.scrapes != nil {
		stopRemote = s.serveScrapes(o, secured)
	}
	return func() {
		stopRemote()
		stopLocal()
	}, nil
}

// serveLocally serves metrics and profiles to this machine until stop.
func (s *server) serveLocally(o *observation) (stop func()) {
	web := &http.Server{
		Handler:           localOnly(o.admin.Addr(), o.Handler()),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      metrics.WriteTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	ended := make(chan struct{})
	go crash.Guard(s.log, func() {
		defer close(ended)
		if err := web.Serve(o.admin); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("metrics are no longer served", "cause", err)
		}
	})
	return func() {
		defer func() { <-ended }()
		ending, cancel := context.WithTimeout(context.Background(), metricsDrainTime)
		defer cancel()
		if web.Shutdown(ending) != nil {
			_ = web.Close() // a profile, which may take a minute
		}
	}
}

// localOnly refuses what pages of other sites send from a browser on this
// machine. Over TCP it also refuses requests that name another host: a page must
// not read metrics through a name of its own that leads here.
func localOnly(addr net.Addr, next http.Handler) http.Handler {
	_, tcp := addr.(*net.TCPAddr)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tcp && !namesLoopback(r.Host) || crossSite(r.Header) {
			http.Error(w, "metrics are served to this machine only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func namesLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return hosts.IsLoopback(name)
}

// crossSite reports whether a browser says that another site sends a request.
func crossSite(header http.Header) bool {
	site := header.Get("Sec-Fetch-Site")
	return header.Get("Origin") != "" || site != "" && site != "none" && site != "same-origin"
}

// state returns what a scrape sees.
func (s *server) state(ctx context.Context, at looked) metrics.State {
	load, inside := s.observed.load(), at.vault.Monitor.State()
	connected, _ := at.open.Open()
	state := metrics.State{
		Ready:    s.accepting() && at.vault.Ready() == nil,
		Creating: load.Creating, Opening: load.Opening, Unpacking: load.Unpacking,
		Connections: connected, Streams: load.Streams, Watches: inside.Watches, Claims: inside.Claims,
		Passphrases: metrics.Lanes(inside.Passphrases), Passwords: metrics.Lanes(inside.Passwords),
		RootKeys: metrics.RootKeys{Left: inside.ResealLeft, OldUses: inside.OldKeyUses},
		Updates:  at.data.Waiting(), Hashes: inside.Hashed, ClockLeapt: inside.ClockLeapt,
	}
	if at.data.FileBytes != nil {
		state.FileBytes = new(at.data.FileBytes())
	}
	if at.certificates != nil {
		state.Certificates = new(metrics.Certificates(at.certificates()))
	}
	if s.backups != nil {
		made := s.backups.state()
		state.Backups = &metrics.Backups{Last: made.Last, Bytes: made.Bytes, Every: made.Every, Failures: made.failures}
	}
	if log := at.data.SpentLog(); log != nil {
		_, last := log.Position()
		segments, bytes := log.Reader().Size()
		state.SpentLog = &metrics.SpentLog{Last: last, Full: !log.HasRoom(), Segments: segments, Bytes: bytes}
	}
	if disk := at.data.Disk(); disk != nil {
		state.Disk = new(metrics.Disk(*disk))
	}
	if held, err := at.vault.Files.Held(ctx); err == nil && at.vault.Files.Taken() {
		state.Files = &metrics.Files{
			Blobs: held.Blobs, Bytes: held.Bytes, Removing: held.Removing, Uploads: held.Uploads, Claimed: int64(inside.FileClaims),
		}
	}
	s.readStore(ctx, at.vault, &state)
	return state
}

// readStore adds what is in the store, if it can be read in time.
func (s *server) readStore(ctx context.Context, v *vault.Vault, state *metrics.State) {
	counts, bytes, err := v.Monitor.Totals(ctx)
	if err != nil {
		return
	}
	nodes, err := v.Nodes(ctx)
	if err != nil {
		return
	}
	state.Totals = &metrics.Totals{
		Secrets: counts.Secrets, SecretBytes: bytes, Receipts: counts.Metadata, Accounts: counts.Accounts,
		Sessions: counts.Sessions, Domains: counts.Domains, Mails: counts.Queued,
		Created: counts.Created, Revealed: counts.Shared, Burned: counts.Burned, Expired: counts.Expired,
	}
	for _, node := range nodes {
		state.Nodes = append(state.Nodes, metrics.Node{
			Name: node.Name, Number: node.Number, Release: node.Release, Self: node.Self, Live: node.Live, Age: node.Age.Round(time.Millisecond),
		})
	}
}

// accepting reports whether more requests should be sent here.
func (s *server) accepting() bool { return !s.stopping.Load() }
