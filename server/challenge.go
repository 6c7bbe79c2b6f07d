package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"hush/crash"
	"hush/server/connections"
)

// The bounds on the port without TLS. A request there is one line and a redirect.
const (
	plainConns     = 128
	plainPerNet    = 16
	plainLingering = 16
	plainTime      = 5 * time.Second
	plainHeader    = 16 << 10
)

// plainText is the response to what the port without TLS refuses.
const plainText = "This port has no encryption. Use https. Nothing of the request was used.\n"

// servePlain serves the port without TLS until the returned function is called.
func (s *server) servePlain(answers func(http.ResponseWriter, *http.Request) bool, verified func(context.Context, string) (bool, error)) (stop func()) {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	plain := &http.Server{
		Handler:   plainHandler(s.base, answers, verified),
		Protocols: &protocols, MaxHeaderBytes: plainHeader,
		ReadHeaderTimeout: plainTime, ReadTimeout: plainTime, WriteTimeout: plainTime, IdleTimeout: plainTime,
		ErrorLog:                     slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // see newServer
		DisableGeneralOptionsHandler: true,
	}
	limited := connections.NewListener(s.plain, connections.Limits{
		Total: plainConns, PerNetwork: plainPerNet, Lingering: plainLingering, Exempt: s.TrustedProxies,
		Requests: plainConns, RequestsPerNetwork: plainPerNet, Refused: func() {},
	})
	limited.Attach(plain)
	plain.SetKeepAlivesEnabled(false) // one redirect, and the client is elsewhere
	served := make(chan struct{})
	go crash.Guard(s.log, func() {
		defer close(served)
		if err := plain.Serve(limited); !errors.Is(err, net.ErrClosed) {
			s.log.Error("the port without TLS is not served any more", "cause", err)
		}
	})
	return func() {
		_ = limited.Close()
		<-served
		limited.Retire()
		letGo(limited)
		ctx, cancel := context.WithTimeout(context.Background(), plainTime)
		defer cancel()
		if plain.Shutdown(ctx) != nil {
			_ = plain.Close()
		}
	}
}

// plainHandler answers challenges, redirects who asks for a page, and refuses
// everything else. A redirected POST would send its secret twice, the first time
// in the clear, and no one would notice; so it fails, with its body unread.
func plainHandler(base *url.URL, answers func(http.ResponseWriter, *http.Request) bool, verified func(context.Context, string) (bool, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if answers(w, r) {
			return
		}
		if host, ok := secureHost(base, r, verified); ok && asksForPage(r) {
			target := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
			http.Redirect(w, r, target.String(), http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Connection", "close")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, plainText)
	})
}

// asksForPage reports whether a request can be repeated over TLS. Requests of
// programs are not: their credentials or texts are in them, and their authors
// must notice.
func asksForPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if r.ContentLength != 0 || r.Header.Get("Authorization") != "" || !strings.HasPrefix(r.URL.Path, "/") {
		return false
	}
	first, rest, deeper := strings.Cut(strings.TrimPrefix(path.Clean(r.URL.Path), "/"), "/")
	rpc := deeper && rest != "" && strings.Contains(first, ".")
	return first != "api" && !rpc
}

// secureHost returns the host that has the same page over TLS, if it is this
// service's.
func secureHost(base *url.URL, r *http.Request, verified func(context.Context, string) (bool, error)) (host string, ok bool) {
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if strings.EqualFold(name, base.Hostname()) {
		return base.Host, true
	}
	if ok, err := verified(r.Context(), name); err != nil || !ok {
		return "", false
	}
	if base.Port() != "" {
		name = net.JoinHostPort(name, base.Port())
	}
	return name, true
}
