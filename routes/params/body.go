package params

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"connectrpc.com/connect"

	"hush/routes/refusal"
)

// The media types of bodies that are read.
const (
	typeForm      = "application/x-www-form-urlencoded"
	typeMultipart = "multipart/form-data"
	typeJSON      = "application/json"
)

// Read reads the query, and the body of a method that has one. It refuses a
// body of more than most bytes. Its error is a *refusal.Error, or the error
// that stopped the reading.
func (n Names) Read(r *http.Request, most int64) (Params, error) {
	p := Params{names: n}
	var err error
	if r.URL.RawQuery != "" {
		if p.query, err = n.parseForm(r.URL.RawQuery); err != nil {
			return p, err
		}
		p.cut = n.cutIn(r.URL.RawQuery)
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Body == nil || r.Body == http.NoBody {
		return p, nil
	}
	if kind, _ := bodyType(r.Header.Values("Content-Type")); kind == "" {
		p.leftBody = r.ContentLength != 0 && !isEmpty(r)
	}
	p.body, err = n.readBody(r, most)
	return p, err
}

// isEmpty reports whether no byte arrives of a body that is not read.
func isEmpty(r *http.Request) bool {
	if r.ContentLength > 0 {
		return false
	}
	_, err := io.ReadFull(r.Body, make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// Unread refuses a body of a type that is not read, if one of the guarded parameters
// is declared, see Only: the body may hold it, and it would be lost. Other routes
// ignore such a body, and all ignore an empty one, because clients send both.
func (p Params) Unread() error {
	if !p.leftBody || !slices.ContainsFunc(p.declared, func(f Field) bool { return p.names.isGuard(f.Name) }) {
		return nil
	}
	return &refusal.Error{Class: refusal.ClassEncoding, Text: "the Content-Type of a body must be " + typeForm + ", " + typeMultipart + " or " + typeJSON}
}

func (n Names) readBody(r *http.Request, most int64) (source, error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, &refusal.Error{Class: refusal.ClassEncoding, Text: "a body with a Content-Encoding is not accepted"}
	}
	if r.ContentLength > most {
		return nil, errBodyTooLarge(most)
	}
	kind, boundary := bodyType(r.Header.Values("Content-Type"))
	if kind == "" {
		return source{}, nil
	}
	body, err := readUpTo(r.Body, most+1, r.ContentLength)
	switch {
	case err != nil:
		return nil, unreadable(err)
	case int64(len(body)) > most:
		return nil, errBodyTooLarge(most)
	case kind == typeJSON:
		return n.parseJSON(body)
	case kind == typeMultipart:
		return n.parseMultipart(body, boundary)
	}
	return n.parseFormBody(string(body))
}

// firstRead is the maximum memory for a body before any of it has arrived, which is
// not counted. After that, the memory follows what arrives, which is.
const firstRead = 1 << 10

// readUpTo reads everything, but at most that many bytes, from a reader that is
// expected to have a number of bytes.
func readUpTo(r io.Reader, most, expected int64) ([]byte, error) {
	// One byte more than expected, so that the end shows without growth.
	all := make([]byte, 0, max(bytes.MinRead, min(expected+1, firstRead)))
	for {
		if len(all) == cap(all) {
			all = slices.Grow(all, len(all))
		}
		n, err := r.Read(all[len(all):min(int64(cap(all)), most)])
		all = all[:len(all)+n]
		switch {
		case err == io.EOF || err == nil && int64(len(all)) == most: // a body that ends early returns another error
			return all, nil
		case err != nil:
			return all, err
		}
	}
}

// unreadable refuses an incomplete body. The service may have refused to read
// it.
func unreadable(err error) error {
	if refused, ok := errors.AsType[*connect.Error](err); ok {
		return refused
	}
	return refusal.Malformed("the body could not be read")
}

func errBodyTooLarge(most int64) error {
	return &refusal.Error{Class: refusal.ClassTooLarge, Text: fmt.Sprintf("the body must be at most %d bytes", most)}
}

// bodyType returns the media type for reading a body; empty means not to read
// it. Some clients send no Content-Type with a form, and some send two, the
// wrong one first.
func bodyType(headers []string) (kind, boundary string) {
	none := true
	for _, header := range headers {
		base, _, _ := strings.Cut(header, ";")
		base = strings.ToLower(strings.TrimSpace(base))
		switch base {
		case typeForm, typeJSON:
			return base, ""
		case typeMultipart:
			_, attributes, _ := mime.ParseMediaType(header)
			return base, attributes["boundary"]
		case "":
		default:
			none = false
		}
	}
	if none {
		return typeForm, ""
	}
	return "", ""
}
