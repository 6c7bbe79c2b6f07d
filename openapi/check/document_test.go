// Package check_test checks the OpenAPI description as users of it would: with a
// validator, and with a client generated from it. It is a module of its own, so
// that Hush does not depend on what it needs. `make check-openapi` runs it.
package check_test

import (
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"

	"hush/openapi"
)

// root is the folder of the source tree.
const root = "../.."

func newDocument(t *testing.T) libopenapi.Document {
	t.Helper()
	document, err := libopenapi.NewDocument(openapi.Document())
	if err != nil {
		t.Fatalf("NewDocument(): got error %v", err)
	}
	return document
}

func newValidator(t *testing.T) validator.Validator {
	t.Helper()
	v, errs := validator.NewValidator(newDocument(t))
	if len(errs) > 0 {
		t.Fatalf("NewValidator(): got errors %v", errs)
	}
	return v
}

func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	valid, errs := newValidator(t).ValidateDocument()
	for _, err := range errs {
		t.Errorf("ValidateDocument(): got %v, %v", err, err.SchemaValidationErrors)
	}
	if !valid && len(errs) == 0 {
		t.Error("ValidateDocument(): got an invalid document, want a valid one")
	}
}
