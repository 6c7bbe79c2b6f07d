package chain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// A restriction that the service does not know must not be dropped without a
// word: a misspelt passphrase would share a secret without one. Codecs find what
// is unknown, but their errors have no details and reach no interceptor. So a
// codec empties a message that it refuses and leaves a violation in it, and
// validation returns that like any other violation.

// refusedNumber is the number of the unknown field in which a codec leaves a
// violation. Codecs leave nothing else there, whatever was sent.
const refusedNumber = protowire.MaxValidNumber

// refuseMessage empties a message and leaves a violation in it.
func refuseMessage(m proto.Message, v *validate.Violation) error {
	left, err := proto.Marshal(v)
	if err != nil {
		return errProtobuf
	}
	proto.Reset(m)
	field := protowire.AppendTag(nil, refusedNumber, protowire.BytesType)
	m.ProtoReflect().SetUnknown(protowire.AppendBytes(field, left))
	return nil
}

// isRefused reports whether a codec refused a message. While the codec decodes it,
// that is whether it has an unknown field, but for the messages in it.
func isRefused(m proto.Message) bool { return len(m.ProtoReflect().GetUnknown()) > 0 }

// refusedBy returns the violation that a codec left in a message, or nil.
func refusedBy(m proto.Message) error {
	unknown := m.ProtoReflect().GetUnknown()
	if len(unknown) == 0 {
		return nil
	}
	v := &validate.Violation{}
	number, _, start := protowire.ConsumeTag(unknown)
	if number != refusedNumber || start < 0 {
		return violationError(unknownField("an unknown field"))
	}
	left, size := protowire.ConsumeBytes(unknown[start:])
	if size < 0 || proto.Unmarshal(left, v) != nil {
		return violationError(unknownField("an unknown field"))
	}
	return violationError(v)
}

func violationError(v *validate.Violation) error {
	return &protovalidate.ValidationError{Violations: []*protovalidate.Violation{{Proto: v}}}
}

// violationAt returns the violation of a rule at a path.
func violationAt(rule, text string, path ...*validate.FieldPathElement) *validate.Violation {
	v := &validate.Violation{RuleId: &rule, Message: &text}
	if len(path) > 0 {
		v.Field = &validate.FieldPath{Elements: path}
	}
	return v
}

func unknownField(text string, path ...*validate.FieldPathElement) *validate.Violation {
	return violationAt("unknown_field", text, path...)
}

// element is the part of a path that names a field.
func element(field protoreflect.FieldDescriptor) *validate.FieldPathElement {
	number, name := int32(field.Number()), string(field.Name())
	kind := descriptorpb.FieldDescriptorProto_Type(field.Kind())
	return &validate.FieldPathElement{FieldNumber: &number, FieldName: &name, FieldType: &kind}
}

// elementAt is element with the index in a list. The key of a map is not named: the caller sent it.
func elementAt(field protoreflect.FieldDescriptor, index int) *validate.FieldPathElement {
	e := element(field)
	if field.IsList() {
		e.Subscript = &validate.FieldPathElement_Index{Index: uint64(index)}
	}
	return e
}

// findUnknown returns the violation of the first unknown field of a decoded
// message or of the messages in it, or nil. The decoder bounds their depth.
func findUnknown(m protoreflect.Message) *validate.Violation {
	if unknown := m.GetUnknown(); len(unknown) > 0 {
		number, _, _ := protowire.ConsumeTag(unknown)
		return unknownField(fmt.Sprintf("unknown field %d", number))
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Message() == nil || !m.Has(field) {
			continue
		}
		if v := findUnknownIn(m.Get(field), field); v != nil {
			return v
		}
	}
	return nil
}

// findUnknownIn is findUnknown for the messages of a field.
func findUnknownIn(value protoreflect.Value, field protoreflect.FieldDescriptor) (found *validate.Violation) {
	switch {
	case field.IsMap():
		if field.MapValue().Message() == nil {
			return nil
		}
		value.Map().Range(func(_ protoreflect.MapKey, entry protoreflect.Value) bool {
			found = below(element(field), findUnknown(entry.Message()))
			return found == nil
		})
		return found
	case field.IsList():
		for i := range value.List().Len() {
			if found := below(elementAt(field, i), findUnknown(value.List().Get(i).Message())); found != nil {
				return found
			}
		}
		return nil
	default:
		return below(element(field), findUnknown(value.Message()))
	}
}

// below returns a violation with an element before its path.
func below(e *validate.FieldPathElement, v *validate.Violation) *validate.Violation {
	if v == nil {
		return nil
	}
	v.Field = &validate.FieldPath{Elements: append([]*validate.FieldPathElement{e}, v.GetField().GetElements()...)}
	return v
}

// allIfEmpty reports whether a list means everything if it is absent. An empty one is
// refused where it can be told from an absent one: who sent it meant to restrict
// something, as did who sent null in JSON.
func allIfEmpty(list protoreflect.FieldDescriptor) bool {
	switch list.FullName() {
	case "hush.v1.GenerateApiTokenRequest.scopes", "hush.v1.ListMetadataRequest.states",
		"hush.admin.v1.CreateTokenRequest.scopes", "hush.admin.v1.ListAuditRowsRequest.kinds":
		return true
	default:
		return false
	}
}

// meansAll reports whether a message has an empty list that means everything.
func meansAll(m protoreflect.Message) bool {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if field := fields.Get(i); field.IsList() && allIfEmpty(field) && !m.Has(field) {
			return true
		}
	}
	return false
}

// findEmptyList returns the violation of the first list in the protobuf text of a
// message that was sent without elements and would mean everything, or nil. Most
// writers of protobuf leave an empty list out, and then it is absent.
func findEmptyList(data []byte, m protoreflect.Message) *validate.Violation {
	if !meansAll(m) {
		return nil
	}
	for len(data) > 0 {
		number, _, size := protowire.ConsumeField(data)
		if size < 0 {
			return nil
		}
		field := m.Descriptor().Fields().ByNumber(number)
		if field != nil && !m.Has(field) && noElement(field, 0) != nil {
			return noElement(field, 0)
		}
		data = data[size:]
	}
	return nil
}

// findUnknownJSON returns the violation of the first field or name of an enum in a
// JSON text that a message of a kind does not have, or of the first empty list
// that would mean everything. It returns nil if there is none, and if the text is
// malformed, or a value of another type, before it.
func findUnknownJSON(data []byte, kind protoreflect.MessageDescriptor) *validate.Violation {
	w := &jsonWalk{in: json.NewDecoder(bytes.NewReader(data))}
	w.in.UseNumber()
	return w.message(w.next(), kind, 0)
}

// jsonWalk follows a JSON text along the fields of a message. It ends at the first
// violation and at the first thing that is no JSON or of another form than the
// field; then failed is set, and protojson's error counts.
type jsonWalk struct {
	in     *json.Decoder
	failed bool
}

// next returns the next token, or nil.
func (w *jsonWalk) next() json.Token {
	token, err := w.in.Token()
	w.failed = w.failed || err != nil
	return token
}

// more reports whether the object or list goes on.
func (w *jsonWalk) more() bool { return !w.failed && w.in.More() }

// message reads a message after its first token.
func (w *jsonWalk) message(opening json.Token, kind protoreflect.MessageDescriptor, depth int) *validate.Violation {
	if depth > jsonDepth || opening != json.Delim('{') {
		w.failed = true
		return nil
	}
	for w.more() {
		name, _ := w.next().(string)
		if w.failed {
			return nil
		}
		field := kind.Fields().ByJSONName(name)
		if field == nil {
			field = kind.Fields().ByTextName(name)
		}
		if field == nil {
			return unknownName(name)
		}
		if v := w.field(field, depth); v != nil {
			return v
		}
	}
	w.next()
	return nil
}

// knownName is the form of the names of fields, none of which has a digit. Whatever has
// another form may be anything, such as a secret or the number of a card that was
// pasted into the wrong place.
var knownName = regexp.MustCompile(`^[A-Za-z][A-Za-z_]{0,39}$`)

func unknownName(name string) *validate.Violation {
	if !knownName.MatchString(name) {
		return unknownField("an unknown field")
	}
	return unknownField("unknown field", &validate.FieldPathElement{FieldName: &name})
}

// field reads the value of a field.
func (w *jsonWalk) field(field protoreflect.FieldDescriptor, depth int) *validate.Violation {
	if !field.IsList() && !field.IsMap() {
		return below(element(field), w.value(field, depth))
	}
	opening := w.next()
	if opening == nil && !w.failed { // null
		return noElement(field, 0)
	}
	if field.IsMap() && opening != json.Delim('{') || field.IsList() && opening != json.Delim('[') {
		w.failed = true
		return nil
	}
	count := 0
	for ; w.more(); count++ {
		of := field
		if field.IsMap() {
			w.next()
			of = field.MapValue()
		}
		if v := w.value(of, depth); v != nil {
			return below(elementAt(field, count), v)
		}
	}
	w.next()
	if w.failed {
		return nil
	}
	return noElement(field, count)
}

// noElement returns the violation of a list that means everything without elements.
func noElement(field protoreflect.FieldDescriptor, count int) *validate.Violation {
	if count > 0 || !field.IsList() || !allIfEmpty(field) {
		return nil
	}
	return violationAt("repeated.min_items", "must hold at least one, or be left out for all", element(field))
}

// value reads one value: that of a field, or an element of a list or map.
func (w *jsonWalk) value(field protoreflect.FieldDescriptor, depth int) *validate.Violation {
	token := w.next()
	if kind := field.Message(); token != nil && kind != nil && kind.ParentFile().Package() != "google.protobuf" {
		return w.message(token, kind, depth+1)
	}
	if _, compound := token.(json.Delim); compound {
		w.failed = true // nothing else than messages has parts
		return nil
	}
	if name, ok := token.(string); ok && field.Enum() != nil && field.Enum().Values().ByName(protoreflect.Name(name)) == nil {
		return violationAt("enum.defined_only", "is no value that the service knows")
	}
	return nil
}
