package routes

import "net/http"

// v2Refusal is what version 2 makes of a class: the status, and the text unless
// the fault brings its own.
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
	case classInvalid:
		return v2Refusal{422, ""}
	case classUnknown:
		return v2Refusal{404, textUnknown}
	case classDomain:
		return v2Refusal{404, ""}
	case classUnauthorized:
		return v2Refusal{403, textUnauthorized}
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

func v2Fail(w http.ResponseWriter, x *exchange, f *fault) {
	refusal := v2Refuse(f.class)
	if f.class == classRoute {
		writeJSON(w, refusal.status, routeAnswer{Message: refusal.text})
		return
	}
	text := refusal.text
	if text == "" {
		text = f.text
	}
	answer := v2ErrorAnswer{Message: text, Error: text, Shrimp: x.shrimp()}
	if f.class == classUnknown {
		answer.SecretKey = &x.key
	}
	setRetryAfter(w, f)
	writeJSON(w, refusal.status, answer)
}
