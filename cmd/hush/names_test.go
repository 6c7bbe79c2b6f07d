package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// names are what stands for values that differ from run to run.
type names struct {
	pairs []string // name, value
	count map[string]int
}

// learn gives a value a name: <secret>, and <secret2> for the next one.
func (n *names) learn(name, value string) {
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
func (n *names) fill(text string) string {
	for i := 0; i < len(n.pairs); i += 2 {
		text = strings.ReplaceAll(text, "<"+n.pairs[i]+">", n.pairs[i+1])
	}
	return text
}

// hide puts names in the place of the values that an answer holds.
func (n *names) hide(body []byte) string {
	var answer any
	if json.Unmarshal(body, &answer) != nil {
		return n.replace(string(body))
	}
	n.learnShrimp(answer)
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
		{"record.metadata.key", "metadata"}, {"record.secret.key", "secret"},
		{"metadata.metadataKey", "metadata"}, {"metadata.secretKey", "secret"}, {"secret.secretKey", "secret"},
		{"value", "value"}, {"details.secret_value", "value"},
	}
}

// learnShrimp: there is a new one each time, which nobody needs again.
func (n *names) learnShrimp(answer any) {
	object, _ := answer.(map[string]any)
	if shrimp, _ := object["shrimp"].(string); len(shrimp) == 49 || len(shrimp) == 26 {
		n.pairs = append(n.pairs, "shrimp", shrimp)
	}
}

var keyShape = regexp.MustCompile(`^[0-9a-z]{31}$`)

func (n *names) learnFrom(answer any) {
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
				n.learn("value", text)
			}
		default:
			if keyShape.MatchString(text) {
				n.learn(place[1], text)
			}
		}
	}
}

var (
	timeNumber  = regexp.MustCompile(`\b1[789]\d{8}\b`)
	timeText    = regexp.MustCompile(`\d{4}-\d\d-\d\d[T@]\d\d:\d\d:\d\d(\.\d+)?( UTC|Z)`)
	countdown   = regexp.MustCompile(`("(?:secret_ttl|metadata_ttl|realttl|secret_realttl)": |"(?:ttlLeft|secretTtlLeft)": ")(\d+)`)
	errorNumber = regexp.MustCompile(`internal error, id \w+`)
)

func (n *names) replace(text string) string {
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
	text = errorNumber.ReplaceAllString(text, "internal error, id <id>")
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
