package version

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
)

// StatusAnswer says that the service is there, and in which language it answers.
type StatusAnswer struct {
	Status string `json:"status"`
	Locale string `json:"locale"`
}

// EncodeStatus encodes the service's status.
func EncodeStatus(_ *call.Request, res *hushv1.GetStatusResponse) any {
	return StatusAnswer{Status: res.GetStatus(), Locale: res.GetLocale()}
}
