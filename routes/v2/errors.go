package v2

import (
	"net/http"

	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/version"
)

type errorAnswer struct {
	Success   bool    `json:"success"`
	Message   string  `json:"message"`
	Error     string  `json:"error"`
	Shrimp    string  `json:"shrimp"`
	SecretKey *string `json:"secret_key,omitempty"`
}

func fail(w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	if refused.Class == refusal.ClassRoute {
		version.WriteJSON(w, http.StatusNotFound, version.RouteAnswer{Message: refusal.TextRoute})
		return
	}
	status, text := req.Reason(refused)
	answer := errorAnswer{Message: text, Error: text, Shrimp: req.Shrimp()}
	if refused.Class == refusal.ClassUnknown {
		answer.SecretKey = version.Echoed(req)
	}
	refused.SetRetryAfter(w.Header())
	version.WriteJSON(w, status, answer)
}
