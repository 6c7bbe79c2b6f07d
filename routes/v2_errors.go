package routes

import "hush/routes/refusal"

import "net/http"

type v2ErrorAnswer struct {
	Success   bool    `json:"success"`
	Message   string  `json:"message"`
	Error     string  `json:"error"`
	Shrimp    string  `json:"shrimp"`
	SecretKey *string `json:"secret_key,omitempty"`
}

// routeAnswer is what any API path without a route says.
type routeAnswer struct {
	Message string `json:"message"`
}

func v2Fail(w http.ResponseWriter, req *request, refused *refusal.Error) {
	if refused.Class == refusal.ClassRoute {
		writeJSON(w, http.StatusNotFound, routeAnswer{Message: refusal.TextRoute})
		return
	}
	status, text := refused.Localized(req.catalogue, req.visitor.Locale)
	answer := v2ErrorAnswer{Message: text, Error: text, Shrimp: req.shrimp()}
	if refused.Class == refusal.ClassUnknown {
		answer.SecretKey = req.echoed()
	}
	refused.SetRetryAfter(w.Header())
	writeJSON(w, status, answer)
}

// maxEchoed is how much of a path a refusal repeats as the unknown key, in
// bytes. Keys have 31.
const maxEchoed = 256

// echoed is the key of an unknown secret as a refusal repeats it, nil for one
// that no client ever took for a key.
func (req *request) echoed() *string {
	if len(req.key) > maxEchoed {
		return nil
	}
	return &req.key
}
