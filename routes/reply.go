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
	body, err := encode(answer)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"message":"`+refusal.TextInternal+`"}`)
	}
	h := w.Header()
	// One piece of memory instead of four. Each list has room for one value only,
	// so that nothing that is added to one gets into the next.
	values := []string{"application/json; charset=utf-8", "no-store", "nosniff", "no-referrer"}
	h["Content-Type"] = values[0:1:1]
	h["Cache-Control"] = values[1:2:2]
	h["X-Content-Type-Options"] = values[2:3:3]
	h["Referrer-Policy"] = values[3:4:4]
	w.WriteHeader(status)
	// If the client is gone, the response is lost.
	_, _ = w.Write(body)
}

// encode returns an answer as JSON. Those of the hot routes append themselves.
func encode(answer any) ([]byte, error) {
	if hot, ok := answer.(appender); ok {
		return hot.appendJSON(nil), nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
