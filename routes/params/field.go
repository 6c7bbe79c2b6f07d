package params

// Form is the form of a parameter's value.
type Form string

// The forms.
const (
	// FormText is plain text.
	FormText Form = "text"
	// FormVerbatim is text, and neither a number nor a boolean of JSON, whose text is
	// unclear.
	FormVerbatim Form = "verbatim"
	// FormSpoken is text that people tell each other, or the number that JSON has in its
	// place.
	FormSpoken Form = "spoken"
	// FormTexts is one text or a list of texts.
	FormTexts Form = "texts"
	// FormKeys is comma-separated keys, or a list of them.
	FormKeys Form = "keys"
	// FormFlag is true or false, 1 or 0.
	FormFlag Form = "flag"
	// FormInteger is a whole number.
	FormInteger Form = "integer"
	// FormPosition is a line or a column: anything but a positive whole number counts as
	// none.
	FormPosition Form = "position"
	// FormDuration is a number of seconds, or a number with one of the units s,
	// m, h, d, w.
	FormDuration Form = "duration"
	// FormFile is the bytes of a part of the body.
	FormFile Form = "file"
)

// isText reports whether a value is text, of which & may cut off a part.
func (f Form) isText() bool {
	return f == FormText || f == FormVerbatim || f == FormSpoken || f == FormTexts
}

// Field describes a parameter of a route, once for all: the decoder of the route, the
// errors and the documents read it here.
type Field struct {
	// Name is the plain name, such as ttl or brand[colour]. AnyName means every
	// name.
	Name string
	Form Form
	// Becomes is the field of the RPC's request that gets the value, such as ttl or
	// brand.colour. If several parameters become a list, it has the values of all; if they
	// become a file, the first one that is not empty. It is empty if only the route needs
	// the value.
	Becomes string
	// Required reports whether the route refuses requests without the
	// parameter.
	Required bool
	// Nullable reports whether null unsets what the service has.
	Nullable bool
	// Guarded refuses names that are almost this one, see Params.NearMiss.
	Guarded bool
	// About describes the parameter in documents, where the comment of the field that it
	// becomes does not.
	About string
}

// AnyName is the name of a field that means every parameter.
const AnyName = "*"
