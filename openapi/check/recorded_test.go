package check_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi-validator/errors"

	"hush/openapi/recorded"
)

// Recorded exchanges match the document: every response, and every accepted
// request in the form that the document describes. It does not describe the
// wrapper secret[...], booleans as strings in JSON, parameters in the query of a
// POST, and bodies without a type.
func TestRecordedExchangesFit(t *testing.T) {
	t.Parallel()
	all, err := recorded.Read(os.DirFS(root))
	if err != nil {
		t.Fatalf("Read(): got error %v", err)
	}
	v := newValidator(t)
	templates := templatesByMethod(t)
	answers, requests := 0, 0
	for _, e := range all {
		template := recorded.Template(templates[e.Method], e.Path())
		if template == "" || e.Method == http.MethodOptions || !e.Answer.HoldsJSON() {
			continue
		}
		request := httpRequest(e)
		if isRefusedBefore(e) {
			continue
		}
		answers++
		answer := httpAnswer(e)
		if valid, errs := v.ValidateHttpResponse(request, answer); !valid {
			report(t, e, "answer", errs)
		}
		answer.Body.Close()
		if e.Status != http.StatusOK || !isPlain(e) {
			continue
		}
		requests++
		if valid, errs := v.ValidateHttpRequest(httpRequest(e)); !valid {
			report(t, e, "request", errs)
		}
	}
	t.Logf("%d answers and %d requests fit", answers, requests)
	if answers < 300 || requests < 60 {
		t.Errorf("got %d answers and %d requests that fit, want 300 and 60 or more", answers, requests)
	}
}

// templatesByMethod returns the paths of the document by their HTTP methods.
func templatesByMethod(t *testing.T) map[string][]string {
	t.Helper()
	model, err := newDocument(t).BuildV3Model()
	if err != nil {
		t.Fatalf("BuildV3Model(): got error %v", err)
	}
	all := map[string][]string{}
	for path, item := range model.Model.Paths.PathItems.FromOldest() {
		for method := range item.GetOperations().FromOldest() {
			method = strings.ToUpper(method)
			all[method] = append(all[method], path)
		}
	}
	return all
}

// isRefusedBefore reports whether a request was refused before it met its route,
// with a status that no route has.
func isRefusedBefore(e recorded.Exchange) bool {
	return e.Status == http.StatusMethodNotAllowed
}

// isPlain reports whether a request is in the form that the document describes.
func isPlain(e recorded.Exchange) bool {
	body := e.Request.Body
	if body == "" && e.Method != http.MethodGet && strings.Contains(e.Target, "?") {
		return false
	}
	switch e.Request.Header.Get("Content-Type") {
	case "application/json":
		return !strings.Contains(body, `"secret":{`) && !strings.Contains(body, `"continue":"`)
	case "application/x-www-form-urlencoded":
		return !strings.Contains(body, "secret[")
	default:
		return body == ""
	}
}

func httpRequest(e recorded.Exchange) *http.Request {
	r := httptest.NewRequest(e.Method, "https://hush.example"+e.Target, strings.NewReader(e.Request.Body))
	r.Header = e.Request.Header.Clone()
	return r
}

func httpAnswer(e recorded.Exchange) *http.Response {
	return &http.Response{
		StatusCode: e.Status, Header: e.Answer.Header.Clone(), Body: io.NopCloser(strings.NewReader(e.Answer.Body)),
	}
}

func report(t *testing.T, e recorded.Exchange, what string, errs []*errors.ValidationError) {
	t.Helper()
	for _, err := range errs {
		t.Errorf("%s of %s %s (%d): got %s: %s", what, e.Method, e.Target, e.Status, err.Message, err.Reason)
		for _, detail := range err.SchemaValidationErrors {
			t.Errorf("  %s at %s", detail.Reason, detail.FieldPath)
		}
	}
}
