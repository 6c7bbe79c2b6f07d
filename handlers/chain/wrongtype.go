package chain

import (
	"bytes"
	"encoding/json"
	"slices"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// findWrongJSON returns the violation of the first value in a JSON text that has
// another type than its field, or of the first field that is there twice. It returns nil
// if there is none, and if the text is no JSON before it. The text is one that protojson
// refused, and that has no unknown field.
func findWrongJSON(data []byte, m protoreflect.Message) *validate.Violation {
	if bytes.HasPrefix(skipSpace(data), []byte("{")) {
		return wrongIn(data, m, 0)
	}
	return nil
}

// wrongIn is findWrongJSON for a message that may be a part of another one.
func wrongIn(data []byte, m protoreflect.Message, depth int) *validate.Violation {
	in := json.NewDecoder(bytes.NewReader(data))
	if opening, err := in.Token(); err != nil || opening != json.Delim('{') {
		return wrongType("must be an object")
	}
	fields := m.Descriptor().Fields()
	var seen []protoreflect.FieldNumber
	for in.More() && depth < jsonDepth {
		name, _ := nextToken(in).(string)
		field := fields.ByJSONName(name)
		if field == nil {
			field = fields.ByTextName(name)
		}
		var raw json.RawMessage
		if field == nil || in.Decode(&raw) != nil {
			return nil
		}
		if slices.Contains(seen, field.Number()) {
			return violationAt("duplicate_field", "was given more than once", element(field))
		}
		seen = append(seen, field.Number())
		if v := wrongValue(raw, m, field, depth); v != nil {
			return v
		}
	}
	return nil
}

// wrongValue looks at the value of a field of a message.
func wrongValue(raw json.RawMessage, m protoreflect.Message, field protoreflect.FieldDescriptor, depth int) *validate.Violation {
	if string(raw) == "null" {
		return nil // absent
	}
	switch {
	case field.IsMap():
		return wrongEntries(raw, m, field, depth)
	case field.IsList():
		return wrongElements(raw, m, field, depth)
	case isOwnMessage(field):
		return below(element(field), wrongIn(raw, m.NewField(field).Message(), depth+1))
	case !takes(m, field, "", raw, ""):
		return below(element(field), wrongScalar(raw, field))
	}
	return nil
}

// partsMost is how many elements of a list, or entries of a map, are looked at one by
// one, so that a refusal costs no more than reading the text did.
const partsMost = 1000

// wrongElements looks at the first elements of a list.
func wrongElements(raw json.RawMessage, m protoreflect.Message, field protoreflect.FieldDescriptor, depth int) *validate.Violation {
	in := json.NewDecoder(bytes.NewReader(raw))
	if nextToken(in) != json.Delim('[') {
		return below(element(field), wrongType("must be a list"))
	}
	for i := 0; i < partsMost && in.More(); i++ {
		var one json.RawMessage
		if in.Decode(&one) != nil {
			return nil
		}
		if isOwnMessage(field) {
			if v := wrongIn(one, m.NewField(field).List().NewElement().Message(), depth+1); v != nil {
				return below(elementAt(field, i), v)
			}
		} else if !takes(m, field, "[", one, "]") {
			return below(elementAt(field, i), wrongScalar(one, field))
		}
	}
	if in.More() && !takes(m, field, "", raw, "") {
		return below(element(field), wrongType("has an element of another type"))
	}
	return nil
}

// wrongEntries looks at the first values of a map. Its keys are the caller's, and not
// named.
func wrongEntries(raw json.RawMessage, m protoreflect.Message, field protoreflect.FieldDescriptor, depth int) *validate.Violation {
	in := json.NewDecoder(bytes.NewReader(raw))
	if nextToken(in) != json.Delim('{') {
		return below(element(field), wrongType("must be an object"))
	}
	of := field.MapValue()
	for i := 0; i < partsMost && in.More(); i++ {
		var one json.RawMessage
		if nextToken(in) == nil || in.Decode(&one) != nil {
			return nil
		}
		if isOwnMessage(of) {
			if v := wrongIn(one, m.NewField(field).Map().NewValue().Message(), depth+1); v != nil {
				return below(element(field), v)
			}
		} else if !takes(m, field, `{"1":`, one, "}") {
			return below(element(field), wrongScalar(one, of))
		}
	}
	text := "has a name that is invalid or was given more than once"
	if in.More() {
		text += ", or a value of another type"
	}
	if !takes(m, field, "", raw, "") {
		return below(element(field), wrongType(text))
	}
	return nil
}

// takes reports whether protojson takes a value for a field, alone in its list or map if
// it belongs into one.
func takes(m protoreflect.Message, field protoreflect.FieldDescriptor, before string, raw json.RawMessage, after string) bool {
	text := slices.Concat([]byte(`{"`+field.JSONName()+`":`+before), raw, []byte(after+"}"))
	return protojson.UnmarshalOptions{RecursionLimit: jsonDepth}.Unmarshal(text, m.New().Interface()) == nil
}

// isOwnMessage reports whether the values of a field are objects with fields.
func isOwnMessage(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && field.Message().ParentFile().Package() != "google.protobuf"
}

func nextToken(in *json.Decoder) json.Token {
	token, _ := in.Token()
	return token
}

func wrongType(text string) *validate.Violation { return violationAt("wrong_type", text) }

// wrongScalar says what a value without parts must be.
func wrongScalar(raw json.RawMessage, field protoreflect.FieldDescriptor) *validate.Violation {
	switch field.Kind() {
	case protoreflect.StringKind:
		if raw[0] == '"' {
			return violationAt("not_unicode", "is not valid Unicode")
		}
		return wrongType("must be text")
	case protoreflect.BoolKind:
		return wrongType("must be true or false")
	case protoreflect.BytesKind:
		return wrongType("must be base64")
	case protoreflect.EnumKind:
		return wrongType("must be the name of a value")
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return wrongType("must be a number")
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return wrongType(wellKnownForm(field.Message().FullName()))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return wrongType("must be a whole number of 32 bits")
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return wrongType("must be a whole number of 32 bits, not negative")
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return wrongType("must be a whole number of 64 bits, not negative")
	default:
		return wrongType("must be a whole number of 64 bits")
	}
}

func wellKnownForm(kind protoreflect.FullName) string {
	switch kind {
	case "google.protobuf.Duration":
		return `must be text such as "3600s"`
	case "google.protobuf.Timestamp":
		return `must be text such as "2026-11-21T10:00:00Z"`
	default:
		return "has another form in JSON"
	}
}
