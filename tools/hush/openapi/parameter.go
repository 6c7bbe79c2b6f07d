package main

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hush/routes"
	"hush/routes/params"
)

// takenBy returns the parameters of a route besides those of its path, each of which has
// a name of its own.
func takenBy(r routes.Endpoint) []routes.Param {
	return slices.DeleteFunc(slices.Clone(r.Params), func(p routes.Param) bool {
		return p.In == "path" || p.Name == params.AnyName
	})
}

// jsonPath is where a parameter goes in an RPC's request, as the contract's JSON spells it.
func jsonPath(p routes.Param) []string {
	if p.Becomes == "" {
		return nil
	}
	names := strings.Split(p.Becomes, ".")
	for i, name := range names {
		names[i] = camel(name)
	}
	return names
}

// camel is a name as the contract's JSON spells it.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// inherited are the rules of a field that a parameter keeps.
func inherited() []string {
	return []string{"description", "minLength", "maxLength", "pattern", "minimum", "maximum", "maxItems", "enum"}
}

// schemaOf describes a parameter, with the rules of the RPC's field. The rules of times
// and bytes are about another form of the value.
func schemaOf(p routes.Param, field *yaml.Node) *yaml.Node {
	if p.Form == params.FormDuration || p.Form == params.FormFile {
		field = nil
	}
	out := typed(p, field)
	for _, rule := range inherited() {
		set(out, rule, at(field, rule))
	}
	if p.About != "" {
		set(out, "description", p.About)
	}
	return out
}

// typed is what JSON holds. Text is taken in the place of all but lists, as forms have
// nothing else.
func typed(p routes.Param, field *yaml.Node) *yaml.Node {
	name := "string"
	switch p.Form {
	case params.FormFlag:
		name = "boolean"
	case params.FormInteger, params.FormPosition:
		name = "integer"
	case params.FormTexts, params.FormKeys:
		return object("type", "array", "items", at(field, "items"))
	case params.FormDuration:
		return object("anyOf", list(object("type", "number"), object("type", "string")))
	default: // text
	}
	out := object("type", name)
	if p.Nullable {
		set(out, "type", []string{name, "null"})
	}
	if p.Form == params.FormFile {
		set(out, "contentMediaType", "application/octet-stream")
	}
	return out
}

// bodyOf describes a list of parameters as the members of one object. fields
// finds the schema of an RPC's field.
func bodyOf(list []routes.Param, fields func(path []string) *yaml.Node) *yaml.Node {
	properties, required := object(), []string{}
	for _, p := range list {
		schema := schemaOf(p, fields(jsonPath(p)))
		if p.Required {
			required = append(required, p.Name)
		}
		outer, inner, nested := strings.Cut(strings.TrimSuffix(p.Name, "]"), "[")
		if !nested {
			set(properties, p.Name, schema)
			continue
		}
		if at(properties, outer) == nil {
			set(properties, outer, object("type", "object", "properties", object()))
		}
		set(at(properties, outer, "properties"), inner, schema)
	}
	out := object("type", "object")
	if len(required) > 0 {
		set(out, "required", required)
	}
	set(out, "properties", properties)
	return out
}
