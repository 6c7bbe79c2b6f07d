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

// Names are the names of the parameters that routes read. Errors contain no others, in
// the routes' own spelling: the names in a misread body may be a secret. The zero value
// has none.
type Names struct {
	bases  map[string]bool // without brackets
	guards []guard
}

// NamesOf returns the names of the parameters that are described.
func NamesOf(all []Field) Names {
	n := Names{bases: make(map[string]bool)}
	for _, field := range all {
		if field.Name == AnyName {
			continue
		}
		base, _, _ := strings.Cut(field.Name, "[")
		n.bases[base] = true
		if field.Guarded && !n.isGuard(field.Name) {
			n.guards = append(n.guards, newGuard(field.Name))
		}
	}
	return n
}

// have reports whether routes read a name, given without its brackets.
func (n Names) have(base string) bool { return n.bases[base] }

// isGuard reports whether near misses of a name are refused.
func (n Names) isGuard(name string) bool {
	return slices.ContainsFunc(n.guards, func(g guard) bool { return g.name == name })
}

// inErrors returns what errors call a parameter.
func (n Names) inErrors(name string) string {
	if parts, _ := splitName(name); parts != nil && n.have(parts[0]) {
		return parts[0]
	}
	return aParameter
}

// aParameter stands for names that no route reads.
const aParameter = "a parameter"
