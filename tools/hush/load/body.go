package main

import (
	"bytes"
	"io"
)

// body reads what follows the header: length bytes, or chunks. A response
// that only ends with its connection is not what Hush sends to a keep-alive
// client, and is refused.
func (w *wire) body(length int, chunked bool) ([]byte, error) {
	if chunked {
		return w.chunks()
	}
	if length < 0 {
		return nil, errMalformed
	}
	if length <= w.in.Size() {
		// No copy: the slice lies in the reader's buffer.
		body, err := w.in.Peek(length)
		if err != nil {
			return nil, err
		}
		_, err = w.in.Discard(length)
		return body, err
	}
	w.chunked = append(w.chunked[:0], make([]byte, length)...)
	_, err := io.ReadFull(w.in, w.chunked)
	return w.chunked, err
}

// chunks reads a chunked body, which net/http sends for bodies over 2 KiB
// whose length the handler did not state.
func (w *wire) chunks() ([]byte, error) {
	w.chunked = w.chunked[:0]
	for {
		line, err := w.line()
		if err != nil {
			return nil, err
		}
		digits, _, _ := bytes.Cut(line, []byte(";"))
		size, err := parseLength(bytes.TrimSpace(digits), 16)
		if err != nil {
			return nil, err
		}
		if size == 0 {
			return w.chunked, w.trailer()
		}
		at := len(w.chunked)
		if at+size > maxBody {
			return nil, errMalformed
		}
		w.chunked = append(w.chunked, make([]byte, size)...)
		if _, err := io.ReadFull(w.in, w.chunked[at:]); err != nil {
			return nil, err
		}
		if line, err = w.line(); err != nil {
			return nil, err
		}
		if len(line) != 0 {
			return nil, errMalformed
		}
	}
}

// trailer skips to the end of the response.
func (w *wire) trailer() error {
	for range maxHeaderLines {
		line, err := w.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			return nil
		}
	}
	return errMalformed
}

// field returns the string member called name in a JSON text, wherever it
// stands, as it is written there. It is enough for keys and for the values
// that this program concealed, which need no escapes: a value that came back
// with some is not the one that was sent.
func field(text []byte, name string) ([]byte, bool) {
	for {
		at := bytes.Index(text, []byte(name))
		if at < 0 {
			return nil, false
		}
		quoted := at > 0 && text[at-1] == '"'
		text = text[at+len(name):]
		rest, ok := bytes.CutPrefix(text, []byte(`"`))
		if !quoted || !ok {
			continue
		}
		// protojson puts a space after some colons, at random by design.
		rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
		if !ok {
			continue
		}
		rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"`))
		if !ok {
			continue
		}
		end := bytes.IndexByte(rest, '"')
		if end < 0 {
			return nil, false
		}
		return rest[:end], true
	}
}
