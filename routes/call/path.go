package call

import (
	"net/http"
	"net/url"
)

// ReceiptNames returns the names that clients of different ages use in paths
// for a receipt.
func ReceiptNames() []string {
	return []string{"private", "metadata", "receipt"}
}

// RoutedPath returns the path that chi routes by.
func RoutedPath(r *http.Request) string {
	if r.URL.RawPath != "" {
		return r.URL.RawPath
	}
	return r.URL.Path
}

// UnescapeSegment unescapes a segment of a path. A segment with an invalid
// escape is a malformed key, and stays as it is.
func UnescapeSegment(segment string) string {
	if plain, err := url.PathUnescape(segment); err == nil {
		return plain
	}
	return segment
}
