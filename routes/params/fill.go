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
	into  protoreflect.FieldDescriptor
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
	holder, name := message, field.Becomes
	if outer, inner, nested := strings.Cut(name, "."); nested {
		t.outer = message.Fields().ByName(protoreflect.Name(outer))
		if t.outer == nil || t.outer.Message() == nil {
			return t, errNoField(message, field)
		}
		holder, name = t.outer.Message(), inner
	}
	t.into = holder.Fields().ByName(protoreflect.Name(name))
	if t.into == nil || !t.fits() {
		return t, errNoField(message, field)
	}
	return t, nil
}

func errNoField(message protoreflect.MessageDescriptor, field Field) error {
	return fmt.Errorf("parameter %s: %s has no field %s for it", field.Name, message.FullName(), field.Becomes)
}

// fits reports whether the field is for values of the parameter's form. Lists and files
// are fields of the message itself.
func (t *target) fits() bool {
	if t.into.IsList() != (t.Form == FormTexts || t.Form == FormKeys) {
		return false
	}
	switch t.Form {
	case FormTexts, FormKeys:
		return t.into.Kind() == protoreflect.StringKind && t.outer == nil
	case FormFlag:
		return t.into.Kind() == protoreflect.BoolKind
	case FormInteger, FormPosition:
		return t.into.Kind() == protoreflect.Int32Kind
	case FormDuration:
		return t.into.Message() == new(durationpb.Duration).ProtoReflect().Descriptor()
	case FormFile:
		return t.into.Kind() == protoreflect.BytesKind && t.outer == nil
	default: // text
		return t.into.Kind() == protoreflect.StringKind
	}
}

// Fill puts the values of the parameters into a message, in the order of their
// descriptions. A parameter without a value leaves its field as it is. The error is
// that of the first one that is refused.
func (f Filler) Fill(p Params, message protoreflect.Message) error {
	for i := range f.targets {
		if err := f.targets[i].put(p, message); err != nil {
			return err
		}
	}
	return nil
}

func (t *target) put(p Params, message protoreflect.Message) error {
	switch t.Form {
	case FormTexts, FormKeys:
		read := p.list
		if t.Form == FormKeys {
			read = p.keys
		}
		texts, err := read(t.Name)
		if err != nil || len(texts) == 0 {
			return err
		}
		list := message.Mutable(t.into).List()
		for _, text := range texts {
			list.Append(protoreflect.ValueOfString(text))
		}
		return nil
	case FormFile:
		if message.Has(t.into) {
			return nil
		}
	default:
	}
	optional := t.into.HasOptionalKeyword()
	if optional {
		if given, err := p.Optional(t.Name); err != nil || given == nil {
			return err
		}
	}
	value, empty, err := t.value(p)
	if err != nil || empty && !optional {
		return err
	}
	if t.outer != nil {
		message = message.Mutable(t.outer).Message()
	}
	message.Set(t.into, value)
	return nil
}

// value returns the single value of the parameter, and whether it is that of a field that
// is not set.
func (t *target) value(p Params) (value protoreflect.Value, empty bool, err error) {
	switch t.Form {
	case FormFlag:
		on, err := p.flag(t.Name)
		return protoreflect.ValueOfBool(on), !on, err
	case FormInteger:
		number, err := p.integer(t.Name)
		return protoreflect.ValueOfInt32(number), number == 0, err
	case FormPosition:
		number, err := p.position(t.Name)
		return protoreflect.ValueOfInt32(number), number == 0, err
	case FormDuration:
		lifetime, err := p.duration(t.Name)
		return protoreflect.ValueOfMessage(lifetime.ProtoReflect()), lifetime == nil, err
	case FormFile:
		content, err := p.file(t.Name)
		return protoreflect.ValueOfBytes(content), len(content) == 0, err
	case FormVerbatim:
		text, err := p.verbatim(t.Name)
		return protoreflect.ValueOfString(text), text == "", err
	case FormSpoken:
		text, err := p.spoken(t.Name)
		return protoreflect.ValueOfString(text), text == "", err
	default:
		text, err := p.Text(t.Name)
		return protoreflect.ValueOfString(text), text == "", err
	}
}
