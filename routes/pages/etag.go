package pages

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// newETag names a file's content. It is weak: the packed form has the same.
func newETag(content []byte) string {
	sum := sha256.Sum256(content)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// hasETag reports whether a request says that its sender holds the content
// that the tag names.
func hasETag(header http.Header, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, line := range header.Values("If-None-Match") {
		for held := range strings.SplitSeq(line, ",") {
			held = strings.TrimSpace(held)
			if held == "*" || strings.TrimPrefix(held, "W/") == opaque {
				return true
			}
		}
	}
	return false
}
