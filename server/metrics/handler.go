package metrics

import (
	"net/http"
	"net/http/pprof"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scrapesMost is the maximum number of scrapes at a time.
const scrapesMost = 3

// Handler serves /metrics, and profiles below /debug/pprof/. They have neither the
// command line, which may name files and databases with their passwords, nor the
// arguments of calls, which may be keys.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.scraped)
	mux.Handle("GET /debug/pprof/", withoutArguments(http.HandlerFunc(pprof.Index)))
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	return unstored(mux)
}

// Scrapes serves /metrics, and no profiles. It shares the maximum of scrapes at a time
// with Handler.
func (m *Metrics) Scrapes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.scraped)
	return unstored(mux)
}

// scraper serves what a registry has.
func scraper(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: scrapesMost, Timeout: 2 * readTime,
	})
}

// withoutArguments refuses profiles that show the arguments of calls.
func withoutArguments(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if detail, _ := strconv.Atoi(r.FormValue("debug")); detail > 1 {
			http.Error(w, "stacks are served without the arguments of calls: use debug=1", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// unstored keeps responses out of caches and out of the pages of other sites.
func unstored(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// A profile of the processors may take as long as pprof's default.
const profileTime = 30 * time.Second

// WriteTimeout is how long a response of Handler may take, and ScrapeTimeout one of
// Scrapes.
const (
	WriteTimeout  = 2 * profileTime
	ScrapeTimeout = 5 * readTime
)
