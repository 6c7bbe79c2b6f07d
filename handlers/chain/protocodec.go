package chain

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
)

const (
	// maxElements is the maximum number of fields, list elements and map
	// entries of a message on the public port. Each needs many times its wire
	// size in memory, and no legitimate request has a tenth of them.
	maxElements = 1000
	// protoDepth is the maximum nesting of a message.
	protoDepth = 32
)

var (
	errElements = errors.New("too many fields or elements")
	errProtobuf = errors.New("malformed protobuf message")
)

// protoCodec encodes and decodes protobuf like connect's own codec, but bounds
// the number of elements before it decodes a message, and reveals nothing of a
// refused message. It drops unknown fields of requests that only read; another
// message with one is left to validation to refuse, so the codec must not be used
// without that.
type protoCodec struct {
	reads    kinds
	elements int // the maximum per message; 0 means any number
}

// Name is the codec's part of the content type.
func (protoCodec) Name() string { return "proto" }

// IsBinary returns true: messages are not text.
func (protoCodec) IsBinary() bool { return true }

// Marshal encodes a message.
func (c protoCodec) Marshal(message any) ([]byte, error) { return c.MarshalAppend(nil, message) }

// MarshalAppend appends an encoded message to dst.
func (protoCodec) MarshalAppend(dst []byte, message any) ([]byte, error) {
	m, err := asProto(message)
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{}.MarshalAppend(dst, m)
}

// MarshalStable encodes a message deterministically.
func (protoCodec) MarshalStable(message any) ([]byte, error) {
	m, err := asProto(message)
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// Unmarshal decodes a message.
func (c protoCodec) Unmarshal(data []byte, message any) error {
	m, err := asProto(message)
	if err != nil {
		return err
	}
	if c.elements > 0 {
		if err := countFields(data, c.elements); err != nil {
			return err
		}
	}
	reads := c.reads[m.ProtoReflect().Descriptor().FullName()]
	options := proto.UnmarshalOptions{DiscardUnknown: reads, RecursionLimit: protoDepth}
	if options.Unmarshal(data, m) != nil {
		return errProtobuf
	}
	if isHotAndKnown(message) {
		return nil
	}
	if v := findEmptyList(data, m.ProtoReflect()); v != nil {
		return refuseMessage(m, v)
	}
	if reads {
		return nil
	}
	if v := findUnknown(m.ProtoReflect()); v != nil {
		return refuseMessage(m, v)
	}
	return nil
}

// isHotAndKnown reports whether a message is of a kind that is sent most and has no
// unknown field, without a walk along all its fields.
func isHotAndKnown(message any) bool {
	switch m := message.(type) {
	case *hushv1.ConcealSecretRequest:
		return !isRefused(m) && m.GetSealed() == nil && (m.GetTtl() == nil || !isRefused(m.GetTtl()))
	case *hushv1.RevealSecretRequest:
		return !isRefused(m)
	default:
		return false
	}
}

// countFields refuses a message with more than most fields. A nested message counts as one:
// those of the contract have no lists.
func countFields(data []byte, most int) error {
	for fields := 0; len(data) > 0; fields++ {
		if fields == most {
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
