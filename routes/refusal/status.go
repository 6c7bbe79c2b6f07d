package refusal

import "hush/locale"

// Texts that clients in the field compare, or that several versions share.
const (
	textNothing      = "You did not provide anything to share"
	textAccount      = "An account is required to send emails."
	TextUnknown      = "Unknown secret"
	TextUnauthorized = "Not authorized"
	TextPassphrase   = "Double check that passphrase"
	textEndToEnd     = "This secret is end-to-end encrypted. Open its link in a browser or with the hush client."
	TextLimited      = "Apologies dear citizen! You have been rate limited."
	TextFull         = "There is no room for more secrets at the moment"
	TextUnavailable  = "We'll be back shortly!"
	TextInternal     = "An unexpected error occurred"
	TextRoute        = "Not Found"
	TextMethod       = "Method Not Allowed"
	TextShrimp       = "Please refresh the page and try again"
)

// textNearMiss has the places of the name that was sent and of the one that was
// meant.
const textNearMiss = "There is no parameter %s. Did you mean %s?"

// Status returns the HTTP status of a refusal and its text in English, as
// version 2 and the pages show them.
func (e *Error) Status() (status int, text string) {
	status, text = e.Class.status()
	if text == "" {
		text = e.Text
	}
	return status, text
}

// status is the table of statuses. The text is empty if each refusal has its
// own.
func (c Class) status() (status int, text string) {
	switch c {
	case ClassRoute:
		return 404, TextRoute
	case ClassMethod:
		return 405, TextMethod
	case ClassMalformed:
		return 400, ""
	case ClassEncoding:
		return 415, ""
	case ClassTooLarge:
		return 413, ""
	case ClassInvalid, ClassDuplicate, ClassCredentials, ClassTicket, ClassEndToEnd:
		return 422, ""
	case ClassUnknown:
		return 404, TextUnknown
	case ClassDomain:
		return 404, ""
	case ClassUnauthorized:
		return 403, TextUnauthorized
	case ClassForbidden:
		return 403, ""
	case ClassForgery:
		return 403, TextShrimp
	case ClassMissing:
		return 404, ""
	case ClassMaintenance:
		return 503, ""
	case ClassPassphrase:
		return 422, TextPassphrase
	case ClassLimited:
		return 429, TextLimited
	case ClassFull:
		return 503, TextFull
	case ClassUnavailable:
		return 503, TextUnavailable
	default:
		return 500, TextInternal
	}
}

// Localized is Status with the text in the language of l. A text that is not in
// the tables stays unchanged, in English or as the operator wrote it.
func (e *Error) Localized(catalogue *locale.Catalogue, l locale.Locale) (status int, text string) {
	status, text = e.Status()
	if e.Meant != "" {
		return status, catalogue.Text(l, "error.near_miss", "sent", e.Sent, "meant", e.Meant)
	}
	if key := messageKey(text); key != "" {
		text = catalogue.Text(l, key)
	}
	return status, text
}

// messageKey returns the catalogue key of a text of the tables, or an empty
// one.
func messageKey(text string) string {
	switch text {
	case TextUnknown:
		return "error.unknown"
	case TextUnauthorized:
		return "error.unauthorized"
	case TextPassphrase:
		return "error.passphrase"
	case textEndToEnd:
		return "error.end_to_end"
	case TextLimited:
		return "error.limited"
	case TextFull:
		return "error.full"
	case TextUnavailable:
		return "error.unavailable"
	case TextInternal:
		return "error.internal"
	case TextMethod:
		return "error.method"
	case TextShrimp:
		return "error.shrimp"
	case textNothing:
		return "error.nothing"
	case textAccount:
		return "error.account_required"
	default:
		return ""
	}
}
