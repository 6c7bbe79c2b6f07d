package routes

import (
	"net/http"

	"hush/routes/call"
	"hush/routes/refusal"
)

type v2ErrorAnswer struct {
	Success   bool    `json:"success"`
	Message   string  `json:"message"`
	Error     string  `json:"error"`
	Shrimp    string  `json:"shrimp"`
	SecretKey *string `json:"secret_key,omitempty"`
}

// routeAnswer is the response of any API path without a route.
type routeAnswer struct {
	Message string `json:"message"`
}

func v2Fail(w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	if refused.Class == refusal.ClassRoute {
		writeJSON(w, http.StatusNotFound, routeAnswer{Message: refusal.TextRoute})
		return
	}
	status, text := req.Reason(refused)
	answer := v2ErrorAnswer{Message: text, Error: text, Shrimp: req.Shrimp()}
	if refused.Class == refusal.ClassUnknown {
		answer.SecretKey = echoed(req)
	}
	refused.SetRetryAfter(w.Header())
	writeJSON(w, status, answer)
}

// maxEchoed is the maximum bytes of a path that a refusal repeats as the
// unknown key. Keys have 31.
const maxEchoed = 256

// echoed returns the key of an unknown secret as a refusal repeats it, or nil
// for one that cannot be a key.
func echoed(req *call.Request) *string {
	if len(req.Key) > maxEchoed {
		return nil
	}
	return &req.Key
}
