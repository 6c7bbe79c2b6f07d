package chain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// jsonDepth is how deep a JSON message may nest.
const jsonDepth = 32

// jsonCodec reads and writes JSON as connect's own does, with two differences:
// errors name the place of what is wrong with a message and never its content,
// since the content may be a secret; and nesting and the number of elements are
// bounded. Unknown fields are ignored, duplicate ones refused.
type jsonCodec struct {
	name     string
	elements int // the most that a message may have; 0 for any number
}

// Name is the codec's part of the content type.
func (c jsonCodec) Name() string { return c.name }

// IsBinary reports that messages may stand in a URL as text.
func (jsonCodec) IsBinary() bool { return false }

// Marshal writes a message.
func (c jsonCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend writes a message behind dst.
func (jsonCodec) MarshalAppend(dst []byte, message any) ([]byte, error) {
	m, err := asProto(message)
	if err != nil {
		return nil, err
	}
	return protojson.MarshalOptions{}.MarshalAppend(dst, m)
}

// MarshalStable writes a message the same way each time, for URLs.
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

// Unmarshal reads a message.
func (c jsonCodec) Unmarshal(data []byte, message any) error {
	m, err := asProto(message)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return errEmptyJSON
	}
	if c.elements > 0 && crowded(data, c.elements) {
		return errElements
	}
	options := protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: jsonDepth}
	if err := options.Unmarshal(data, m); err != nil {
		return describeJSON(err)
	}
	return nil
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
			i++ // outside of strings it is a mistake, which the parser finds
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

// describeJSON keeps of a parser's error only where it was: its text quotes
// the input.
func describeJSON(err error) error {
	place := regexp.MustCompile(`\(line \d+:\d+\)`).FindString(err.Error())
	if place == "" {
		return errors.New("malformed JSON message")
	}
	return errors.New("malformed JSON message " + place)
}
