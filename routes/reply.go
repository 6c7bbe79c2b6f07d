package routes

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// writeJSON answers in the form that all API paths share: compact, nothing
// escaped for HTML, never stored by anybody.
func writeJSON(w http.ResponseWriter, status int, answer any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		status = http.StatusInternalServerError
		b.Reset()
		b.WriteString(`{"message":"` + textInternal + `"}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	// An answer that cannot be delivered is lost; there is nobody left to tell.
	_, _ = w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// setRetryAfter tells when to come back: in whole seconds, rounded up, so that
// nobody comes too early.
func setRetryAfter(w http.ResponseWriter, refused *refusal) {
	wait := refused.retry
	if wait <= 0 && refused.class == classLimited && !refused.forGood {
		wait = time.Minute // a limit without a delay: any honest guess will do
	}
	if wait > 0 {
		seconds := int64((wait + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
}
