package client

import (
	"net/url"
	"regexp"
	"slices"
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
	// collectProof opens an answer to a request besides; nil for others.
	collectProof seal.Hidden[endtoend.Proof]
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

// IsKey reports whether a text can be the key of a secret or of a receipt, at any server.
func IsKey(text string) bool { return keyPattern.MatchString(text) }

// ParseLink parses a link to a secret as people paste it: with white space or
// punctuation around it, line breaks in it, or with a # that a mail gateway escaped. It
// returns ErrLink with what is wrong: an end-to-end link of another length is incomplete,
// one with a character that no link has was changed, text behind a link may be its
// passphrase, and no server is asked to find out.
func ParseLink(text string) (Link, error) {
	link, err := parseLink(text)
	if err != nil || link.endToEnd != nil { // which has a length of its own
		return link, err
	}
	if first, broken := firstLine(text); broken {
		before, err := parseLink(first)
		if err == nil && hasGrown([]Text{before.Key}, []Text{link.Key}) {
			return Link{}, errTextBehind()
		}
	}
	if isOverlong(!link.Foreign, link.Key) {
		return Link{}, errOverlong()
	}
	return link, nil
}

func parseLink(text string) (Link, error) {
	u, behind, err := parsePasted(text)
	if err != nil {
		return Link{}, err
	}
	if server, ok := baseOf(u, "/e"); ok {
		parsed, err := parseFragment(u.Fragment)
		if err != nil {
			return Link{}, err
		}
		return EndToEndLink(server, parsed), nil
	}
	if isOfRequest(u) {
		return Link{}, otherLink(text)
	}
	if behind {
		return Link{}, errTextBehind()
	}
	if server, ok := baseOf(u, "/s"); ok {
		key, err := hushKey(u.Fragment)
		if err != nil {
			return Link{}, err
		}
		return Link{Server: server, Encryption: EncryptionServer, Key: key}, nil
	}
	if server, key, ok := keyBehind(u, "/secret/"); ok {
		return Link{Server: server, Encryption: EncryptionServer, Key: key, Foreign: true}, nil
	}
	if _, err := parseReceiptLink(text); err == nil {
		return Link{}, wrongLink("this is the link of a receipt; the secret has another link")
	}
	return Link{}, wrongLink("this is not the link of a secret")
}

// ParseReceiptLink parses a link to a receipt, or the bare key of one. It returns
// ErrLink for other texts, links to secrets among them.
func ParseReceiptLink(text string) (ReceiptLink, error) {
	link, err := parseReceiptLink(text)
	if err != nil {
		return ReceiptLink{}, err
	}
	if first, broken := firstLine(text); broken {
		if before, err := parseReceiptLink(first); err == nil && hasGrown(before.Keys, link.Keys) {
			return ReceiptLink{}, errTextBehind()
		}
	}
	if isOverlong(link.Server != "" && !link.Foreign, link.Keys...) {
		return ReceiptLink{}, errOverlong()
	}
	return link, nil
}

func parseReceiptLink(text string) (ReceiptLink, error) {
	if key, behind := trimPasted(text); !behind && IsKey(key) {
		return ReceiptLink{Keys: []Text{Hide(key)}}, nil
	}
	u, behind, err := parsePasted(text)
	if err != nil {
		return ReceiptLink{}, err
	}
	if isOfRequest(u) {
		return ReceiptLink{}, otherLink(text)
	}
	if behind {
		return ReceiptLink{}, errTextBehind()
	}
	if server, ok := baseOf(u, "/r"); ok {
		link := ReceiptLink{Server: server}
		for text := range strings.SplitSeq(u.Fragment, ".") {
			key, err := hushKey(text)
			if err != nil {
				return ReceiptLink{}, err
			}
			link.Keys = append(link.Keys, key)
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

// EndToEndLink returns the link at a server whose fragment is an end-to-end link.
func EndToEndLink(server string, parsed endtoend.Link) Link {
	return Link{Server: server, Encryption: EncryptionEndToEnd, Key: Hide(parsed.Key.Expose()), endToEnd: seal.Hide(parsed)}
}

// LinkSecret returns the secret of an end-to-end link, for the code that derives keys
// from it. Other links have none: it must not be called for them.
func (l Link) LinkSecret() endtoend.LinkSecret { return l.endToEnd().Secret }

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

func errOverlong() error {
	return wrongLink("the link was changed: it is too long for a link of its kind; copy the link again")
}

func errTextBehind() error {
	return wrongLink("there is other text beside the link: pass the link alone, on one line")
}

// parsePasted returns the URL in a pasted text. behind is that of trimPasted.
func parsePasted(text string) (u *url.URL, behind bool, err error) {
	text, behind = trimPasted(text)
	for _, escaped := range []string{"%2523", "%23"} {
		text = strings.Replace(text, escaped, "#", 1)
	}
	u, err = url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return nil, false, wrongLink("this is not a link: a link begins with https:// or http://")
	}
	if holdsTwo(text, u) {
		return nil, false, wrongLink("there is more than one link here: pass one at a time")
	}
	return u, behind, nil
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

// lineBreak is where a program broke a line, with the blanks that it left around.
var lineBreak = regexp.MustCompile(`\s*[\r\n\x{85}\x{2028}\x{2029}]\s*`)

// trimPasted removes what programs and people add to a link, line breaks within it
// included. behind reports whether blanks part it: the link has no other text in it then,
// such as a passphrase, which must not become a part of the key.
func trimPasted(text string) (link string, behind bool) {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	text = lineBreak.ReplaceAllString(strings.TrimSpace(text), "")
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>()[]{}\"'`.,;:!?*", r) })
	link = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	return link, link != text
}

// firstLine returns the first line of a text that has more than one.
func firstLine(text string) (line string, broken bool) {
	text = strings.TrimSpace(text)
	if at := lineBreak.FindStringIndex(text); at != nil {
		return text[:at[0]], true
	}
	return "", false
}

// keySize is the length of a whole key of Hush, and the least of any server's.
const keySize = 31

// hushKey returns the key behind the # of a link that only Hush makes. It may be too
// long, as with text of the next line: see isOverlong.
func hushKey(text string) (Text, error) {
	switch _, isToken := seal.ParseToken(text); {
	case keyStrange.MatchString(text) || len(text) == keySize && !isToken:
		return Text{}, errChanged()
	case len(text) < keySize:
		return Text{}, errIncomplete()
	default:
		return Hide(text), nil
	}
}

// isOverlong reports whether a key is longer than those of its kind: of Hush, or of any
// server. A whole end-to-end link behind the page of another one is such a key. It must
// not reach the server, which would read the content with it.
func isOverlong(ofHush bool, keys ...Text) bool {
	return slices.ContainsFunc(keys, func(key Text) bool {
		_, err := endtoend.ParseLink(key.Expose())
		return err == nil || ofHush && len(key.Expose()) > keySize
	})
}

// hasGrown reports whether the last key of a link's first line is longer in the whole
// text: what stands in the next line may be something else.
func hasGrown(first, whole []Text) bool {
	last := len(first) - 1
	key := first[last].Expose()
	return len(key) >= keySize && whole[last].Expose() != key
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
	if at < 0 || !IsKey(path[at+1:]) {
		return "", Text{}, false
	}
	server, ok = baseOf(&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path[:at+1] + "."}, page+".")
	return server, Hide(path[at+1:]), ok
}
