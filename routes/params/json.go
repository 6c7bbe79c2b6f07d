package params

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"hush/routes/refusal"
)

// parseJSON parses a JSON object into the pairs of an equivalent form.
// encoding/json replaces invalid Unicode and takes the last of two equal names.
// A secret must not change on its way, so parseJSON refuses both.
func (n Names) parseJSON(body []byte) (source, error) {
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		return source{}, nil
	}
	if !utf8.Valid(body) {
		return nil, refusal.Malformed("the body is not valid UTF-8")
	}
	w := jsonWalker{names: n, source: make(source), decoder: json.NewDecoder(bytes.NewReader(body))}
	w.decoder.UseNumber()
	if err := w.document(); err != nil {
		return nil, err
	}
	if loneSurrogate(body) {
		return nil, refusal.Malformed("the body has half of a surrogate pair")
	}
	return w.source, nil
}

type jsonWalker struct {
	names   Names
	source  source
	decoder *json.Decoder
	tokens  int
}

func errNotJSON() error {
	return refusal.Malformed("the body is not valid JSON")
}

func (w *jsonWalker) next() (json.Token, error) {
	token, err := w.decoder.Token()
	if err != nil {
		return nil, errNotJSON()
	}
	if w.tokens++; w.tokens > maxTokens {
		return nil, refusal.Invalid("a JSON body may have at most %d tokens", maxTokens)
	}
	return token, nil
}

func (w *jsonWalker) document() error {
	token, err := w.next()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return refusal.Malformed("the body is not a JSON object")
	}
	if err := w.object("", 1); err != nil {
		return err
	}
	if _, err := w.decoder.Token(); !errors.Is(err, io.EOF) {
		return errNotJSON()
	}
	return nil
}

// object reads everything after the opening brace.
func (w *jsonWalker) object(name string, depth int) error {
	seen := make(map[string]bool)
	for w.decoder.More() {
		token, err := w.next()
		if err != nil {
			return err
		}
		key, ok := token.(string)
		if !ok {
			return errNotJSON()
		}
		if seen[key] {
			return refusal.Invalid("%s was given more than once", w.names.inErrors(key))
		}
		seen[key] = true
		if name != "" {
			key = nestedName(name, key)
		}
		if err := w.value(key, depth); err != nil {
			return err
		}
	}
	if len(seen) == 0 && name != "" {
		w.names.addEmpty(w.source, name, true)
	}
	_, err := w.next()
	return err
}

// array reads everything after the opening bracket.
func (w *jsonWalker) array(name string, depth int) error {
	w.names.addEmpty(w.source, name, false)
	for w.decoder.More() {
		if err := w.value(nestedName(name, ""), depth); err != nil {
			return err
		}
	}
	_, err := w.next()
	return err
}

func (w *jsonWalker) value(name string, depth int) error {
	token, err := w.next()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		return w.nested(t, name, depth+1)
	case string:
		w.names.add(w.source, name, value{text: t})
	case json.Number:
		w.names.add(w.source, name, value{text: t.String(), literal: true})
	case bool:
		w.names.add(w.source, name, value{text: strconv.FormatBool(t), literal: true})
	case nil:
		w.names.addNull(w.source, name)
	}
	return nil
}

func (w *jsonWalker) nested(open json.Delim, name string, depth int) error {
	if depth > maxDepth {
		return refusal.Invalid("a JSON body may be nested at most %d deep", maxDepth)
	}
	if open == '{' {
		return w.object(name, depth)
	}
	return w.array(name, depth)
}

// loneSurrogate reports whether an escape is half of a surrogate pair. The body
// is valid JSON, so backslashes occur only in texts, and escapes are complete.
func loneSurrogate(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		first := escaped(body[i:])
		if i++; first < 0 || !utf16.IsSurrogate(first) {
			continue
		}
		second := escaped(body[min(i+5, len(body)):])
		if second < 0 || utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		i += 10
	}
	return false
}

// escaped parses \uXXXX and returns -1 for anything else.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
