package main

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ruleLine is a line that the generator of the RPCs adds to a comment for a
// limit that JSON Schema has no word for.
var ruleLine = regexp.MustCompile(`^([a-z]+\.[a-z_]+) (?:=|//) (.*)$`)

// readComment turns the text of a comment into paragraphs, and returns the rules
// that stand behind it apart.
func readComment(text string) (paragraphs []string, rules map[string]string) {
	rules = map[string]string{}
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			paragraphs = append(paragraphs, strings.Join(lines, " "))
		}
		lines = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		m := ruleLine.FindStringSubmatch(line)
		switch {
		case m != nil:
			rules[m[1]] = m[2]
		case line == "":
			flush()
		default:
			lines = append(lines, line)
		}
	}
	flush()
	return paragraphs, rules
}

// withoutName removes the name of a method that a comment begins with.
func withoutName(text, name string) string {
	rest, named := strings.CutPrefix(text, name+" ")
	if !named {
		return text
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}

// firstSentence is the beginning of a text, without its full stop.
func firstSentence(text string) string {
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end]
	}
	return strings.TrimSuffix(text, ".")
}

// tidySchema makes a schema say what the server does: a response may get new
// members, and 64-bit numbers are text. Limits in bytes bound the
// characters too, since no character is shorter than a byte.
func tidySchema(s *yaml.Node) {
	if s == nil || s.Kind != yaml.MappingNode {
		return
	}
	drop(s, "title")
	if additional := at(s, "additionalProperties"); additional != nil && additional.Kind == yaml.ScalarNode {
		drop(s, "additionalProperties")
	}
	if textAt(s, "format") == "int64" {
		set(s, "type", "string")
	}
	if textAt(s, "format") == "binary" || textAt(s, "format") == "byte" {
		drop(s, "format")
		set(s, "contentEncoding", "base64")
		encodeLimits(s)
	}
	tidyComment(s)
	for _, p := range pairs(at(s, "properties")) {
		tidySchema(p.value)
	}
	tidySchema(at(s, "items"))
	tidySchema(at(s, "additionalProperties"))
}

// encodeLimits turns limits on bytes into limits on their base64, which may end in
// padding or not.
func encodeLimits(s *yaml.Node) {
	if least, err := strconv.Atoi(textAt(s, "minLength")); err == nil {
		set(s, "minLength", (least*8+5)/6)
	}
	if most, err := strconv.Atoi(textAt(s, "maxLength")); err == nil {
		set(s, "maxLength", (most+2)/3*4)
	}
}

func tidyComment(s *yaml.Node) {
	paragraphs, rules := readComment(textAt(s, "description"))
	if most, err := strconv.Atoi(rules["string.max_bytes"]); err == nil {
		if at(s, "maxLength") == nil {
			set(s, "maxLength", most)
		}
		if bytes := grouped(most) + " bytes"; !strings.Contains(strings.Join(paragraphs, ""), bytes) {
			paragraphs = append(paragraphs, "At most "+bytes+".")
		}
	}
	if rules["string.min_bytes"] == "1" {
		set(s, "minLength", 1)
	}
	if len(paragraphs) > 0 {
		set(s, "description", strings.Join(paragraphs, "\n\n"))
	} else {
		drop(s, "description")
	}
}

// grouped writes a number as in 1,048,576.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
