package pages

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// shell is the page that starts the client, split where it depends on the
// visitor: at the language with its direction, at what a preview of a link shows, and
// at the content for browsers without scripts.
type shell struct {
	start  string // ends within the tag html
	head   string // ends before the end of the head
	middle string
	end    string
	styles []string // URLs of its style sheets
}

// noscriptMark is the place of the content for browsers without scripts. A page
// without the mark has that content at the end of its body.
const (
	noscriptMark = "<!--noscript-->"
	headEnd      = "</head>"
)

var (
	languageAttributes = regexp.MustCompile(`\s(?:lang|dir)="[^"]*"`)

	linkTag       = regexp.MustCompile(`<link\s[^>]*>`)
	hrefAttribute = regexp.MustCompile(`\shref="([^"]*)"`)
)

func newShell(html string) (shell, error) {
	before, rest, found := strings.Cut(html, "<html")
	attributes, rest, closed := strings.Cut(rest, ">")
	if !found || !closed {
		return shell{}, errors.New("the web client's page has no tag html")
	}
	s := shell{start: before + "<html"}
	head, rest, headed := strings.Cut(rest, headEnd)
	if !headed {
		return shell{}, errors.New("the web client's page has no end of its head")
	}
	s.head = languageAttributes.ReplaceAllString(attributes, "") + ">" + head
	s.middle = headEnd + rest
	if middle, end, marked := strings.Cut(s.middle, noscriptMark); marked {
		s.middle, s.end = middle, end
	} else if at := strings.LastIndex(s.middle, "</body>"); at >= 0 {
		s.middle, s.end = s.middle[:at], s.middle[at:]
	} else {
		return shell{}, errors.New("the web client's page has no end of its body")
	}
	s.styles = styleSheets(html)
	return s, nil
}

// with inserts what depends on the visitor: the language, its direction, and HTML.
func (s shell) with(language, direction string, preview, noscript []byte) []byte {
	attributes := ` lang="` + language + `" dir="` + direction + `"`
	return slices.Concat([]byte(s.start), []byte(attributes), []byte(s.head), preview, []byte(s.middle), noscript, []byte(s.end))
}

// styleSheets returns the URLs of a page's style sheets.
func styleSheets(html string) []string {
	var found []string
	for _, tag := range linkTag.FindAllString(html, -1) {
		href := hrefAttribute.FindStringSubmatch(tag)
		if strings.Contains(tag, ` rel="stylesheet"`) && href != nil {
			found = append(found, href[1])
		}
	}
	return found
}
