package version

import (
	"bytes"
	"encoding/json"
	"net/http"

	"hush/routes/call"
	"hush/routes/refusal"
)

// Appender is an answer that appends itself as encoding/json would write it,
// not escaped for HTML: those of the routes that are called most.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// WriteJSON writes a response in the form of all API paths: compact, not
// escaped for HTML, and never cached.
func WriteJSON(w http.ResponseWriter, status int, answer any) {
	var body []byte
	if hot, ok := answer.(Appender); ok {
		body = hot.AppendJSON(nil)
	} else {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(answer)
		body = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		if err != nil {
			status, body = http.StatusInternalServerError, []byte(`{"message":"`+refusal.TextInternal+`"}`)
		}
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

// RouteAnswer is the response of any API path without a route.
type RouteAnswer struct {
	Message string `json:"message"`
}

// maxEchoed is the maximum bytes of a path that a refusal repeats as the
// unknown key. Keys have 31.
const maxEchoed = 256

// Echoed returns the key of an unknown secret as a refusal repeats it, or nil
// for one that cannot be a key.
func Echoed(req *call.Request) *string {
	if len(req.Key) > maxEchoed {
		return nil
	}
	return &req.Key
}
