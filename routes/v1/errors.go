package v1

import (
	"net/http"
	"strconv"

	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/version"
)

// errorLine is a class in version 1: the status that its clients expect, the
// accurate one, and the text unless each refusal has its own.
type errorLine struct {
	status int
	honest int
	text   string
}

// lineOf is version 1's error table: 404 for everything that its clients
// cannot distinguish.
func lineOf(c refusal.Class) errorLine {
	switch c {
	case refusal.ClassRoute:
		return errorLine{404, 404, refusal.TextRoute}
	case refusal.ClassMethod:
		return errorLine{405, 405, refusal.TextMethod}
	case refusal.ClassMalformed:
		return errorLine{404, 400, ""}
	case refusal.ClassEncoding:
		return errorLine{404, 415, ""}
	case refusal.ClassTooLarge:
		return errorLine{413, 413, ""}
	case refusal.ClassInvalid, refusal.ClassDuplicate, refusal.ClassCredentials, refusal.ClassTicket, refusal.ClassEndToEnd:
		return errorLine{404, 422, ""}
	case refusal.ClassUnknown:
		return errorLine{404, 404, refusal.TextUnknown}
	case refusal.ClassDomain:
		return errorLine{404, 404, ""}
	case refusal.ClassUnauthorized:
		return errorLine{404, 401, refusal.TextUnauthorized}
	case refusal.ClassPassphrase:
		return errorLine{404, 422, refusal.TextPassphrase}
	case refusal.ClassLimited:
		return errorLine{429, 429, refusal.TextLimited}
	case refusal.ClassFull:
		return errorLine{404, 503, refusal.TextFull}
	case refusal.ClassForbidden:
		return errorLine{404, 403, ""}
	case refusal.ClassForgery:
		return errorLine{404, 403, refusal.TextShrimp}
	case refusal.ClassMissing:
		return errorLine{404, 404, ""}
	case refusal.ClassMaintenance:
		return errorLine{404, 503, ""}
	case refusal.ClassUnavailable:
		return errorLine{404, 503, refusal.TextUnavailable}
	default:
		return errorLine{404, 500, refusal.TextInternal}
	}
}

type errorAnswer struct {
	SecretKey *string `json:"secret_key,omitempty"`
	Message   string  `json:"message"`
}

func fail(w http.ResponseWriter, req *call.Request, refused *refusal.Error) {
	line := lineOf(refused.Class)
	answer := errorAnswer{Message: line.text}
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
