package routes

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"hush/routes/call"
)

// onePath serves all spellings of a path under the one that the routes have. It
// unescapes what a client escaped without need, and treats repeated slashes
// before /api and between it and the version as one: in the field, base URLs
// end in a slash. Any other empty segment stays, and an escaped slash is part
// of its segment. It redirects no client: most of them lose the body on the
// way.
func onePath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawPath != "" || strings.Contains(r.URL.Path, "//") {
			r = respelled(r)
		}
		next.ServeHTTP(w, r)
	})
}

// respelled returns the request with its path in the routes' spelling. RawPath
// stays empty unless a segment contains a slash: chi routes by it if it is set.
func respelled(r *http.Request) *http.Request {
	segments := strings.Split(call.RoutedPath(r), "/")
	if r.URL.RawPath != "" {
		for i, segment := range segments {
			segments[i] = call.UnescapeSegment(segment)
		}
	}
	segments = oneSlash(segments)
	own, address := *r, *r.URL
	own.URL = &address
	address.Path, address.RawPath = strings.Join(segments, "/"), ""
	if slices.ContainsFunc(segments, func(s string) bool { return strings.Contains(s, "/") }) {
		for i, segment := range segments {
			segments[i] = url.PathEscape(segment)
		}
		address.RawPath = strings.Join(segments, "/")
	}
	return &own
}

// oneSlash removes the empty segments before and after api. It leaves paths
// outside the API unchanged.
func oneSlash(segments []string) []string {
	named := func(s string) bool { return s != "" }
	at := slices.IndexFunc(segments, named)
	if at < 1 || segments[at] != "api" {
		return segments
	}
	rest := segments[at+1:]
	if next := slices.IndexFunc(rest, named); next > 0 {
		rest = rest[next:]
	}
	return append([]string{"", "api"}, rest...)
}
