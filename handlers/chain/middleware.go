package chain

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	"hush/crash"
	"hush/vault/caller"
	"hush/vault/fair"
	"hush/vault/session"
)

// middleware wraps the whole tree.
type middleware struct {
	sessions *session.Sessions
	log      *slog.Logger
	now      func() time.Time
	trusted  []netip.Prefix
	policies policies
	flight   *flight
	pace     Pace
	proxied  *fair.Limiter[caller.Network]
	origins  *http.CrossOriginProtection
	others   *crossOrigins // nil for none
	home     home
	signIns  *atomic.Uint64 // of this process
	warned   *forwardedWarnings
	observer Observer // nil for none
}

// wrap serves a request through next, with its caller in the context, and
// writes its one log line. The line has templates, codes and counts, but never
// a path, a query, a header or an address.
func (m *middleware) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := m.now()
		e := newExchange(w, r, &m.pace)
		serve := m.others.begin(&e.answer, r, next)
		addr, forwarded := m.peer(r)
		network := caller.NetworkOf(addr)
		if forwarded {
			if !m.proxied.Take(network, 1) {
				m.refuse(r, network, &e.answer, began)
				return
			}
			defer m.proxied.Give(network, 1)
		}
		m.authenticate(&e.record, r, network, began)
		e.record.route = m.template(r)
		r = r.WithContext(e)
		e.body.keep(r, &e.record, m.flight)
		e.body.arrival = arrival{pace: &m.pace, to: w, began: time.Now(), next: readStep}
		defer func() {
			e.record.body.release()
			if value := recover(); value != nil {
				m.panicked(&e.answer, r, &e.record, value)
			}
			m.note(r, &e.record, &e.answer, began)
		}()
		serve.ServeHTTP(&e.answer, r)
		e.answer.settle()
		e.record.body.drain(&e.answer, r, m.pace.Drain)
	})
}

// refuse refuses a request of a network that has too many, before anything else
// is checked.
func (m *middleware) refuse(r *http.Request, network caller.Network, answer *answer, began time.Time) {
	refuseRequest(answer, r)
	m.note(r, &record{
		caller: caller.Caller{Network: network}, route: m.template(r), code: connect.CodeUnavailable.String(),
		limit: limitProxied,
	}, answer, began)
}

// RouteUnknown is the route of requests that no route serves.
const RouteUnknown = "unknown"

// template returns the route of a request that no row of a table serves: the
// RPC, or RouteUnknown.
func (m *middleware) template(r *http.Request) string {
	if _, known := m.policies[r.URL.Path]; known {
		return r.URL.Path
	}
	return RouteUnknown
}

// panicked responds after a panic of a handler outside the RPC chain: to a call in its
// protocol, and to anything else with text.
func (m *middleware) panicked(w *answer, r *http.Request, rec *record, value any) {
	m.log.Error("panic", "route", rec.route, "type", crash.Type(value), "stack", crash.Frames())
	if rec.code == "" {
		rec.code = connect.CodeInternal.String()
	}
	switch {
	case w.status != 0: // the response has begun
	case isProcedure(r.URL.Path):
		refuseCall(w, r, http.StatusInternalServerError, connect.CodeInternal, "internal error")
	default:
		http.Error(w, "internal error", http.StatusInternalServerError)
	}
}

// note writes the request's log line, and counts the request.
func (m *middleware) note(r *http.Request, rec *record, w *answer, began time.Time) {
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	took := m.now().Sub(began)
	if m.observer != nil {
		m.observer.Responded(rec.route, cmp.Or(rec.code, codeNone), status, took)
		if rec.limit != "" {
			m.observer.Refused(rec.limit)
		}
	}
	level := slog.LevelInfo
	if rec.probe && status == http.StatusOK {
		level = slog.LevelDebug
	}
	if !m.log.Enabled(r.Context(), level) {
		return
	}
	method := r.Method
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default: // invented methods stay out of the log
		method = "other"
	}
	m.log.LogAttrs(r.Context(), level, "request",
		slog.String("method", method), slog.String("route", rec.route),
		slog.String("rpc", rec.procedure), slog.String("code", rec.code),
		slog.Int("status", status), slog.Int("bytes", w.bytes),
		slog.Duration("took", took),
		slog.String("proto", r.Proto), slog.String("network", rec.caller.Network.Masked()))
}
