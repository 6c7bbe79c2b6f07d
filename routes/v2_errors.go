package routes

import "net/http"

// v2Refusal is what version 2 makes of a class: the status, and the text unless
// the refusal brings its own.
type v2Refusal struct {
	status int
	text   string
}

// v2Refuse is version 2's error table.
func v2Refuse(c class) v2Refusal {
	switch c {
	case classRoute:
		return v2Refusal{404, textRoute}
	case classMethod:
		return v2Refusal{405, textMethod}
	case classMalformed:
		return v2Refusal{400, ""}
	case classEncoding:
		return v2Refusal{415, ""}
	case classTooLarge:
		return v2Refusal{413, ""}
	case classInvalid, classDuplicate, classCredentials, classTicket:
		return v2Refusal{422, ""}
	case classUnknown:
		return v2Refusal{404, textUnknown}
	case classDomain:
		return v2Refusal{404, ""}
	case classUnauthorized:
		return v2Refusal{403, textUnauthorized}
	case classForbidden:
		return v2Refusal{403, ""}
	case classForgery:
		return v2Refusal{403, textShrimp}
	case classMissing:
		return v2Refusal{404, ""}
	case classMaintenance:
		return v2Refusal{503, ""}
	case classPassphrase:
		return v2Refusal{422, textPassphrase}
	case classLimited:
		return v2Refusal{429, textLimited}
	case classFull:
		return v2Refusal{503, textFull}
	case classUnavailable:
		return v2Refusal{503, textUnavailable}
	default:
		return v2Refusal{500, textInternal}
	}
}

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

func v2Fail(w http.ResponseWriter, req *request, refused *refusal) {
	if refused.class == classRoute {
		writeJSON(w, http.StatusNotFound, routeAnswer{Message: textRoute})
		return
	}
	status, text := req.reason(refused)
	answer := v2ErrorAnswer{Message: text, Error: text, Shrimp: req.shrimp()}
	if refused.class == classUnknown {
		answer.SecretKey = req.echoed()
	}
	setRetryAfter(w, refused)
	writeJSON(w, status, answer)
}

// reason is what a caller is told of a refusal, in the caller's language.
func (req *request) reason(refused *refusal) (status int, text string) {
	refusal := v2Refuse(refused.class)
	if refusal.text == "" {
		refusal.text = refused.text
	}
	return refusal.status, req.translated(refusal.text)
}

// translated is a text of the tables in the caller's language. One that is in
// no table stays as it is: in English, or in the operator's words.
func (req *request) translated(text string) string {
	if key := textKeys()[text]; key != "" {
		return req.text(key)
	}
	return text
}

// textKeys are the catalogue's names of the texts that the tables hold.
func textKeys() map[string]string {
	return map[string]string{
		textUnknown:      "error.unknown",
		textUnauthorized: "error.unauthorized",
		textPassphrase:   "error.passphrase",
		textLimited:      "error.limited",
		textFull:         "error.full",
		textUnavailable:  "error.unavailable",
		textInternal:     "error.internal",
		textMethod:       "error.method",
		textShrimp:       "error.shrimp",
		textNothing:      "error.nothing",
		textAccount:      "error.account_required",
	}
}
