package chain

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// sessionCookie is the cookie with a browser's session. Because of its prefix,
// browsers keep it for this host only and send it only over TLS or loopback.
const sessionCookie = "__Host-hush"

// lateBody is how long after its headers the body of a request may end for its
// answer to clear the session cookie.
const lateBody = 5 * time.Second

// cookies is what the answer to a request does to the browser's session cookie. It
// is decided when the answer's header is written.
type cookies struct {
	set    string // Set-Cookie of a new session; empty for none
	clears bool   // the session is over
	late   bool   // the body came so late that the browser may have another session

	sent    bool // the request has a session cookie
	began   time.Time
	now     func() time.Time
	signIns uint64         // of this process before the request
	all     *atomic.Uint64 // of this process; nil outside the middleware
}

// SetSession adds the session cookie to the response. It lasts as long as the
// browser runs, or until expires if that is set.
func SetSession(ctx context.Context, session string, expires time.Time) {
	record := recordFrom(ctx)
	if record == nil {
		return
	}
	record.cookies.set = (&http.Cookie{
		Name: sessionCookie, Value: session, Path: "/", Expires: expires,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}).String()
	if record.cookies.all != nil {
		record.cookies.all.Add(1)
	}
}

// ClearSession clears the browser's session cookie in the response, unless the
// browser may have got another session since it sent the request: a cookie is
// cleared by its name, whichever session it has. What stays is cleared by the answer
// to the next request, if it is of no use.
func ClearSession(ctx context.Context) {
	if record := recordFrom(ctx); record != nil {
		record.cookies.clears = true
	}
}

// apply puts the cookie into the header of an answer. What caches may give to others
// gets none.
func (c *cookies) apply(header http.Header) {
	switch {
	case c.set == "" && !c.clears, isPublic(header):
	case c.set != "":
		header.Set("Set-Cookie", c.set)
	case !c.late && (c.all == nil || c.all.Load() == c.signIns):
		header.Set("Set-Cookie", clearedSession)
	}
}

// clearedSession is the Set-Cookie that clears the session cookie.
const clearedSession = sessionCookie + "=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax"

// isPublic reports whether caches may give an answer to anyone.
func isPublic(header http.Header) bool {
	for _, value := range header["Cache-Control"] {
		for directive := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(directive), "public") {
				return true
			}
		}
	}
	return false
}
