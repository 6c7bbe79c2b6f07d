package audit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"testing"

	"hush/vault/audit"
	"hush/vault/vaulttest"
)

// auditConstants returns the names of the constants of type Type.
func auditConstants(t *testing.T) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "record.go", nil, 0)
	vaulttest.Want(t, "ParseFile()", err, nil)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Type" {
				names = append(names, spec.Names[0].Name)
			}
		}
		return true
	})
	return names
}

// Each type has a word of its own, which leads back to it, and the operator's
// document lists all of them and no other.
func TestAuditWords(t *testing.T) {
	t.Parallel()
	vaulttest.Want(t, "types with a word", len(audit.Types()), len(auditConstants(t)))
	var words []string
	for _, kind := range audit.Types() {
		word := kind.String()
		if slices.Contains(words, word) {
			t.Errorf("Type(%d).String(): got %q, which another type has", kind, word)
		}
		words = append(words, word)
		if got, ok := audit.ParseType(word); got != kind || !ok {
			t.Errorf("ParseType(%q): got %d, %v, want %d", word, got, ok, kind)
		}
	}
	if _, ok := audit.ParseType("unknown"); ok {
		t.Error(`ParseType("unknown"): got a type, want none`)
	}
	document, err := os.ReadFile("../../docs/operations/audit.md")
	vaulttest.Want(t, "ReadFile(audit.md)", err, nil)
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(string(document), -1) {
		listed = append(listed, row[1])
	}
	slices.Sort(words)
	slices.Sort(listed)
	if !slices.Equal(listed, words) {
		t.Errorf("kinds in docs/operations/audit.md: got %q, want %q", listed, words)
	}
}

// A row about a secret names its receipt's row, one about an account its id, and one
// about a root key its kid.
func TestAuditSubject(t *testing.T) {
	t.Parallel()
	r := sampleAudit()
	text, account := r.SubjectText()
	vaulttest.Want(t, "digits of a receipt's row", len(text), 44)
	vaulttest.Want(t, "subject is an account", account, false)
	r.Kind = audit.Role
	text, account = r.SubjectText()
	vaulttest.Want(t, "digits of an account's id", len(text), 32)
	vaulttest.Want(t, "subject is an account", account, true)
	r.Kind = audit.KeyRetired
	text, account = r.SubjectText()
	vaulttest.Want(t, "digits of a kid", len(text), 8)
	vaulttest.Want(t, "subject is an account", account, false)
}
