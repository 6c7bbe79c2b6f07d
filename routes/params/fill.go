package params

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Filler puts parameters into the fields of a message that they become.
type Filler struct{ targets []target }

// target is a parameter and the field that it becomes.
type target struct {
	Field
	outer protoreflect.FieldDescriptor // the message that has the field; nil for the one that is filled
	field protoreflect.FieldDescriptor
}

// NewFiller returns a filler for messages of one type. It passes over parameters that
// become no field, and returns an error if the type lacks a field that a parameter
// becomes, or has it for other values.
func NewFiller(message protoreflect.MessageDescriptor, fields []Field) (Filler, error) {
	var f Filler
	for _, field := range fields {
		if field.Becomes == "" {
			continue
		}
		t, err := newTarget(message, field)
		if err != nil {
			return Filler{}, err
		}
		f.targets = append(f.targets, t)
	}
	return f, nil
}

func newTarget(message protoreflect.MessageDescriptor, field Field) (target, error) {
	t := target{Field: field}
	outer, name, nested := strings.Cut(field.Becomes, ".")
	if !nested {
		outer, name = "", field.Becomes
	}
	holder := message
	if nested {
		if t.outer = message.Fields().ByName(protoreflect.Name(outer)); t.outer != nil {
			holder = t.outer.Message()
		}
	}
	if holder != nil {
		t.field = holder.Fields().ByName(protoreflect.Name(name))
	}
	if nested && t.outer == nil || t.field == nil || !t.fits() {
		return t, fmt.Errorf("parameter %s: %s has no field %s for it", field.Name, message.FullName(), field.Becomes)
	}
	return t, nil
}

// fits reports whether the field is for values of the parameter's form.
func (t target) fits() bool {
	list := t.Form == FormTexts || t.Form == FormKeys
	kind := protoreflect.StringKind
	switch t.Form {
	case FormFlag:
		kind = protoreflect.BoolKind
	case FormInteger, FormPosition:
		kind = protoreflect.Int32Kind
	case FormDuration:
		return t.field.Message() == new(durationpb.Duration).ProtoReflect().Descriptor() && !t.field.IsList()
	case FormFile:
		kind = protoreflect.BytesKind
	default: // text
	}
	return t.field.Kind() == kind && t.field.IsList() == list
}

// Fill puts the values of the parameters into a message, in the order of their
// descriptions. A parameter without a value leaves its field as it is. The error is
// that of the first one that is refused.
func (f Filler) Fill(p Params, message protoreflect.Message) error {
	for _, t := range f.targets {
		if err := t.fill(p, message); err != nil {
			return err
		}
	}
	return nil
}

func (t target) fill(p Params, message protoreflect.Message) error {
	switch t.Form {
	case FormTexts, FormKeys:
		return t.fillList(p, message)
	case FormFile:
		if message.Has(t.field) {
			return nil
		}
	default:
	}
	optional := t.field.HasOptionalKeyword()
	if optional {
		if given, err := p.Optional(t.Name); err != nil || given == nil {
			return err
		}
	}
	value, empty, err := t.read(p)
	if err != nil || empty && !optional {
		return err
	}
	if t.outer != nil {
		message = message.Mutable(t.outer).Message()
	}
	message.Set(t.field, value)
	return nil
}

func (t target) fillList(p Params, message protoreflect.Message) error {
	read := p.List
	if t.Form == FormKeys {
		read = p.Keys
	}
	texts, err := read(t.Name)
	if err != nil || len(texts) == 0 {
		return err
	}
	list := message.Mutable(t.field).List()
	for _, text := range texts {
		list.Append(protoreflect.ValueOfString(text))
	}
	return nil
}

// read returns the single value of the parameter, and whether it is that of a field that
// is not set.
func (t target) read(p Params) (value protoreflect.Value, empty bool, err error) {
	switch t.Form {
	case FormFlag:
		on, err := p.Flag(t.Name)
		return protoreflect.ValueOfBool(on), !on, err
	case FormInteger:
		number, err := p.Integer(t.Name)
		return protoreflect.ValueOfInt32(number), number == 0, err
	case FormPosition:
		number, err := p.Position(t.Name)
		return protoreflect.ValueOfInt32(number), number == 0, err
	case FormDuration:
		lifetime, err := p.Duration(t.Name)
		return protoreflect.ValueOfMessage(lifetime.ProtoReflect()), lifetime == nil, err
	case FormFile:
		content, err := p.File(t.Name)
		return protoreflect.ValueOfBytes(content), len(content) == 0, err
	default:
		text, err := t.readText(p)
		return protoreflect.ValueOfString(text), text == "", err
	}
}

func (t target) readText(p Params) (string, error) {
	switch t.Form {
	case FormVerbatim:
		return p.Verbatim(t.Name)
	case FormSpoken:
		return p.Spoken(t.Name)
	default:
		return p.Text(t.Name)
	}
}
