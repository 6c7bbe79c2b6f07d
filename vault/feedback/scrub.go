package feedback

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// scrubbed replaces what was removed from a text.
const scrubbed = "[removed]"

// What is removed. Secret and metadata keys and mailed tokens are runs of 31
// characters 0-9 and a-z. API tokens, session ids, and any of them in
// hexadecimal digits or base64 are longer runs.
var (
	scrubLink = regexp.MustCompile(`(?:[A-Za-z][A-Za-z0-9+.-]*:/)?/[^\s"'<>()\[\]{}?#]*(?:[?#]\S+)?`)
	scrubPath = regexp.MustCompile(`(?i)(/(?:secret|private|metadata|receipt|guest|s|verify|reset|forgot|address|invite)/)[^\s"'<>()\[\]{}]+`)
	scrubAuth = regexp.MustCompile(`(?i)\b(basic|bearer)[\s:]+[A-Za-z0-9+/=_.~-]{8,}`)
	scrubMail = regexp.MustCompile(`[^\s@<>()\[\]"',;:/?#]+(?:@|%40)[^\s@<>()\[\]"',;:/?#]*\.[\pL\pN-]{2,}`)
	scrubIPv4 = regexp.MustCompile(`(?:\b[A-Z][A-Za-z]*/)?\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b`)
	scrubIPv6 = regexp.MustCompile(`[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}(?:(?:\.[0-9]{1,3}){3})?`)
	scrubCode = regexp.MustCompile(`[0-9A-Za-z+/=_-]{40,}`)
	scrubKey  = regexp.MustCompile(`[0-9A-Za-z_-]*[0-9a-z]{31,}[0-9A-Za-z_-]*`)

	plainWord = regexp.MustCompile(`^\pL+$`)
	// position is the position in a script, after a query that is removed.
	position = regexp.MustCompile(`(?::[0-9]{1,7}){1,2}\)?$`)
	script   = regexp.MustCompile(`\.(?:[cm]?js|jsx|tsx?|vue)$`)
)

// scrub removes from a text what may open anything or identify a person: keys
// and tokens, everything after the paths that hold them, queries and fragments
// of links, credentials, e-mail addresses and IP addresses. In doubt it removes
// more. No run of 31 characters 0-9 and a-z is left.
func scrub(text string) string {
	text = scrubLink.ReplaceAllStringFunc(text, shortLink)
	text = scrubPath.ReplaceAllString(text, "${1}"+scrubbed)
	text = scrubAuth.ReplaceAllStringFunc(text, withoutCredential)
	text = scrubMail.ReplaceAllString(text, scrubbed)
	text = scrubIPv6.ReplaceAllStringFunc(text, withoutIPv6)
	text = scrubIPv4.ReplaceAllStringFunc(text, withoutIPv4)
	text = scrubCode.ReplaceAllString(text, scrubbed)
	return scrubKey.ReplaceAllString(text, scrubbed)
}

// scrubURL reduces the URL of a page to scheme, host and path, and scrubs
// those. It removes a text that is not a URL with a path as a whole.
func scrubURL(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Opaque != "" {
		return scrubbed
	}
	if u.Host == "" {
		return scrub(u.EscapedPath())
	}
	return scrub(u.Scheme + "://" + u.Host + u.EscapedPath())
}

// shortLink removes user, query and fragment from a link or path, and keeps the
// position in a script.
func shortLink(link string) string {
	tail := ""
	if end := strings.IndexAny(link, "?#"); end >= 0 {
		tail = "?" + scrubbed
		if script.MatchString(link[:end]) {
			tail += position.FindString(link[end:])
		}
		link = link[:end]
	}
	scheme, rest, absolute := strings.Cut(link, "://")
	if !absolute {
		return link + tail
	}
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		rest = host[at+1:] + "/" + path
	}
	return scheme + "://" + rest + tail
}

// withoutCredential removes a credential but keeps what reads like words, such
// as "basic understanding".
func withoutCredential(text string) string {
	at := strings.LastIndexAny(text, " \t\r\n\f\v:") + 1
	if plainWord.MatchString(text[at:]) && strings.ToLower(text[at:]) == text[at:] {
		return text
	}
	return text[:at] + scrubbed
}

// withoutIPv4 removes IPv4 addresses but keeps program versions, such as
// Chrome/126.0.0.0.
func withoutIPv4(text string) string {
	if strings.Contains(text, "/") {
		return text
	}
	return scrubbed
}

// withoutIPv6 removes IPv6 addresses but keeps text that only resembles one:
// times of day, positions in scripts, names in other languages.
func withoutIPv6(text string) string {
	address := strings.TrimPrefix(text, ":")
	if strings.HasPrefix(text, "::") {
		address = text
	}
	if !strings.ContainsAny(address, "0123456789") {
		return text
	}
	for _, candidate := range []string{address, strings.TrimSuffix(address, ":")} {
		if _, err := netip.ParseAddr(candidate); err == nil {
			return scrubbed
		}
	}
	return text
}
