package params

import (
	"slices"
	"strings"
)

// splitName takes a name apart, without the wrapper secret[...], and reports
// whether it ends in []. It returns nil for a name of a wrong shape.
func splitName(name string) (parts []string, list bool) {
	if len(name) > maxName {
		return nil, false
	}
	base, rest, nested := strings.Cut(name, "[")
	if base == "" || strings.Contains(base, "]") {
		return nil, false
	}
	parts = []string{base}
	if !nested {
		return parts, false
	}
	inner, closed := strings.CutSuffix(rest, "]")
	if !closed {
		return nil, false
	}
	for part := range strings.SplitSeq(inner, "][") {
		if strings.ContainsAny(part, "[]") {
			return nil, false
		}
		parts = append(parts, part)
	}
	if last := len(parts) - 1; parts[last] == "" {
		parts, list = parts[:last], true
	}
	if len(parts) > 1 && base == "secret" && parts[1] != "" {
		parts = parts[1:]
	}
	return parts, list
}

// nestedName is the name of what is below a name, as a form spells it.
func nestedName(name, below string) string {
	if len(name)+len(below) > maxName {
		return "[" // names nothing, like the long name that it stands for
	}
	return name + "[" + below + "]"
}

// known returns how an error may call a parameter. Errors tell names that routes
// read, in the routes' own spelling: a body that is not what it seems may hold a
// secret in its names.
func known(name string) string {
	if parts, _ := splitName(name); parts != nil && Known(parts[0]) {
		return parts[0]
	}
	return aParameter
}

// Known reports whether errors may tell the name of a parameter, without what
// follows in brackets.
func Known(name string) bool { return slices.Contains(ownNames(), name) }

// aParameter is a name that no route reads.
const aParameter = "a parameter"

func ownNames() []string {
	return []string{
		"secret", "ttl", "passphrase", "recipient", "share_domain", "kind", "continue",
		"memo", "keys", "identifiers", "shrimp", "length", "character_sets",
		"confirmation", "currentp", "newp", "newp2", "locale", "domain", "brand", "logo", "image", "icon",
		"msg", "tz", "version", "authenticity_payload", "action",
		"message", "type", "stack", "url", "line", "column", "user_agent", "environment", "release",
	}
}
