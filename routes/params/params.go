// Package params reads the parameters of a legacy request besides its path, by
// name: from the query, and from a body that is a form, multipart or JSON.
//
// It promises to take what was sent exactly or to refuse it: it truncates,
// replaces and guesses nothing, and never takes one parameter from two places.
// Its errors are *refusal.Error. They name a parameter only if a route reads it,
// or if it is a near miss (see Params.NearMiss), and never contain a value.
//
// A Field describes a parameter once, beside the route that takes it. A Filler puts what
// was sent into the message of the route's RPC, Names has what errors may show, and
// documents are made of the same fields. Package call reads every request with it.
package params

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hush/routes/refusal"
)

// value is one value of a parameter. A literal is a JSON number or boolean as
// spelled.
type value struct {
	text    string
	literal bool
}

// param is everything that one source has under one name.
type param struct {
	values []value // given as a single value, which may be wrong
	items  []value // given as elements of a list
	list   bool    // given as a list, perhaps an empty one
	object bool    // given as an object
	null   bool    // given as null, which most routes treat as absent
}

// source holds the parameters of a query or a body by their plain names:
// ttl for ttl, secret[ttl] and {"secret":{"ttl":..}} alike, and
// character_sets[numbers] for what is nested.
type source map[string]*param

// Params are the parameters of a request besides its path. The path's key is
// separate, so that no parameter can replace it.
type Params struct {
	names       Names
	body, query source
	cut         []string // the parameters of the query that may be cut off at &
	leftBody    bool     // there is a body, of a type that is not read
	limited     bool     // to the declared parameters
	declared    []Field
}

// sources returns the body, which takes precedence, and the query.
func (p Params) sources() [2]source { return [2]source{p.body, p.query} }

// Only returns the parameters for a decoder that reads only declared ones.
// Looking up any other is an error, so that an incomplete declaration shows at
// once.
func (p Params) Only(fields []Field) Params {
	p.limited, p.declared = true, fields
	return p
}

// declares reports whether a parameter itself is declared.
func (p Params) declares(name string) bool {
	return slices.ContainsFunc(p.declared, func(f Field) bool { return f.Name == name })
}

// check returns an error for a parameter that is not declared.
func (p Params) check(name string) error {
	if p.limited && !p.declares(name) && !p.declares(AnyName) {
		return fmt.Errorf("parameter %s is not declared", name)
	}
	return nil
}

func (s source) at(name string) *param {
	p := s[name]
	if p == nil {
		p = new(param)
		s[name] = p
	}
	return p
}

// place finds where the value of a name belongs, and reports whether it is an
// element of a list. It returns nil for names that no route reads: with
// unbalanced brackets, nested in a list, or nested deeper than maxLevels. Their
// parent still counts as an object.
func (n Names) place(s source, name string) (p *param, list bool) {
	if name != "" && len(name) <= maxName && !strings.ContainsAny(name, "[]") {
		return s.at(name), false
	}
	parts, list := splitName(name)
	if parts == nil {
		s.keepMiss(name, n.guards)
		return nil, false
	}
	plain := parts[0]
	for level, part := range parts[1:] {
		s.at(plain).object = true
		if part == "" || level == maxLevels {
			s.keepMiss(parts[0]+"["+strings.Join(parts[1:], "][")+"]", n.guards)
			return nil, false
		}
		plain += "[" + part + "]"
	}
	return s.at(plain), list
}

// add adds a pair of a form.
func (n Names) add(s source, name string, v value) {
	p, list := n.place(s, name)
	switch {
	case p == nil:
	case list:
		p.list = true
		p.items = append(p.items, v)
	default:
		p.values = append(p.values, v)
	}
}

// addEmpty adds an empty list or object, which no form can express. An empty
// wrapper has no effect.
func (n Names) addEmpty(s source, name string, object bool) {
	if object && name == "secret" {
		return
	}
	if p, _ := n.place(s, name+"[]"); p != nil {
		p.object = p.object || object
		p.list = p.list || !object
	}
}

// addNull adds a JSON null.
func (n Names) addNull(s source, name string) {
	if p, list := n.place(s, name); p != nil && !list {
		p.null = true
	}
}

// scalar is Params.scalar for one source.
func (s source) scalar(name string) (v value, ok bool, err error) {
	p := s[name]
	switch {
	case p == nil:
		return value{}, false, nil
	case p.list || p.object:
		return value{}, false, notSingle(name)
	case len(p.values) > 1:
		return value{}, false, refusal.Invalid("%s was given more than once", name)
	case len(p.values) == 0:
		return value{}, false, nil
	case !utf8.ValidString(p.values[0].text):
		return value{}, false, notUTF8(name)
	}
	return p.values[0], true, nil
}

// scalar returns the single value of a parameter; ok is false if there is none.
// An empty value counts only if there is no other.
func (p Params) scalar(name string) (v value, ok bool, err error) {
	if err := p.check(name); err != nil {
		return value{}, false, err
	}
	for _, s := range p.sources() {
		found, here, err := s.scalar(name)
		if err != nil {
			return value{}, false, err
		}
		if here && (!ok || v.text == "") {
			v, ok = found, true
		}
	}
	return v, ok, nil
}

// Text returns the single value of a parameter, or an empty text.
func (p Params) Text(name string) (string, error) {
	v, _, err := p.scalar(name)
	return v.text, err
}

// verbatim returns the single value of a parameter that must be text. It
// refuses a JSON number or boolean, whose text is unclear.
func (p Params) verbatim(name string) (string, error) {
	v, _, err := p.scalar(name)
	if err == nil && v.literal {
		return "", errNotText(name)
	}
	return v.text, err
}

// spoken returns the single value of a parameter that people tell each other: text, or
// the number that JSON has in its place. It refuses a boolean, which is no such text.
func (p Params) spoken(name string) (string, error) {
	v, _, err := p.scalar(name)
	if err == nil && v.literal && (v.text == "true" || v.text == "false") {
		return "", errNotText(name)
	}
	return v.text, err
}

// IsNull reports whether a parameter was given as null.
func (p Params) IsNull(name string) bool {
	for _, s := range p.sources() {
		if s[name] != nil && s[name].null {
			return true
		}
	}
	return false
}

// IsObject reports whether a parameter was given as an object, even an empty
// one.
func (p Params) IsObject(name string) bool {
	for _, s := range p.sources() {
		if s[name] != nil && s[name].object {
			return true
		}
	}
	return false
}

// Optional returns the single value of a parameter, or nil if it was not given.
func (p Params) Optional(name string) (*string, error) {
	v, ok, err := p.scalar(name)
	if err != nil || !ok {
		return nil, err
	}
	return &v.text, nil
}

// file returns the bytes of a part of the body, or nil. They need not be text.
func (p Params) file(name string) ([]byte, error) {
	if err := p.check(name); err != nil {
		return nil, err
	}
	found := p.body[name]
	switch {
	case found == nil || len(found.values) == 0:
		return nil, nil
	case len(found.values) > 1:
		return nil, refusal.Invalid("%s was given more than once", name)
	case found.values[0].text == "":
		return nil, nil
	default:
		return []byte(found.values[0].text), nil
	}
}

// Others returns all single values except the named ones. Anything but a single
// text is an error, which contains a name only if routes know it: the other
// names are the caller's.
func (p Params) Others(names ...string) (map[string]string, error) {
	found := map[string]string{}
	for _, s := range p.sources() {
		for name := range s {
			if slices.Contains(names, name) {
				continue
			}
			v, ok, err := p.scalar(name)
			if err != nil {
				return nil, refusal.Invalid("%s must be a single text", p.names.inErrors(name))
			}
			if ok {
				found[name] = v.text
			}
		}
	}
	return found, nil
}

// keys returns the keys in a parameter: a text with keys separated by commas or
// spaces, or a list of such texts.
func (p Params) keys(name string) (keys []string, err error) {
	texts, err := p.list(name)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		if strings.Count(text, ",")+strings.Count(text, " ") > maxParams {
			return nil, refusal.Invalid("%s: must contain no more than 25 item(s)", name)
		}
		keys = append(keys, splitKeys(text)...)
	}
	return keys, nil
}

func splitKeys(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// list returns the non-empty values of a parameter, from the first source that
// has any. A single value is a list of one.
func (p Params) list(name string) ([]string, error) {
	if err := p.check(name); err != nil {
		return nil, err
	}
	for _, s := range p.sources() {
		found := s[name]
		if found == nil {
			continue
		}
		if found.object {
			return nil, refusal.Invalid("%s must be text or a list of texts", name)
		}
		var texts []string
		for _, values := range [][]value{found.values, found.items} {
			for _, v := range values {
				if !utf8.ValidString(v.text) {
					return nil, notUTF8(name)
				}
				if v.text != "" {
					texts = append(texts, v.text)
				}
			}
		}
		if len(texts) > 0 {
			return texts, nil
		}
	}
	return nil, nil
}

// flag reports whether a parameter is true. It accepts only the common
// spellings, so that it never takes a no for a yes.
func (p Params) flag(name string) (bool, error) {
	text, err := p.Text(name)
	if err != nil {
		return false, err
	}
	switch text {
	case "true", "1":
		return true, nil
	case "false", "0", "":
		return false, nil
	default:
		return false, refusal.Invalid("%s must be true or false", name)
	}
}

// integer returns the whole number in a parameter, or zero.
func (p Params) integer(name string) (int32, error) {
	text, err := p.Text(name)
	if err != nil || text == "" {
		return 0, err
	}
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, refusal.Invalid("%s must be a whole number", name)
	}
	return int32(number), nil
}

// position returns the line or column in a parameter. Browsers send many things there:
// anything but a positive whole number counts as unknown, which is zero.
func (p Params) position(name string) (int32, error) {
	text, err := p.Text(name)
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseInt(text, 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, refusal.Invalid("%s must be a number of at most %d", name, math.MaxInt32)
	case err == nil && number > 0:
		return int32(number), nil
	default:
		return 0, nil
	}
}

func notUTF8(name string) error {
	return refusal.Invalid("%s is not valid UTF-8", name)
}

func notSingle(name string) error {
	if name == "secret" {
		return errNotText(name)
	}
	return refusal.Invalid("%s must be a single value", name)
}

func errNotText(name string) error {
	return refusal.Invalid("%s must be text", name)
}
