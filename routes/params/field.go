package params

// Form is the form of a parameter's value.
type Form string

// The forms.
const (
	// FormText is plain text.
	FormText Form = "text"
	// FormTexts is one text or a list of texts.
	FormTexts Form = "texts"
	// FormKeys is comma-separated keys, or a list of them.
	FormKeys Form = "keys"
	// FormFlag is true or false, 1 or 0.
	FormFlag Form = "flag"
	// FormInteger is a whole number.
	FormInteger Form = "integer"
	// FormDuration is a number of seconds, or a number with one of the units s,
	// m, h, d, w.
	FormDuration Form = "duration"
	// FormFile is the bytes of a part of the body.
	FormFile Form = "file"
)

// Field declares a parameter that a route reads.
type Field struct {
	// Name is the plain name, such as ttl or brand[colour]. AnyName means every
	// name.
	Name string
	Form Form
	// Required reports whether the route refuses requests without the
	// parameter.
	Required bool
}

// AnyName is the name of a field that means every parameter.
const AnyName = "*"

// Optional declares parameters that a request may leave out.
func Optional(form Form, names ...string) []Field { return declare(form, false, names) }

// Required declares parameters that a request must have.
func Required(form Form, names ...string) []Field { return declare(form, true, names) }

func declare(form Form, required bool, names []string) []Field {
	fields := make([]Field, 0, len(names))
	for _, name := range names {
		fields = append(fields, Field{Name: name, Form: form, Required: required})
	}
	return fields
}
