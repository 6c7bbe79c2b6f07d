package chain

import (
	"context"
	"net/http"
	"time"

	"hush/vault/caller"
)

// sessionCookie holds a browser's session. Its prefix makes browsers keep it
// for this host alone and send it over TLS or loopback alone.
const sessionCookie = "__Host-hush"

// sessionFrom returns what the request's cookie holds; sent reports whether
// it has one. Of several the first counts.
func sessionFrom(r *http.Request) (session caller.Text, sent bool) {
	for _, cookie := range r.CookiesNamed(sessionCookie) {
		return caller.Text(cookie.Value), true
	}
	return "", false
}

// SetSession makes the answer give the browser a session. It lasts as long as
// the browser, or until expires if that is set.
func SetSession(ctx context.Context, session string, expires time.Time) {
	addCookie(ctx, &http.Cookie{
		Name: sessionCookie, Value: session, Path: "/", Expires: expires,
		Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// ClearSession makes the answer take the browser's session away.
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
