package main

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parameter is what a route of v1, v2 or v3 takes besides the key of its path.
// A test asks the server whether the table is true.
type parameter struct {
	// name is spelled as in forms: brand[locale] is the member locale of brand.
	name string
	// field is the RPC's field that it becomes, by its name in JSON, with dots
	// for nested ones. Empty for what only the route knows.
	field string
	// kind is what JSON holds, where it is no text.
	kind kind
	// text describes it, where the field's comment does not.
	text     string
	required bool
	nullable bool
	binary   bool // a file
}

// kind is a type of JSON. Text is taken in the place of all but lists, as forms
// have nothing else.
type kind int

const (
	text kind = iota
	flag
	number
	texts
	lifetime // a number of seconds, or text with a unit
)

const (
	ttlText = "The lifetime: a number of seconds, or a number with a unit, as in `90s`, `15m`, `1h`, `3d` or `1w`. " +
		"Less than a minute becomes a minute, and more than the caller's maximum becomes the maximum. Empty, 0 and -1 become 7 days, and any other value is refused."
	continueText = "Must be true, because the effect cannot be undone."
	keysText     = "1 to 25 keys, as a list or separated by commas in one string."
)

// parametersOf is the table of parameters, by version and operation.
func parametersOf(version, operation string) []parameter {
	first, second, both := strings.Cut(operation, " or ")
	switch {
	case both && strings.HasPrefix(operation, "GenerateSecret"):
		kind := parameter{name: "kind", text: "`generate` generates the secret; any other value conceals `secret`."}
		return merged([]parameter{kind}, parametersOf(version, second), parametersOf(version, first))
	case both:
		sure := parameter{name: "continue", kind: flag, text: "True reveals the secret. Otherwise the response describes it, and nothing is consumed."}
		return merged([]parameter{sure}, parametersOf(version, first), parametersOf(version, second))
	case version != "v1" && operation == "BurnSecret":
		return []parameter{
			{name: "continue", kind: flag, text: continueText, required: true},
			{name: "passphrase", field: "passphrase"},
		}
	}
	return byOperation()[operation]
}

// merged joins lists, the first of each name. What only one of the operations
// requires is not required.
func merged(lists ...[]parameter) []parameter {
	var all []parameter
	for _, one := range slices.Concat(lists...) {
		if !slices.ContainsFunc(all, func(p parameter) bool { return p.name == one.name }) {
			one.required = false
			all = append(all, one)
		}
	}
	return all
}

func byOperation() map[string][]parameter {
	payload := parameter{name: "authenticity_payload", field: "authenticityPayload"}
	terms := []parameter{
		{name: "ttl", kind: lifetime, text: ttlText},
		{name: "passphrase", field: "passphrase"},
		{name: "recipient", field: "recipients", kind: texts},
		{name: "share_domain", field: "shareDomain"},
		payload,
	}
	keys := []parameter{
		{name: "keys", field: "secretKeys", kind: texts, text: keysText},
		{name: "identifiers", field: "secretKeys", kind: texts, text: "Another name for `keys`."},
	}
	return map[string][]parameter{
		"ConcealSecret": append([]parameter{{name: "secret", field: "secret", required: true}}, terms...),
		"GenerateSecret": append(slices.Clone(terms),
			parameter{name: "length", field: "length", kind: number},
			parameter{name: "character_sets[uppercase]", field: "characterSets.uppercase", kind: flag},
			parameter{name: "character_sets[lowercase]", field: "characterSets.lowercase", kind: flag},
			parameter{name: "character_sets[numbers]", field: "characterSets.numbers", kind: flag},
			parameter{name: "character_sets[symbols]", field: "characterSets.symbols", kind: flag},
			parameter{name: "character_sets[exclude_ambiguous]", field: "characterSets.excludeAmbiguous", kind: flag},
		),
		"RevealSecret":     {{name: "passphrase", field: "passphrase"}},
		"BurnSecret":       {{name: "passphrase", field: "passphrase"}},
		"ListSecretStatus": keys,
		"BatchGetMetadata": {
			{name: "keys", field: "metadataKeys", kind: texts, text: keysText},
			{name: "identifiers", field: "metadataKeys", kind: texts, text: "Another name for `keys`."},
		},
		"UpdateMetadata": {{name: "memo", field: "memo", required: true}},
		"DestroyAccount": {{name: "confirmation", field: "confirmation", required: true}},
		"ChangeAccountPassword": {
			{name: "currentp", field: "currentPassword", required: true},
			{name: "newp", field: "newPassword", required: true},
			{name: "newp2", text: "The new password again.", required: true},
		},
		"UpdateLocale":      {{name: "locale", field: "locale", required: true}},
		"AddDomain":         {{name: "domain", field: "domain", required: true}},
		"UpdateDomainBrand": brandParameters(),
		"UpdateDomainLogo": {
			{name: "logo", text: "The image: PNG, JPEG or GIF.", binary: true},
			{name: "image", text: "Another name for `logo`.", binary: true},
			{name: "icon", text: "Another name for `logo`.", binary: true},
		},
		"AltchaChallenge":  {{name: "action", field: "action"}},
		"AltchaVerify":     {withRequired(payload), {name: "action", field: "action"}},
		"AltchaVerifySpam": {withRequired(payload)},
		"ReceiveFeedback": {
			{name: "msg", field: "message", required: true}, {name: "tz", field: "timeZone"}, {name: "version", field: "version"}, payload,
		},
		"ReceiveException": {
			{name: "message", field: "message", required: true}, {name: "type", field: "type"}, {name: "stack", field: "stack"},
			{name: "url", field: "url"}, {name: "line", field: "line", kind: number}, {name: "column", field: "column", kind: number},
			{name: "user_agent", field: "userAgent"}, {name: "environment", field: "environment"}, {name: "release", field: "release"},
		},
		"ValidateShrimp": {{name: "shrimp", field: "shrimp", text: "The token to check. The header `O-Shrimp` takes precedence."}},
	}
}

func withRequired(p parameter) parameter {
	p.required = true
	return p
}

func brandParameters() []parameter {
	var all []parameter
	for _, name := range []string{
		"primary_color", "colour", "font_family", "corner_style", "instructions_pre_reveal", "instructions_reveal",
		"instructions_post_reveal", "description", "locale", "button_text_light", "allow_public_homepage", "allow_public_api",
	} {
		p := parameter{name: "brand[" + name + "]", field: "brand." + camel(name), nullable: true}
		if strings.HasPrefix(name, "allow") || name == "button_text_light" {
			p.kind = flag
		}
		all = append(all, p)
	}
	return all
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

// schema describes a parameter, with the rules of the RPC's field.
func (p parameter) schema(field *yaml.Node) *yaml.Node {
	out := p.typed(field)
	for _, rule := range inherited() {
		set(out, rule, at(field, rule))
	}
	if p.text != "" {
		set(out, "description", p.text)
	}
	return out
}

func (p parameter) typed(field *yaml.Node) *yaml.Node {
	name := "string"
	switch p.kind {
	case flag:
		name = "boolean"
	case number:
		name = "integer"
	case texts:
		return object("type", "array", "items", at(field, "items"))
	case text:
	case lifetime:
		return object("anyOf", list(object("type", "number"), object("type", "string")))
	}
	out := object("type", name)
	if p.nullable {
		set(out, "type", []string{name, "null"})
	}
	if p.binary {
		set(out, "contentMediaType", "application/octet-stream")
	}
	return out
}

// schemaOf describes a list of parameters as the members of one object. fields
// finds the schema of an RPC's field.
func schemaOf(list []parameter, fields func(name string) *yaml.Node) *yaml.Node {
	properties, required := object(), []string{}
	for _, p := range list {
		schema := p.schema(fields(p.field))
		if p.required {
			required = append(required, p.name)
		}
		outer, inner, nested := strings.Cut(strings.TrimSuffix(p.name, "]"), "[")
		if !nested {
			set(properties, p.name, schema)
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
