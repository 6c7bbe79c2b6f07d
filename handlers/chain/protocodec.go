package chain

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const (
	// maxElements is how many fields, list elements and map entries a message
	// of the public port may have. Each costs memory many times its size on
	// the wire, and no request has reason for a tenth of it.
	maxElements = 1000
	// protoDepth is how deep a message may nest.
	protoDepth = 32
)

var (
	errElements = errors.New("too many fields or elements")
	errProtobuf = errors.New("malformed protobuf message")
)

// protoCodec reads and writes protobuf as connect's own codec does, but bounds
// how many elements a message has before it is taken apart, drops unknown
// fields, and says nothing of what is in a message that it refuses.
type protoCodec struct{}

// Name is the codec's part of the content type.
func (protoCodec) Name() string { return "proto" }

// IsBinary reports that messages are not text.
func (protoCodec) IsBinary() bool { return true }

// Marshal writes a message.
func (c protoCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend writes a message behind dst.
func (protoCodec) MarshalAppend(dst []byte, message any) ([]byte, error) {
	m, err := asProto(message)
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{}.MarshalAppend(dst, m)
}

// MarshalStable writes a message the same way each time.
func (protoCodec) MarshalStable(message any) ([]byte, error) {
	m, err := asProto(message)
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// Unmarshal reads a message.
func (protoCodec) Unmarshal(data []byte, message any) error {
	m, err := asProto(message)
	if err != nil {
		return err
	}
	if err := countFields(data); err != nil {
		return err
	}
	options := proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: protoDepth}
	if options.Unmarshal(data, m) != nil {
		return errProtobuf
	}
	return nil
}

// countFields bounds the fields of a message. Messages within count as one:
// those of the contract hold no lists.
func countFields(data []byte) error {
	for fields := 0; len(data) > 0; fields++ {
		if fields == maxElements {
			return errElements
		}
		_, _, size := protowire.ConsumeField(data)
		if size < 0 {
			return errProtobuf
		}
		data = data[size:]
	}
	return nil
}
