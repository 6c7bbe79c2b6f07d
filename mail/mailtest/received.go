package mailtest

import (
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"testing"
)

// link is an address in running text: it ends at a space or at a character that
// an address does not have.
var link = regexp.MustCompile(`https?://[^\s<>"]+`)

// Received is a message that the server accepted.
type Received struct {
	From string   // of the envelope, without brackets
	To   []string // of the envelope
	// Data is the message as sent, header and body, with \n as the line end.
	Data string
	// Params are what followed the address in MAIL, such as SMTPUTF8.
	Params string
	Hello  string // the client's greeting
	User   string // the authenticated user, or empty
	TLS    bool
}

// Header returns the first field of that name with its encoded words decoded,
// or "" if there is none.
func (r Received) Header(name string) string {
	m, err := r.parse()
	if err != nil {
		return ""
	}
	value := m.Header.Get(name)
	decoded, err := new(mime.WordDecoder).DecodeHeader(value)
	if err != nil {
		return value
	}
	return decoded
}

// Headers returns the number of fields of each name, in canonical form.
func (r Received) Headers() map[string]int {
	m, err := r.parse()
	if err != nil {
		return nil
	}
	counts := make(map[string]int)
	for name, values := range m.Header {
		counts[name] = len(values)
	}
	return counts
}

// Text returns the decoded text/plain part with \n as the line end, or "" if
// there is none.
func (r Received) Text() string { return r.part("text/plain") }

// HTML returns the decoded text/html part, or "" if there is none.
func (r Received) HTML() string { return r.part("text/html") }

// Link returns the first http or https URL of the text part. It ends the test
// if there is none.
func (r Received) Link(t testing.TB) string {
	t.Helper()
	found := link.FindString(r.Text())
	if found == "" {
		t.Fatalf("Link(): got none, want one in the text part:\n%s", r.Text())
	}
	return found
}

func (r Received) parse() (*mail.Message, error) {
	return mail.ReadMessage(strings.NewReader(r.Data))
}

// part returns the first part of a media type.
func (r Received) part(media string) string {
	m, err := r.parse()
	if err != nil {
		return ""
	}
	text, _ := find(entity{
		kind:     m.Header.Get("Content-Type"),
		encoding: m.Header.Get("Content-Transfer-Encoding"),
		body:     m.Body,
	}, media)
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// entity is a message or one of its parts.
type entity struct {
	kind, encoding string
	body           io.Reader
}

// find looks for a media type in e and the parts of e.
func find(e entity, media string) (text string, ok bool) {
	kind, params, err := mime.ParseMediaType(e.kind)
	if err != nil {
		kind = "text/plain"
	}
	if !strings.HasPrefix(kind, "multipart/") {
		return decode(e), kind == media
	}
	for parts := multipart.NewReader(e.body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err != nil {
			return "", false
		}
		inner := entity{part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), part}
		if text, ok := find(inner, media); ok {
			return text, true
		}
	}
}

// decode undoes the transfer encoding, up to the first invalid part.
func decode(e entity) string {
	body := e.body
	switch strings.ToLower(e.encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, _ := io.ReadAll(body)
	return string(text)
}
