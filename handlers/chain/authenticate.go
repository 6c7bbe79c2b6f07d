package chain

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"hush/locale"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/session"
)

// authTime is the maximum time to look up a credential.
const authTime = 5 * time.Second

// authenticate fills in the record of a request from a network. If a header
// has a credential, cookies are ignored, and every method refuses an invalid
// one. An unknown or expired session counts as no session, and its cookie is
// cleared. The same applies to any session on another host than the service's
// own. The language of the response is the account's, or else the browser's preferred
// one.
func (m *middleware) authenticate(rec *record, r *http.Request, network caller.Network, began time.Time) {
	*rec = record{
		caller:  caller.Caller{Network: network},
		safe:    r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions,
		home:    m.home.has(r.Host),
		foreign: m.origins.Check(r) != nil || strings.Contains(r.Header.Get("Origin"), "@"), // no browser sends a user name
		named:   m.others.names(r),
		agent:   r.UserAgent(),
		cookies: cookies{began: began, now: m.now, signIns: m.signIns.Load(), all: m.signIns},
	}
	site := caller.Site{Host: HostOf(r.Host), Page: !rec.foreign && saysOrigin(r.Header)}
	if headers := r.Header.Values("Authorization"); len(headers) > 0 {
		credential, ok := readAuthorization(headers)
		rec.refused, rec.ambient = !ok, browserMayAdd(r.Header)
		if ok {
			m.identify(r.Context(), rec, credential)
		}
	} else if sent := r.CookiesNamed(sessionCookie); len(sent) > 0 && (rec.foreign || m.fromElsewhere(r)) {
		rec.ambient = true
	} else if len(sent) > 0 {
		rec.cookies.sent = true
		m.resume(withRecord(r.Context(), rec), rec, caller.Text(sent[0].Value))
	}
	rec.caller.Site = site
	if chosen, ok := locale.Parse(rec.caller.Locale()); ok {
		rec.locale = chosen
	} else if accepted := r.Header.Get("Accept-Language"); accepted != "" {
		rec.locale = locale.Match(accepted)
	} else {
		rec.locale = locale.English
	}
}

// identify looks up a header's credential.
func (m *middleware) identify(ctx context.Context, rec *record, credential session.Credential) {
	ctx, cancel := context.WithTimeout(ctx, authTime)
	defer cancel()
	caller, err := m.sessions.Authenticate(ctx, rec.caller.Network, credential)
	switch {
	case err == nil:
		rec.caller = caller
	case errors.Is(err, refusal.ErrUnauthenticated):
		rec.refused = true
	default:
		rec.broken = err
	}
}

// resume looks up a cookie's session.
func (m *middleware) resume(ctx context.Context, rec *record, own caller.Text) {
	if !rec.home {
		ClearSession(ctx)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, authTime)
	defer cancel()
	caller, err := m.sessions.Authenticate(ctx, rec.caller.Network, session.Credential{Session: own})
	switch {
	case err == nil:
		rec.caller = caller
	case errors.Is(err, refusal.ErrUnauthenticated):
		ClearSession(ctx)
	default:
		rec.broken = err
	}
}

// readAuthorization parses the Authorization header: an address and a token
// (Basic), or a token (Bearer). It returns false for anything else, and for
// more than one header.
func readAuthorization(headers []string) (session.Credential, bool) {
	if len(headers) != 1 {
		return session.Credential{}, false
	}
	scheme, value, _ := strings.Cut(headers[0], " ")
	value = strings.TrimSpace(value)
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		return session.Credential{Token: caller.Text(value)}, value != ""
	case strings.EqualFold(scheme, "Basic"):
		raw, err := decodeBasic(value)
		address, token, found := strings.Cut(string(raw), ":")
		ok := err == nil && found && address != "" && token != ""
		return session.Credential{Address: caller.Text(address), Token: caller.Text(token)}, ok
	default:
		return session.Credential{}, false
	}
}

// decodeBasic decodes base64 with padding or, as some clients send it, without.
func decodeBasic(value string) ([]byte, error) {
	if strings.HasSuffix(value, "=") {
		return base64.StdEncoding.DecodeString(value)
	}
	return base64.RawStdEncoding.DecodeString(value)
}

// browserMayAdd reports whether a browser may have added the Authorization
// header by itself. It adds a name and a password that a user once typed
// (Basic) to every request that any web page causes. A Bearer token is set by a
// script that knows it. Other pages, such as those of extensions, have an
// origin that no web page can have.
func browserMayAdd(header http.Header) bool {
	scheme, _, _ := strings.Cut(header.Get("Authorization"), " ")
	return !strings.EqualFold(scheme, "Bearer") && !hasOwnScheme(header.Get("Origin"))
}

// hasOwnScheme reports whether an origin belongs to an extension or an
// installed program.
func hasOwnScheme(origin string) bool {
	scheme, _, found := strings.Cut(origin, "://")
	return found && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https")
}

// HostOf returns a host without its port.
func HostOf(host string) string {
	if strings.Contains(host, ":") { // without one, the error would cost memory
		if name, _, err := net.SplitHostPort(host); err == nil {
			return name
		}
	}
	return strings.Trim(host, "[]")
}
