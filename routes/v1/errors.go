package v1

import (
	"net/http"
	"strconv"

	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/version"
)

// v1Refusal is a class in version 1: the status that its clients expect, the
// accurate one, and the text unless each refusal has its own.
type v1Refusal struct {
	status int
	honest int
	text   string
}

// v1Refuse is version 1's error table: 404 for everything that its clients
// cannot distinguish.
func v1Refuse(c refusal.Class) v1Refusal {
	switch c {
	case refusal.ClassRoute:
		return v1Refusal{404, 404, refusal.TextRoute}
	case refusal.ClassMethod:
		return v1Refusal{405, 405, refusal.TextMethod}
	case refusal.ClassMalformed:
		return v1Refusal{404, 400, ""}
	case refusal.ClassEncoding:
		return v1Refusal{404, 415, ""}
	case refusal.ClassTooLarge:
		return v1Refusal{413, 413, ""}
	case refusal.ClassInvalid, refusal.ClassDuplicate, refusal.ClassCredentials, refusal.ClassTicket, refusal.ClassEndToEnd:
		return v1Refusal{404, 422, ""}
	case refusal.ClassUnknown:
		return v1Refusal{404, 404, refusal.TextUnknown}
	case refusal.ClassDomain:
		return v1Refusal{404, 404, ""}
	case refusal.ClassUnauthorized:
		return v1Refusal{404, 401, refusal.TextUnauthorized}
	case refusal.ClassPassphrase:
		return v1Refusal{404, 422, refusal.TextPassphrase}
	case refusal.ClassLimited:
		return v1Refusal{429, 429, refusal.TextLimited}
	case refusal.ClassFull:
		return v1Refusal{404, 503, refusal.TextFull}
	case refusal.ClassForbidden:
		return v1Refusal{404, 403, ""}
	case refusal.ClassForgery:
		return v1Refusal{404, 403, refusal.TextShrimp}
	case refusal.ClassMissing:
		return v1Refusal{404, 404, ""}
	case refusal.ClassMaintenance:
		return v1Refusal{404, 503, ""}
	case refusal.ClassUnavailable:
		return v1Refusal{404, 503, refusal.TextUnavailable}
	default:
		return v1Refusal{404, 500, refusal.TextInternal}
	}
}

type v1ErrorAnswer struct {
	SecretKey *string `json:"secret_key,omitempty"`
	Message   string  `json:"message"`
}

func v1Fail(w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	line := v1Refuse(refused.Class)
	answer := v1ErrorAnswer{Message: line.text}
	if answer.Message == "" {
		answer.Message = refused.Text
	}
	if refused.Class == refusal.ClassUnknown {
		answer.SecretKey = version.Echoed(req)
	}
	w.Header().Set("X-OTS-Intended-Status", strconv.Itoa(line.honest))
	// A wrong passphrase looks like an unknown secret here.
	if refused.Class != refusal.ClassPassphrase {
		refused.SetRetryAfter(w.Header())
	}
	version.WriteJSON(w, line.status, answer)
}
