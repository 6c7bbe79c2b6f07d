package params

import (
	"net/url"
	"slices"
	"strings"

	"hush/routes/refusal"
)

// parseFormBody is parseForm for a body, of which nothing may be lost: an & that was
// meant as a part of a secret or passphrase cuts it there, and a body of another type
// is a form without any known parameter.
func (n Names) parseFormBody(text string) (source, error) {
	switch begin := strings.TrimLeft(text, " \t\r\n"); {
	case strings.HasPrefix(begin, "{"):
		return nil, refusal.Malformed("the body is a form, but looks like JSON, whose Content-Type is " + typeJSON)
	case strings.HasPrefix(begin, "--") && strings.Contains(strings.ToLower(begin), "\ncontent-disposition"):
		return nil, refusal.Malformed("the body is a form, but looks like multipart, whose Content-Type is " + typeMultipart + " with its boundary")
	}
	after := ""
	for pair := range strings.SplitSeq(text, "&") {
		name, bare := n.nameOf(pair)
		if bare {
			return nil, n.errCutOff(after)
		}
		if strings.ContainsAny(name, "\r\n") {
			return nil, refusal.Malformed("the name of a parameter has a line break: the body may have another Content-Type than " + typeForm)
		}
		after = name
	}
	return n.parseForm(text)
}

// nameOf returns the name in a pair, and reports whether the pair is text without a
// value that names no parameter: it may be the rest of a value that & cut off.
func (n Names) nameOf(pair string) (name string, bare bool) {
	escaped, _, hasValue := strings.Cut(pair, "=")
	name, err := url.QueryUnescape(escaped)
	base, _, _ := strings.Cut(name, "[")
	return name, pair != "" && !hasValue && (err != nil || !n.have(base))
}

// cutIn returns the plain names in a query whose values text without a name follows,
// each once.
func (n Names) cutIn(query string) (names []string) {
	after := ""
	for pair := range strings.SplitSeq(query, "&") {
		name, bare := n.nameOf(pair)
		if !bare && pair != "" {
			after = ""
			if parts, _ := splitName(name); parts != nil && strings.Contains(pair, "=") {
				after = parts[0]
			}
		}
		if bare && after != "" && !slices.Contains(names, after) {
			names = append(names, after)
		}
	}
	return names
}

// CutOff refuses a query that may have lost a part of a declared text, see Only: & cuts
// a value off. Unlike in a body, other text without a name is ignored, because it is
// common in addresses.
func (p Params) CutOff() error {
	for _, name := range p.cut {
		isCut := func(f Field) bool {
			base, _, _ := strings.Cut(f.Name, "[")
			return (base == name || base == AnyName) && f.Form.isText()
		}
		if slices.ContainsFunc(p.declared, isCut) {
			return p.names.errCutOff(name)
		}
	}
	return nil
}

// errCutOff refuses text without a name. It may be a part of a secret, so the refusal
// names the parameter before it.
func (n Names) errCutOff(after string) error {
	const advice = `in a value, write "&" as %26 (curl: --data-urlencode)`
	if after == "" {
		return refusal.Invalid(`the body begins with text without "=": %s`, advice)
	}
	return refusal.Invalid(`"&" and text without "=" come after %s: %s`, n.inErrors(after), advice)
}

// parseForm parses a query or an urlencoded body. Only & separates pairs:
// unlike in net/url, a semicolon is data.
func (n Names) parseForm(text string) (source, error) {
	s := make(source)
	count := 0
	for text != "" {
		var pair string
		pair, text, _ = strings.Cut(text, "&")
		if pair == "" {
			continue
		}
		if count++; count > maxParams {
			return nil, refusal.Invalid("there may be at most %d parameters", maxParams)
		}
		escaped, content, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(escaped)
		if err != nil {
			return nil, n.notDecodable("")
		}
		if content, err = url.QueryUnescape(content); err != nil {
			return nil, n.notDecodable(name)
		}
		n.add(s, name, value{text: content})
	}
	return s, nil
}

func (n Names) notDecodable(name string) error {
	return refusal.Invalid("%s is not properly percent-encoded", n.inErrors(name))
}
