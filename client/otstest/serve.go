package otstest

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
)

// object is an object in JSON.
type object map[string]any

// Serve answers a request as the release does.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	w.Header().Set("Date", s.store.options.Now().UTC().Format(http.TimeFormat))
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/v1/"):
		s.v1.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, "/api/v2/") && s.store.options.Release.HasV2():
		s.v2.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, "/api/v2/"):
		write(w, http.StatusNotFound, object{"message": "Not Found"})
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<!doctype html><title>Not Found</title>"))
	}
}

// caller is who calls.
type caller struct {
	// custid is the account; empty for none.
	custid string
	// isWrong reports whether the credentials are wrong.
	isWrong bool
}

// caller returns who calls. Names of accounts are compared as they are written.
func (s *store) caller(r *http.Request) caller {
	header := r.Header.Get("Authorization")
	if header == "" {
		return caller{}
	}
	user, password, ok := r.BasicAuth()
	token, known := s.options.Accounts[user]
	if !ok || !known || password == "" || token != password {
		return caller{isWrong: true}
	}
	return caller{custid: user}
}

// request is a request with its parameters.
type request struct {
	http   *http.Request
	params params
	caller caller
	// key is that of the path.
	key string
}

// write writes a value in JSON. Characters of HTML are written as they are.
func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) //nolint:errchkjson // the objects of this package
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// with returns an object with more members.
func (o object) with(more object) object {
	all := maps.Clone(o)
	maps.Copy(all, more)
	return all
}

// orNull returns nil for an empty text.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
