package routes

import (
	"bytes"
	"encoding/json"
	"net/http"

	"hush/routes/refusal"
)

// writeJSON writes a response in the form of all API paths: compact, not
// escaped for HTML, and never cached.
func writeJSON(w http.ResponseWriter, status int, answer any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		status = http.StatusInternalServerError
		b.Reset()
		b.WriteString(`{"message":"` + refusal.TextInternal + `"}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	// If the client is gone, the response is lost.
	_, _ = w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
