package vault

import "hush/vault/audit"

type (
	// AuditFilter selects rows of the audit trail.
	AuditFilter = audit.Filter
	// AuditRow is a row of the audit trail.
	AuditRow = audit.Row
)

// AuditKinds returns the words for what the audit trail records.
func AuditKinds() (words []string) {
	for _, kind := range audit.Types() {
		words = append(words, kind.String())
	}
	return words
}

// NewAuditFilter returns a filter without bounds for rows of these kinds. ok is
// false if one of the words is unknown.
func NewAuditFilter(kinds ...string) (f AuditFilter, ok bool) {
	for _, word := range kinds {
		kind, known := audit.ParseType(word)
		if !known {
			return f, false
		}
		f.Kinds = append(f.Kinds, kind)
	}
	return f, true
}
