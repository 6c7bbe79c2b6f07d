package pages

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"hush/locale"
	"hush/routes/call"
)

// The starts that several pages have.
const (
	startShare   = "share"
	startOpen    = "open"
	startReceipt = "receipt"
)

// start is what a shell shows until its script has drawn the page in its place: the
// frame and the first words of that page.
type start struct {
	Name         string // of the page, for its style
	Short        bool   // whether the page is narrow: one short form or card
	Language     string
	Logo         string // path; empty for the client's own
	Title, Lead  string
	Late, Advice string // once the script has not come for a while
	Reload       string
}

// heading is the head of a page. It may have the place {name}, for the service's name.
type heading struct {
	Title string `json:"title"`
	Lead  string `json:"lead"`
}

// startOf is what is known of a page before its script runs.
type startOf struct {
	Short bool                      `json:"short"`
	Heads map[locale.Locale]heading `json:"heads"`
}

// starts has the client's pages, with their heads in all languages: the build writes them
// from the client's own texts.
type starts struct {
	Reload map[locale.Locale]string `json:"reload"`
	Pages  map[string]startOf       `json:"pages"`
}

// startsFile is where the build leaves them. It is not served.
const startsFile = "start.json"

// readStarts reads the heads of a build. A build without them has none.
func readStarts(files fs.FS) (s starts, err error) {
	data, err := fs.ReadFile(files, startsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("reading %s: %w", startsFile, err)
	}
	return s, nil
}

// of returns a start in the visitor's language. An unknown one has no words of its own.
func (s starts) of(req *call.Request, name string) *start {
	l := req.Visitor.Locale
	page := s.Pages[name]
	head := page.Heads[l]
	named := strings.NewReplacer("{name}", instanceName(req))
	return &start{
		Name: name, Short: page.Short, Language: languageTag(req), Logo: ownPath(req.Policy.GetLogoUrl()),
		Title: named.Replace(head.Title), Lead: named.Replace(head.Lead),
		Late: req.Text("page.start.title"), Advice: req.Text("page.start.explanation"), Reload: s.Reload[l],
	}
}

// ownPath returns a URL that is a path of this service, and an empty text for others.
func ownPath(url string) string {
	if strings.HasPrefix(url, "/") && !strings.HasPrefix(url, "//") {
		return url
	}
	return ""
}
