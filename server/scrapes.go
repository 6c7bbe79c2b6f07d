package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hush/cli/console"
	"hush/crash"
	"hush/server/certificates"
	"hush/server/connections"
	"hush/server/metrics"
	"hush/server/settings"
)

// The bounds on scrapes of other machines. A Prometheus has one connection.
const (
	scrapeConns     = 64
	scrapePerNet    = 8
	scrapeLingering = 16
	scrapeHeader    = 16 << 10
	// scrapeWarning is the least time between two log lines about refused scrapes.
	scrapeWarning = time.Minute
)

// authoritiesMost is the maximum length of a file with certificates of authorities.
const authoritiesMost = 1 << 20

// scrapers are who may scrape metrics over TLS: who has the token, a certificate, or
// both, as the settings say.
type scrapers struct {
	token       [sha256.Size]byte // hash of the token
	hasToken    bool
	authorities *x509.CertPool     // nil without --metrics-client-ca
	pair        *certificates.Pair // nil for the certificate of --listen
}

// newScrapers reads the files of --metrics-listen. Its errors name the settings.
func newScrapers(ctx context.Context, s *settings.Settings) (made *scrapers, mistakes []error) {
	made = &scrapers{}
	var err error
	made.pair, err = readPair(ctx,
		certificates.Named{Flag: "--metrics-tls-cert", Path: s.MetricsTLSCert}, certificates.Named{Flag: "--metrics-tls-key", Path: s.MetricsTLSKey})
	if err != nil {
		mistakes = append(mistakes, err)
	}
	if s.MetricsTokenFile != "" {
		if made.token, err = readToken(ctx, s.MetricsTokenFile); err != nil {
			mistakes = append(mistakes, fmt.Errorf("--metrics-token-file: %w", err))
		}
		made.hasToken = true
	}
	if s.MetricsClientCA != "" {
		made.authorities, err = console.Interruptible(ctx, func() (*x509.CertPool, error) { return readAuthorities(s.MetricsClientCA) })
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("--metrics-client-ca: %w", err))
		}
	}
	return made, mistakes
}

// tokenForm is what a header can have as a token; shorter ones could be guessed.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]{24,512}=*$`)

// readToken returns the hash of the token in a file.
func readToken(ctx context.Context, path string) (hash [sha256.Size]byte, err error) {
	token, err := console.ReadSecretFile(ctx, path)
	if err != nil {
		return hash, err
	}
	if !tokenForm.MatchString(token) {
		return hash, fmt.Errorf("the first line of %s must have 24 to 512 letters, digits and characters of -._~+/ only: \"openssl rand -hex 32\" makes such a token", path)
	}
	return sha256.Sum256([]byte(token)), nil
}

// readAuthorities returns the certificates in a file.
func readAuthorities(path string) (*x509.CertPool, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, authoritiesMost))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s has no certificate in PEM format", path)
	}
	return pool, nil
}

// openScrapeTLS begins to keep the certificate of --metrics-listen current. Without one
// of its own it is that of --listen, which public is the TLS of. Its config is nil
// without --metrics-listen.
func (s *server) openScrapeTLS(ctx context.Context, public *tls.Config) *secured {
	if s.scrapers == nil {
		return &secured{end: func() {}}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	made := &secured{end: func() {
		cancel()
		running.Wait()
	}}
	if s.scrapers.pair != nil {
		files := certificates.OpenFiles(s.scrapers.pair, s.log, s.now)
		crash.Go(&running, s.log, func() { files.Watch(ctx) })
		public, made.reload = files.TLSConfig(), files.Reload
	}
	made.config = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: public.GetCertificate}
	if s.scrapers.authorities != nil {
		made.config.ClientAuth, made.config.ClientCAs = tls.RequireAndVerifyClientCert, s.scrapers.authorities
	}
	return made
}

// serveScrapes serves metrics to other machines until stop.
func (s *server) serveScrapes(o *observation, secured *tls.Config) (stop func()) {
	if s.MetricsTokenFile != "" && console.IsEverybodys(s.MetricsTokenFile) {
		s.log.Warn("every user of this machine may read the token of metrics: run chmod 0400 on it", "file", s.MetricsTokenFile)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true) // a scraper needs no more
	web := &http.Server{
		Handler:           s.scrapers.admit(s.log, o.Scrapes()),
		Protocols:         &protocols,
		TLSConfig:         secured,
		MaxHeaderBytes:    scrapeHeader,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      metrics.ScrapeTimeout,
		IdleTimeout:       2 * idleTimeout, // Prometheus mostly scrapes once a minute
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	limited := connections.NewListener(o.scrapes, connections.Limits{
		Total: scrapeConns, PerNetwork: scrapePerNet, Lingering: scrapeLingering,
		Requests: scrapeConns, RequestsPerNetwork: scrapePerNet, Refused: o.refused,
	})
	limited.Attach(web)
	ended := make(chan struct{})
	go crash.Guard(s.log, func() {
		defer close(ended)
		if err := web.ServeTLS(limited, "", ""); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.log.Error("metrics are no longer served to other machines", "cause", err)
		}
	})
	return func() {
		defer func() { <-ended }()
		ending, cancel := context.WithTimeout(context.Background(), metricsDrainTime)
		defer cancel()
		if web.Shutdown(ending) != nil {
			_ = web.Close()
		}
	}
}

// admit lets those requests through that have the token, if there is one, and that no
// page of another site made a browser send.
func (p *scrapers) admit(log *slog.Logger, next http.Handler) http.Handler {
	var warned atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if crossSite(r.Header) {
			http.Error(w, "metrics are served to no page of another site", http.StatusForbidden)
			return
		}
		if p.hasToken && !p.isToken(r.Header.Get("Authorization")) {
			if now, last := time.Now().Unix(), warned.Load(); now-last >= int64(scrapeWarning.Seconds()) && warned.CompareAndSwap(last, now) {
				log.Warn("a request for metrics was refused: it had no token, or another than that of --metrics-token-file")
			}
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("WWW-Authenticate", `Bearer realm="metrics"`)
			http.Error(w, "send the token of --metrics-token-file, as in Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isToken reports whether a header has the token. It takes as long for every token.
func (p *scrapers) isToken(header string) bool {
	scheme, token, _ := strings.Cut(header, " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(hash[:], p.token[:]) == 1
}
