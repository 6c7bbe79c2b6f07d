package pages

import (
	"net/http"
	"strconv"
)

// The referrer policies of pages.
const (
	noReferrer = "no-referrer"
	// ownReferrer is for pages with a form. Under no-referrer, browsers send
	// the form with the origin "null", and it would be refused as another
	// site's.
	ownReferrer = "same-origin"
)

// The cache policies of files.
const (
	notStored = "no-store"
	// kept is for files with a hash of their content in their name.
	kept = "public, max-age=31536000, immutable"
	// briefly is for files whose name stays when their content changes.
	briefly = "public, max-age=3600"
)

const typeHTML = "text/html; charset=utf-8"

// contentPolicy lets a page load only what this host serves. It allows no
// script or style within the page, and script URLs only through the client's
// one policy. The one frame that a page opens is a download; see downloadPath. No page
// can be shown in it: all have frame-ancestors 'none'.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types hush"

// permissions allows no feature of the visitor's machine except copying to the
// clipboard.
const permissions = "accelerometer=(), autoplay=(), camera=(), clipboard-read=(), clipboard-write=(self), " +
	"display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), " +
	"payment=(), publickey-credentials-get=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()"

// restrict sets the headers of every response outside the API; handlers may
// override them.
func restrict(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Permissions-Policy", permissions)
	h.Set("Referrer-Policy", noReferrer)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Cache-Control", notStored)
}

// restricted sets the headers before anything else happens, so that the
// response to a failed request has them, too.
func restricted(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		restrict(w.Header())
		next(w, r)
	}
}

func writeText(w http.ResponseWriter, status int, text string) {
	writeBytes(w, status, "text/plain; charset=utf-8", []byte(text))
}

// writeBytes writes a response outside the API.
func writeBytes(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
