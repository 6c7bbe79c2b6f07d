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

// jsonDepth is the maximum nesting of a JSON message.
const jsonDepth = 32

// jsonCodec encodes and decodes JSON like connect's own codec, with two
// differences: errors name the place in an invalid message but never its
// content, which may be a secret; and nesting and the number of elements are
// bounded. It ignores unknown fields and refuses duplicate ones.
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
