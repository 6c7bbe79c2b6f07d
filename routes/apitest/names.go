package apitest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"hush/vault/caller"
)

// Names are what stands for values that differ from run to run.
type Names struct {
	t     testing.TB
	pairs []string // name, value
	count map[string]int
}

// NewNames returns names without values.
func NewNames(t testing.TB) *Names { return &Names{t: t} }

// Learn gives a value a name: <secret>, and <secret2> for the next one.
func (n *Names) Learn(name, value string) {
	if value == "" || strings.Contains(strings.Join(n.pairs, "\n"), value) {
		return
	}
	if n.count == nil {
		n.count = map[string]int{}
	}
	n.count[name]++
	if count := n.count[name]; count > 1 {
		name = fmt.Sprintf("%s%d", name, count)
	}
	n.pairs = append(n.pairs, name, value)
}

// fill puts values in the place of their names.
func (n *Names) fill(text string) string {
	for i := 0; i < len(n.pairs); i += 2 {
		text = strings.ReplaceAll(text, "<"+n.pairs[i]+">", n.pairs[i+1])
	}
	return text
}

// hide puts names in the place of the values that an answer holds.
func (n *Names) hide(body []byte) string {
	var answer any
	if json.Unmarshal(body, &answer) != nil {
		return n.replace(pageHead.ReplaceAllString(string(body), "<head>…</head>"))
	}
	n.learnShrimp(answer)
	n.learnChallenge(answer)
	if object, _ := answer.(map[string]any); object["message"] == nil { // errors repeat what was sent
		n.learnFrom(answer)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", "  "); err != nil {
		return n.replace(string(body))
	}
	return n.replace(pretty.String())
}

// places are where answers tell keys and other things that are drawn.
func places() [][2]string {
	return [][2]string{
		{"metadata_key", "metadata"}, {"secret_key", "secret"},
		{"record.metadata.key", "metadata"}, {"record.receipt.key", "metadata"}, {"record.secret.key", "secret"},
		{"metadata.metadataKey", "metadata"}, {"metadata.secretKey", "secret"}, {"secret.secretKey", "secret"},
		{"record.apitoken", "token"}, {"record.domainid", "domain"}, {"record.short_id", "exception"},
		{"record.txt_validation_value", "txt"}, {"record.txt_validation_host", "host"},
		{"session.sessionId", "session"}, {"account.accountId", "account"}, {"token", "token"}, {"apiToken.tokenId", "token-id"},
		{"value", "value"}, {"details.secret_value", "value"},
	}
}

// learnShrimp: except for a session's, there is a new one each time, which is
// not needed again.
func (n *Names) learnShrimp(answer any) {
	object, _ := answer.(map[string]any)
	if shrimp, _ := object["shrimp"].(string); object["session"] != nil {
		n.Learn("session-shrimp", shrimp)
	} else if len(shrimp) == 49 || len(shrimp) == 26 {
		n.pairs = append(n.pairs, "shrimp", shrimp)
	}
}

// learnChallenge keeps a challenge, and <solution> for requests.
func (n *Names) learnChallenge(answer any) {
	object, _ := answer.(map[string]any)
	challenge, _ := object["challenge"].(string)
	salt, _ := object["salt"].(string)
	signature, _ := object["signature"].(string)
	if challenge == "" || salt == "" {
		return
	}
	n.Learn("solution", Solve(n.t, challenge, salt, signature))
	n.Learn("challenge", challenge)
	n.Learn("salt", salt)
	n.Learn("signature", signature)
}

// LearnAccounts keeps what the owners of the accounts know.
func (n *Names) LearnAccounts(env *Accounts) {
	for name, a := range map[string]Account{"ada": env.Ada, "bob": env.Bob, "cleo": env.Cleo} {
		n.Learn(name+"-basic", base64.StdEncoding.EncodeToString([]byte(a.Address+":"+a.Token)))
		n.Learn(name+"-token", a.Token)
		n.Learn(name+"-id", a.ID)
		n.Learn(name+"-cookie", a.Sessions[0].Cookie)
		n.Learn(name+"-shrimp", a.Sessions[0].Shrimp)
		n.Learn(name+"-conceal-token", a.Narrow[caller.ScopeConceal])
		n.Learn(name+"-domain", a.Domain.ID)
		n.Learn(name+"-txt", a.Domain.TXTValue)
		n.Learn(name+"-host", a.Domain.TXTHost)
		n.Learn(name+"-secret", a.Plain.Secret.Key.Expose())
		n.Learn(name+"-metadata", a.Plain.Metadata.Key.Expose())
		n.Learn(name+"-guarded", a.Guarded.Secret.Key.Expose())
		n.Learn(name+"-guarded-metadata", a.Guarded.Metadata.Key.Expose())
	}
	n.Learn("verdict", Judge(n.t, "message", "hello"))
	n.Learn("png", smallPNG(n.t))
}

// smallPNG is a picture of two pixels.
func smallPNG(t testing.TB) string {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 2, 1))); err != nil {
		t.Fatalf("Encode: got %v, want a picture", err)
	}
	return file.String()
}

var sessionCookie = regexp.MustCompile(`__Host-hush=([\w-][^;]*)`)

// hideHeader puts names in the place of what a header of an answer brings.
func (n *Names) hideHeader(name, value string) string {
	switch name {
	case "Retry-After":
		return "<seconds>"
	case "Set-Cookie":
		if m := sessionCookie.FindStringSubmatch(value); m != nil {
			n.Learn("cookie", m[1])
		}
	}
	return n.replace(value)
}

var (
	// pageHead names the files that the pages are made of, which differ with
	// each build of them.
	pageHead   = regexp.MustCompile(`(?s)<head>.*?</head>`)
	keyShape   = regexp.MustCompile(`^[0-9a-z]{31}$`)
	drawnShape = regexp.MustCompile(`^([0-9a-f]{16,64}|[0-9a-z]{31}|[_a-z]+[-.][-.0-9a-z]+)$`)
)

func (n *Names) learnFrom(answer any) {
	for _, place := range places() {
		at := answer
		for step := range strings.SplitSeq(place[0], ".") {
			object, _ := at.(map[string]any)
			at = object[step]
		}
		text, _ := at.(string)
		switch place[1] {
		case "value": // what was concealed here is known; what was drawn has no place in a file
			if len(text) == 12 && !strings.Contains(text, " ") || len(text) == 20 {
				n.Learn("value", text)
			}
		case "metadata", "secret":
			if keyShape.MatchString(text) {
				n.Learn(place[1], text)
			}
		default:
			if drawnShape.MatchString(text) {
				n.Learn(place[1], text)
			}
		}
	}
}

var (
	timeNumber  = regexp.MustCompile(`\b1[789]\d{8}\b`)
	timeText    = regexp.MustCompile(`\d{4}-\d\d-\d\d[T@]\d\d:\d\d:\d\d(\.\d+)?( UTC|Z)`)
	countdown   = regexp.MustCompile(`("(?:secret_ttl|metadata_ttl|receipt_ttl|realttl|secret_realttl)": |"(?:ttlLeft|secretTtlLeft)": ")(\d+)`)
	errorNumber = regexp.MustCompile(`internal error, id \w+`)
	accountID   = regexp.MustCompile(`\b[0-9a-f]{32}\b`)
	// What the build, the disk and the clock say on the page for colonels.
	measured = regexp.MustCompile(`("(?:live_bytes|file_bytes|audit_rows|audit_bytes|uptime|go_version|revision|stamp)": |\\n(?:live_bytes|file_bytes): )("[^"]*"|\d+)`)
)

func (n *Names) replace(text string) string {
	for i := 0; i < len(n.pairs); i += 2 {
		name, value := n.pairs[i], n.pairs[i+1]
		text = strings.ReplaceAll(text, value, "<"+name+">")
		if keyShape.MatchString(value) {
			text = strings.ReplaceAll(text, `"`+value[:8]+`"`, `"<`+name+`, 8>"`)
			text = strings.ReplaceAll(text, `"`+value[:6]+`"`, `"<`+name+`, 6>"`)
		}
	}
	text = timeNumber.ReplaceAllString(text, "<time>")
	text = timeText.ReplaceAllString(text, "<time>")
	text = accountID.ReplaceAllString(text, "<id>")
	text = errorNumber.ReplaceAllString(text, "internal error, id <id>")
	text = AsBolt(measured.ReplaceAllString(text, "$1<measured>"))
	// A slow machine may see some seconds pass.
	return countdown.ReplaceAllStringFunc(text, func(match string) string {
		parts := countdown.FindStringSubmatch(match)
		left, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			return match
		}
		const minute = int64(time.Minute / time.Second)
		return parts[1] + strconv.FormatInt((left+minute-1)/minute*minute, 10)
	})
}
