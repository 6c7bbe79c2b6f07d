package routes

import (
	"net/http"
	"strconv"
)

// Texts that both versions share.
const (
	textUnknown      = "Unknown secret"
	textUnauthorized = "Not authorized"
	textPassphrase   = "Double check that passphrase"
	textLimited      = "Apologies dear citizen! You have been rate limited."
	textFull         = "There is no room for more secrets at the moment"
	textUnavailable  = "We'll be back shortly!"
	textInternal     = "An unexpected error occurred"
	textRoute        = "Not Found"
	textMethod       = "Method Not Allowed"
	textShrimp       = "Please refresh the page and try again"
)

// v1Refusal is what version 1 makes of a class: the status that its clients
// expect, the honest one, and the text unless the refusal brings its own.
type v1Refusal struct {
	status int
	honest int
	text   string
}

// v1Refuse is version 1's error table: 404 for all that its clients cannot tell
// apart.
func v1Refuse(c class) v1Refusal {
	switch c {
	case classRoute:
		return v1Refusal{404, 404, textRoute}
	case classMethod:
		return v1Refusal{405, 405, textMethod}
	case classMalformed:
		return v1Refusal{404, 400, ""}
	case classEncoding:
		return v1Refusal{404, 415, ""}
	case classTooLarge:
		return v1Refusal{413, 413, ""}
	case classInvalid, classDuplicate, classCredentials, classTicket:
		return v1Refusal{404, 422, ""}
	case classUnknown:
		return v1Refusal{404, 404, textUnknown}
	case classDomain:
		return v1Refusal{404, 404, ""}
	case classUnauthorized:
		return v1Refusal{404, 401, textUnauthorized}
	case classPassphrase:
		return v1Refusal{404, 422, textPassphrase}
	case classLimited:
		return v1Refusal{429, 429, textLimited}
	case classFull:
		return v1Refusal{404, 503, textFull}
	case classForbidden:
		return v1Refusal{404, 403, ""}
	case classForgery:
		return v1Refusal{404, 403, textShrimp}
	case classMissing:
		return v1Refusal{404, 404, ""}
	case classMaintenance:
		return v1Refusal{404, 503, ""}
	case classUnavailable:
		return v1Refusal{404, 503, textUnavailable}
	default:
		return v1Refusal{404, 500, textInternal}
	}
}

type v1ErrorAnswer struct {
	SecretKey *string `json:"secret_key,omitempty"`
	Message   string  `json:"message"`
}

func v1Fail(w http.ResponseWriter, req *request, refused *refusal) {
	refusal := v1Refuse(refused.class)
	answer := v1ErrorAnswer{Message: refusal.text}
	if answer.Message == "" {
		answer.Message = refused.text
	}
	if refused.class == classUnknown {
		answer.SecretKey = req.echoed()
	}
	w.Header().Set("X-OTS-Intended-Status", strconv.Itoa(refusal.honest))
	// A wrong passphrase looks like an unknown secret here.
	if refused.class != classPassphrase {
		setRetryAfter(w, refused)
	}
	writeJSON(w, refusal.status, answer)
}
