package client

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"hush/seal"
	"hush/seal/endtoend"
)

// Link is a link to a secret. It prints as [redacted] except for its server.
type Link struct {
	// Server is the base URL of the link, without a slash at the end.
	Server string
	// Encryption is what the link says of the secret: end-to-end for /e, the server
	// for all others.
	Encryption Encryption
	// Key is the key of the secret: all of the link that a server is told.
	Key Text
	// Foreign reports whether the link has the path of a Onetime Secret server,
	// /secret/KEY. Hush serves such links too.
	Foreign bool

	// endToEnd is an end-to-end link whole; nil for others. fmt cannot call the
	// methods of an unexported field, and would show the key in it.
	endToEnd seal.Hidden[endtoend.Link]
}

// ReceiptLink is a link to a receipt. Anyone who has it can burn the secret.
type ReceiptLink struct {
	// Server is the base URL of the link; empty where a bare key was parsed.
	Server string
	// Keys are the key of one receipt, or those of a group.
	Keys []Text
	// Foreign is as in Link, for /private/KEY, /receipt/KEY and /metadata/KEY.
	Foreign bool
}

var (
	// keyPattern is a key of Hush, or of any Onetime Secret server: those of some
	// releases are longer.
	keyPattern = regexp.MustCompile(`^[0-9A-Za-z_-]{20,80}$`)
	// keyStrange and fragmentStrange are characters that no key, and no fragment of an
	// end-to-end link, has.
	keyStrange      = regexp.MustCompile(`[^0-9A-Za-z_-]`)
	fragmentStrange = regexp.MustCompile(`[^0-9A-Za-z]`)
)

// ParseLink parses a link to a secret as people paste it: with white space or
// punctuation around it, or with a # that a mail gateway escaped. It returns
// ErrLink with what is wrong: an end-to-end link of another length is incomplete, one
// with a character that no link has was changed, and no server is asked to find out.
func ParseLink(text string) (Link, error) {
	u, err := parsePasted(text)
	if err != nil {
		return Link{}, err
	}
	if server, ok := baseOf(u, "/e"); ok {
		parsed, err := endtoend.ParseLink(u.Fragment)
		switch {
		case errors.Is(err, endtoend.ErrLink) || fragmentStrange.MatchString(u.Fragment):
			return Link{}, errChanged()
		case err != nil:
			return Link{}, errIncomplete()
		}
		return endToEndLink(server, parsed), nil
	}
	if server, ok := baseOf(u, "/s"); ok {
		switch {
		case keyPattern.MatchString(u.Fragment):
			return Link{Server: server, Encryption: EncryptionServer, Key: Hide(u.Fragment)}, nil
		case keyStrange.MatchString(u.Fragment):
			return Link{}, errChanged()
		}
	}
	if server, key, ok := keyBehind(u, "/secret/"); ok {
		return Link{Server: server, Encryption: EncryptionServer, Key: key, Foreign: true}, nil
	}
	if _, err := ParseReceiptLink(text); err == nil {
		return Link{}, wrongLink("this is the link of a receipt; the secret has another link")
	}
	return Link{}, wrongLink("this is not the link of a secret")
}

// ParseReceiptLink parses a link to a receipt, or the bare key of one. It returns
// ErrLink for other texts, links to secrets among them.
func ParseReceiptLink(text string) (ReceiptLink, error) {
	if key := trimPasted(text); keyPattern.MatchString(key) {
		return ReceiptLink{Keys: []Text{Hide(key)}}, nil
	}
	u, err := parsePasted(text)
	if err != nil {
		return ReceiptLink{}, err
	}
	if server, ok := baseOf(u, "/r"); ok {
		link := ReceiptLink{Server: server}
		for key := range strings.SplitSeq(u.Fragment, ".") {
			switch {
			case keyStrange.MatchString(key):
				return ReceiptLink{}, errChanged()
			case !keyPattern.MatchString(key):
				return ReceiptLink{}, errIncomplete()
			}
			link.Keys = append(link.Keys, Hide(key))
		}
		return link, nil
	}
	for _, page := range []string{"/private/", "/receipt/", "/metadata/"} {
		if server, key, ok := keyBehind(u, page); ok {
			return ReceiptLink{Server: server, Keys: []Text{key}, Foreign: true}, nil
		}
	}
	for _, path := range []string{"/e", "/s"} {
		if _, ok := baseOf(u, path); ok {
			return ReceiptLink{}, wrongLink("this is not the link of a receipt, but of a secret: its receipt has another link")
		}
	}
	return ReceiptLink{}, wrongLink("this is not the link of a receipt")
}

// endToEndLink returns the link of a parsed fragment.
func endToEndLink(server string, parsed endtoend.Link) Link {
	return Link{Server: server, Encryption: EncryptionEndToEnd, Key: Hide(parsed.Key.Expose()), endToEnd: seal.Hide(parsed)}
}

// Expose returns the link, for the code that shows it to its owner.
func (l Link) Expose() string {
	switch {
	case l.Encryption == EncryptionEndToEnd:
		return l.Server + "/e#" + l.endToEnd().Expose()
	case l.Foreign:
		return l.Server + "/secret/" + l.Key.Expose()
	default:
		return l.Server + "/s#" + l.Key.Expose()
	}
}

// Expose returns the link, for the code that shows it to its owner.
func (l ReceiptLink) Expose() string {
	keys := make([]string, len(l.Keys))
	for i, key := range l.Keys {
		keys[i] = key.Expose()
	}
	switch joined := strings.Join(keys, "."); {
	case l.Server == "":
		return joined
	case l.Foreign:
		return l.Server + "/private/" + joined
	default:
		return l.Server + "/r#" + joined
	}
}

func wrongLink(message string) error { return &Error{Kind: KindLink, Message: message} }

func errIncomplete() error {
	return wrongLink("the link is not complete: copy all of it, up to its last character")
}

func errChanged() error {
	return wrongLink("the link was changed: it has a character that does not belong there; copy the link again")
}

// parsePasted returns the URL in a pasted text.
func parsePasted(text string) (*url.URL, error) {
	text = trimPasted(text)
	for _, escaped := range []string{"%2523", "%23"} {
		text = strings.Replace(text, escaped, "#", 1)
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return nil, wrongLink("this is not a link: a link begins with https:// or http://")
	}
	if holdsTwo(text, u) {
		return nil, wrongLink("there is more than one link here: pass one at a time")
	}
	return u, nil
}

// holdsTwo reports whether two links were pasted together, the second maybe without its
// beginning: the key of the second must not go to the host of the first.
func holdsTwo(text string, u *url.URL) bool {
	if strings.Count(text, "://") > 1 || strings.Contains(u.Path, "://") || strings.Contains(u.Fragment, "://") {
		return true
	}
	pages := 0
	for _, page := range []string{"/secret/", "/private/", "/receipt/", "/metadata/"} {
		pages += strings.Count(u.Path, page)
	}
	return pages > 1 || pages == 1 && strings.Contains(u.Fragment, "/")
}

// trimPasted removes what programs and people add to a link, line breaks within
// it included.
func trimPasted(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	return strings.Trim(text, "<>()[]{}\"'`.,;:!?*")
}

// baseOf returns the base URL of a link whose path ends in a page.
func baseOf(u *url.URL, page string) (string, bool) {
	path, ok := strings.CutSuffix(strings.TrimRight(u.Path, "/"), page)
	if !ok {
		return "", false
	}
	base := url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: strings.TrimRight(path, "/")}
	return base.String(), true
}

// keyBehind returns the base URL and the key of a link that has its key in its path.
func keyBehind(u *url.URL, page string) (server string, key Text, ok bool) {
	path := strings.TrimRight(u.Path, "/")
	at := strings.LastIndex(path, "/")
	if at < 0 || !keyPattern.MatchString(path[at+1:]) {
		return "", Text{}, false
	}
	server, ok = baseOf(&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path[:at+1] + "."}, page+".")
	return server, Hide(path[at+1:]), ok
}
