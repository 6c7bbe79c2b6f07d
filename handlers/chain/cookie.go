package chain

import (
	"context"
	"net/http"
	"time"

	"hush/vault/caller"
)

// sessionCookie is the cookie with a browser's session. Because of its prefix,
// browsers keep it for this host only and send it only over TLS or loopback.
const sessionCookie = "__Host-hush"

// sessionFrom returns the value of the request's session cookie, the first if
// there are several. sent reports whether there is one.
func sessionFrom(r *http.Request) (session caller.Text, sent bool) {
	for _, cookie := range r.CookiesNamed(sessionCookie) {
		return caller.Text(cookie.Value), true
	}
	return "", false
}

// SetSession adds the session cookie to the response. It lasts as long as the
// browser runs, or until expires if that is set.
func SetSession(ctx context.Context, session string, expires time.Time) {
	addCookie(ctx, &http.Cookie{
		Name: sessionCookie, Value: session, Path: "/", Expires: expires,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// ClearSession clears the browser's session cookie in the response.
func ClearSession(ctx context.Context) {
	addCookie(ctx, &http.Cookie{
		Name: sessionCookie, Path: "/", MaxAge: -1,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func addCookie(ctx context.Context, cookie *http.Cookie) {
	if record := recordFrom(ctx); record != nil && record.header != nil {
		record.header.Set("Set-Cookie", cookie.String())
	}
}
