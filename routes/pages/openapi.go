package pages

import (
	"net/http"

	"hush/handlers/chain"
	"hush/openapi"
)

const (
	// documentPath is where the OpenAPI description of the API is.
	documentPath = "/openapi.yaml"
	typeYAML     = "application/yaml"
)

// document serves the OpenAPI description. It is the same for everybody.
func document() http.HandlerFunc {
	file := newAsset(typeYAML, briefly, openapi.Document())
	return func(w http.ResponseWriter, r *http.Request) {
		chain.Route(r, documentPath)
		file.answer(w, r.Header, http.StatusOK)
	}
}
