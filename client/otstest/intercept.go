package otstest

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// Intercept is what something between a client and a server does to a request.
type Intercept func(s *Server, w http.ResponseWriter, r *http.Request) bool

// On restricts an intercept to calls of one kind: a method and the end of a path.
func On(method, suffix string, do Intercept) Intercept {
	return func(s *Server, w http.ResponseWriter, r *http.Request) bool {
		return r.Method == method && strings.HasSuffix(r.URL.Path, suffix) && do(s, w, r)
	}
}

// OnReveal restricts an intercept to reveals, at the paths of all releases.
func OnReveal(do Intercept) Intercept {
	return func(s *Server, w http.ResponseWriter, r *http.Request) bool {
		return IsReveal(s.Release(), r.Method, r.URL.Path) && do(s, w, r)
	}
}

// IsReveal reports whether a request can reveal. The oldest release does not know the
// path of later ones.
func IsReveal(release Release, method, path string) bool {
	isLater := strings.HasSuffix(path, "/reveal")
	return method == http.MethodPost && strings.Contains(path, "/secret/") && !strings.HasSuffix(path, "/conceal") &&
		(!isLater || release != ReleaseREF)
}

// cut ends the connection of a request without an answer, or with what was written of it
// so far, and does not return. A handler panics with this value to say so: net/http
// recovers it, logs nothing, and closes the connection, or over HTTP/2 the stream.
func cut() bool {
	panic(http.ErrAbortHandler) //nolint:forbidigo // how net/http is told to break off
}

// CutBefore cuts the connection before the server gets the request.
func CutBefore(*Server, http.ResponseWriter, *http.Request) bool {
	return cut()
}

// CutAfter cuts the connection after the server did what it was asked for.
func CutAfter(s *Server, _ http.ResponseWriter, r *http.Request) bool {
	s.Serve(httptest.NewRecorder(), r)
	return cut()
}

// CutWithin cuts the connection in the middle of the answer.
func CutWithin(s *Server, w http.ResponseWriter, r *http.Request) bool {
	answer := httptest.NewRecorder()
	s.Serve(answer, r)
	body := answer.Body.Bytes()
	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	return cut()
}

// Gateway answers with a page, after it passed the request on or not.
func Gateway(status int, passed bool) Intercept {
	return func(s *Server, w http.ResponseWriter, r *http.Request) bool {
		if passed {
			s.Serve(httptest.NewRecorder(), r)
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<html><h1>Bad Gateway</h1>{")
		return true
	}
}

// RepliesWith answers with a text in JSON, after it passed the request on or not.
func RepliesWith(status int, body string, passed bool) Intercept {
	return func(s *Server, w http.ResponseWriter, r *http.Request) bool {
		if passed {
			s.Serve(httptest.NewRecorder(), r)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}
