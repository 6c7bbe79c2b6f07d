package otstest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// params are what a request carries in its query and its body.
type params map[string]any

// errJSON is a body in JSON that cannot be parsed.
var errJSON = errors.New("malformed JSON")

// readParams reads the query and the body. A body without a Content-Type is a form.
func readParams(r *http.Request, withJSON bool) (params, error) {
	p := params{}
	p.add(r.URL.Query())
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) == 0 {
		return p, err
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "application/json" && withJSON:
		if json.Unmarshal(body, &p) != nil {
			return nil, errJSON
		}
	case kind == "application/x-www-form-urlencoded" || kind == "":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, err
		}
		p.add(form)
	}
	return p, nil
}

// add adds the values of a form. name[] is a list, and name[part] a part of a map.
func (p params) add(form url.Values) {
	for name, values := range form {
		whole, part, hasPart := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		switch {
		case hasPart && part == "":
			list := make([]any, len(values))
			for i, value := range values {
				list[i] = value
			}
			p[whole] = list
		case hasPart:
			inner, _ := p[whole].(map[string]any)
			if inner == nil {
				inner = map[string]any{}
			}
			inner[part] = values[len(values)-1]
			p[whole] = inner
		default:
			p[name] = values[len(values)-1]
		}
	}
}

func (p params) has(name string) bool { return p[name] != nil }

// text returns a text; a number counts as one. It returns false for what is a list or
// a map.
func (p params) text(name string) (string, bool) {
	switch value := p[name].(type) {
	case nil:
		return "", true
	case string:
		return value, true
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), true
	default:
		return "", false
	}
}

// number returns a whole number.
func (p params) number(name string) (int64, bool) {
	text, _ := p.text(name)
	value, err := strconv.ParseFloat(text, 64)
	return int64(value), err == nil
}

// list returns a list of texts.
func (p params) list(name string) []string {
	if text, ok := p[name].(string); ok {
		return []string{text}
	}
	values, _ := p[name].([]any)
	var texts []string
	for _, value := range values {
		if text, ok := value.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// isTrue reports whether a value is the text true, or, unless only texts count, the
// truth value.
func (p params) isTrue(name string, onlyText bool) bool {
	return p[name] == "true" || p[name] == true && !onlyText
}
