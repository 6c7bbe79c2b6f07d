package params

import (
	"slices"
	"strings"
)

// splitName splits a name, without the wrapper secret[...], and reports whether
// it ends in []. It returns nil for a malformed name.
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

// nestedName returns the form name of a member below a name.
func nestedName(name, below string) string {
	if len(name)+len(below) > maxName {
		return "[[" + below + "]" // matches nothing, like the long name, but may be a near miss
	}
	return name + "[" + below + "]"
}

// known returns the name of a parameter for errors. Errors only contain names
// that routes read, in the routes' own spelling: the names in a misread body
// may be a secret.
func known(name string) string {
	if parts, _ := splitName(name); parts != nil && Known(parts[0]) {
		return parts[0]
	}
	return aParameter
}

// Known reports whether errors may contain the name of a parameter, given
// without its brackets.
func Known(name string) bool { return slices.Contains(ownNames(), name) }

// aParameter stands for names that no route reads.
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
