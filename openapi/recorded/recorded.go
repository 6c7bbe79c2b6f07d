// Package recorded reads the recorded exchanges of the server's tests, out of
// which the OpenAPI description takes the responses of v1, v2 and v3.
package recorded

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pattern matches the conversations that a test of the server replays.
const pattern = "routes/apitest/testdata/exchanges/*.txt"

// Exchange is a recorded request with its response. Values that differ from run
// to run are filled in.
type Exchange struct {
	Method, Target  string
	Status          int
	Request, Answer Message
}

// Message is the headers and the body of a request or a response.
type Message struct {
	Header http.Header
	Body   string
}

// Path is the target without its query.
func (e Exchange) Path() string {
	path, _, _ := strings.Cut(e.Target, "?")
	return path
}

// HoldsJSON reports whether the body is a JSON value.
func (m Message) HoldsJSON() bool {
	return strings.HasPrefix(m.Header.Get("Content-Type"), "application/json") && m.Body != ""
}

// Read returns the exchanges of a source tree, in the order of their files.
func Read(tree fs.FS) ([]Exchange, error) {
	files, err := fs.Glob(tree, pattern)
	if err != nil {
		return nil, fmt.Errorf("looking for %s: %w", pattern, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no files %s below this folder", pattern)
	}
	var all []Exchange
	for _, file := range files {
		content, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, err
		}
		read, err := parseExchanges(string(content))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		all = append(all, read...)
	}
	return all, nil
}

// parseExchanges takes a conversation apart: ">>> " begins a request, "<<< " its
// answer, and # a comment before the next request.
func parseExchanges(content string) ([]Exchange, error) {
	var all []Exchange
	for _, part := range strings.Split("\n"+content, "\n>>> ")[1:] {
		asked, told, found := strings.Cut(part, "\n<<< ")
		if !found {
			return nil, fmt.Errorf("no answer to %.60q", part)
		}
		if comment := strings.Index(told, "\n#"); comment >= 0 {
			told = told[:comment]
		}
		line, asked, _ := strings.Cut(asked, "\n")
		status, told, _ := strings.Cut(told, "\n")
		method, target, _ := strings.Cut(line, " ")
		e := Exchange{Method: method, Target: fill(target, false)}
		var err error
		if e.Status, err = strconv.Atoi(strings.TrimSpace(status)); err != nil {
			return nil, fmt.Errorf("status of %s: %w", line, err)
		}
		rfc3339 := !strings.HasPrefix(target, "/api/")
		if e.Request, err = parseMessage(asked, rfc3339); err != nil {
			return nil, fmt.Errorf("request %s: %w", line, err)
		}
		if e.Answer, err = parseMessage(told, rfc3339); err != nil {
			return nil, fmt.Errorf("answer to %s: %w", line, err)
		}
		all = append(all, e)
	}
	return all, nil
}

func parseMessage(text string, rfc3339 bool) (Message, error) {
	text = strings.TrimRight(text, "\n")
	head, body, _ := strings.Cut("\n"+text, "\n\n")
	head = fill(strings.TrimPrefix(head, "\n"), rfc3339)
	header, err := textproto.NewReader(bufio.NewReader(strings.NewReader(head + "\n\n"))).ReadMIMEHeader()
	return Message{http.Header(header), fill(body, rfc3339)}, err
}

var (
	placeholder = regexp.MustCompile(`<([a-z]+(?:-[a-z]+)*)(\d*)(?:, (\d))?>`)
	// What the build says is text; what is counted is a number.
	built = regexp.MustCompile(`("(?:go_version|revision|stamp)": )<measured>`)
	// A time of the older versions is a number, or text in quotation marks.
	quotedTime = regexp.MustCompile(`"<time>"`)
)

// The moment of all examples: 2026-11-21T10:00:00Z.
const exampleTime = "1795255200"

// fill puts values that look like real ones in the place of the names.
func fill(text string, rfc3339 bool) string {
	text = built.ReplaceAllString(text, `$1"unknown"`)
	quoted := `"2026-11-21@10:00:00 UTC"`
	if rfc3339 {
		quoted = `"2026-11-21T10:00:00Z"`
	}
	text = quotedTime.ReplaceAllString(text, quoted)
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		m := placeholder.FindStringSubmatch(match)
		value := valueOf(m[1], m[1]+m[2])
		if length, err := strconv.Atoi(m[3]); err == nil {
			return value[:length]
		}
		return value
	})
}

// valueOf is the value of a name. Those of one kind differ by the whole of the
// name.
func valueOf(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	owner, what, owned := strings.Cut(kind, "-")
	if !owned {
		owner, what = "", kind
	}
	switch what {
	case "time":
		return exampleTime
	case "base":
		return "https://hush.example"
	case "measured", "seconds":
		return "60"
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte(owner + "@example.com:" + hex.EncodeToString(sum[:20])))
	case "metadata", "secret", "guarded", "guarded-metadata":
		return keyOf(sum[:])
	case "shrimp", "session-shrimp", "cookie":
		return base64.RawURLEncoding.EncodeToString(sum[:])[:26]
	case "token", "conceal-token":
		return hex.EncodeToString(sum[:20])
	case "verdict", "solution", "png":
		return base64.StdEncoding.EncodeToString(sum[:])
	case "host":
		return "_hush-challenge"
	default:
		return hex.EncodeToString(sum[:16])
	}
}

// keyOf has the shape of a secret's key.
func keyOf(random []byte) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	key := make([]byte, 31)
	for i := range key {
		key[i] = letters[int(random[i])%len(letters)]
	}
	return string(key)
}

// fits reports whether a path has the shape of a template, and how many parts of
// it the template spells out.
func fits(template, path string) (spelled int, ok bool) {
	parts, want := strings.Split(path, "/"), strings.Split(template, "/")
	if len(parts) != len(want) {
		return 0, false
	}
	for i, part := range want {
		switch {
		case strings.HasPrefix(part, "{") && parts[i] != "":
		case part == parts[i]:
			spelled++
		default:
			return 0, false
		}
	}
	return spelled, true
}

// Template is the template that a request meets: of those that fit, the one
// with the most of its path spelled out. It is empty if none fits.
func Template(templates []string, path string) string {
	return slices.MaxFunc(append([]string{""}, templates...), func(a, b string) int {
		return rank(a, path) - rank(b, path)
	})
}

func rank(template, path string) int {
	if spelled, ok := fits(template, path); ok && template != "" {
		return spelled + 1
	}
	return 0
}
