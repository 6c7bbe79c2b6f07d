package chain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
)

// jsonDepth is the maximum nesting of a JSON message.
const jsonDepth = 32

// jsonCodec encodes and decodes JSON like connect's own codec, with two
// differences: errors name the place in an invalid message but never its
// content, which may be a secret; and nesting and the number of elements are
// bounded. A message with an unknown field, with an unknown name of an enum, with a
// value of another type or with a field twice is left to validation to refuse, so its
// codec must not be used without that.
type jsonCodec struct {
	name     string
	elements int // the maximum per message; 0 means any number
}

// Name is the codec's part of the content type.
func (c jsonCodec) Name() string { return c.name }

// IsBinary returns false: messages may be text in a URL.
func (jsonCodec) IsBinary() bool { return false }

// Marshal encodes a message.
func (c jsonCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend appends an encoded message to dst.
func (jsonCodec) MarshalAppend(dst []byte, message any) ([]byte, error) {
	if written, ok := appendHot(dst, message); ok {
		return written, nil
	}
	m, err := asProto(message)
	if err != nil {
		return nil, err
	}
	return protojson.MarshalOptions{}.MarshalAppend(dst, m)
}

// MarshalStable encodes a message deterministically, for URLs.
func (c jsonCodec) MarshalStable(message any) ([]byte, error) {
	written, err := c.Marshal(message)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, written); err != nil {
		return nil, fmt.Errorf("compacting: %w", err)
	}
	return compact.Bytes(), nil
}

// Unmarshal decodes a message.
func (c jsonCodec) Unmarshal(data []byte, message any) error {
	m, err := asProto(message)
	if err != nil {
		return err
	}
	if readHot(data, message) {
		return nil
	}
	if len(data) == 0 {
		return errEmptyJSON
	}
	if c.elements > 0 && crowded(data, c.elements) {
		return errElements
	}
	err = protojson.UnmarshalOptions{RecursionLimit: jsonDepth}.Unmarshal(data, m)
	if err == nil && !meansAll(m.ProtoReflect()) {
		return nil
	}
	if v := findUnknownJSON(data, m.ProtoReflect().Descriptor()); v != nil {
		return refuseMessage(m, v)
	}
	if err == nil {
		return nil
	}
	if v := findWrongJSON(data, m.ProtoReflect()); v != nil {
		return refuseMessage(m, v)
	}
	return describeJSON(err)
}

// readHot reads the requests that are sent most, in their usual form: an object of
// texts without escapes. It reports false, and leaves the message alone, for
// everything else, on which protojson decides.
func readHot(data []byte, message any) bool {
	switch m := message.(type) {
	case *hushv1.ConcealSecretRequest:
		fields := [...]hotField{{name: "secret"}, {name: "ttl"}, {name: "passphrase"}, {name: "shareDomain"}, {name: "authenticityPayload"}, {name: "memo"}}
		if m == nil || !readTexts(data, fields[:]) {
			return false
		}
		var ttl *durationpb.Duration
		if fields[1].given {
			if ttl = readSeconds(fields[1].text); ttl == nil {
				return false
			}
		}
		m.Reset()
		m.Secret, m.Ttl, m.Passphrase = string(fields[0].text), ttl, string(fields[2].text)
		m.ShareDomain, m.AuthenticityPayload, m.Memo = string(fields[3].text), string(fields[4].text), string(fields[5].text)
		return true
	case *hushv1.RevealSecretRequest:
		fields := [...]hotField{{name: "secretKey"}, {name: "passphrase"}}
		if m == nil || !readTexts(data, fields[:]) {
			return false
		}
		m.Reset()
		m.SecretKey, m.Passphrase = string(fields[0].text), string(fields[1].text)
		return true
	default:
		return false
	}
}

// hotField is a member of an object; text is a part of what is read.
type hotField struct {
	name  string
	text  []byte
	given bool
}

// readTexts reads an object with some of the fields, each once.
func readTexts(data []byte, fields []hotField) bool {
	data, ok := readByte(data, '{')
	for first := true; ok; first = false {
		if rest, end := readByte(data, '}'); end {
			return len(skipSpace(rest)) == 0 && utf8Texts(fields)
		}
		if !first {
			if data, ok = readByte(data, ','); !ok {
				return false
			}
		}
		var name, text []byte
		if name, data, ok = readText(data); !ok {
			return false
		}
		if data, ok = readByte(data, ':'); !ok {
			return false
		}
		if text, data, ok = readText(data); !ok {
			return false
		}
		at := slices.IndexFunc(fields, func(f hotField) bool { return f.name == string(name) })
		if at < 0 || fields[at].given {
			return false
		}
		fields[at].text, fields[at].given = text, true
	}
	return false
}

func utf8Texts(fields []hotField) bool {
	return !slices.ContainsFunc(fields, func(f hotField) bool { return !utf8.Valid(f.text) })
}

func skipSpace(data []byte) []byte { return bytes.TrimLeft(data, " \t\r\n") }

// readByte reads one byte after spaces.
func readByte(data []byte, want byte) (rest []byte, ok bool) {
	data = skipSpace(data)
	if len(data) == 0 || data[0] != want {
		return data, false
	}
	return data[1:], true
}

// readText reads a text without escapes.
func readText(data []byte) (text, rest []byte, ok bool) {
	data, ok = readByte(data, '"')
	if !ok {
		return nil, data, false
	}
	for i, c := range data {
		switch {
		case c == '"':
			return data[:i], data[i+1:], true
		case c < ' ' || c == '\\':
			return nil, data, false
		}
	}
	return nil, data, false
}

// readSeconds reads a duration of whole seconds, such as 3600s, and returns nil
// for any other.
func readSeconds(text []byte) *durationpb.Duration {
	const digits = 9
	number, ok := bytes.CutSuffix(text, []byte("s"))
	if !ok || len(number) == 0 || len(number) > digits || number[0] == '0' {
		return nil
	}
	seconds := int64(0)
	for _, c := range number {
		if c < '0' || c > '9' {
			return nil
		}
		seconds = 10*seconds + int64(c-'0')
	}
	return &durationpb.Duration{Seconds: seconds}
}

// crowded reports whether a JSON text has more than most elements, counted by
// the commas outside of strings.
func crowded(data []byte, most int) bool {
	if len(data) <= most {
		return false
	}
	commas, inside := 0, false
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			inside = !inside
		case '\\':
			i++ // outside of strings it is an error, which the parser reports
		case ',':
			if inside {
				continue
			}
			if commas++; commas >= most {
				return true
			}
		}
	}
	return false
}

var (
	errEmptyJSON = errors.New("an empty body is not a JSON object")
	errNoMessage = errors.New("chain: not a protobuf message")
)

func asProto(message any) (proto.Message, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, errNoMessage
	}
	return m, nil
}

// describeJSON keeps only the place of a parser's error, whose text quotes the
// input.
func describeJSON(err error) error {
	place := regexp.MustCompile(`\(line \d+:\d+\)`).FindString(err.Error())
	if place == "" {
		return errors.New("malformed JSON message")
	}
	return errors.New("malformed JSON message " + place)
}
