package v2

import (
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

type versionAnswer struct {
	Version []string `json:"version"`
	Locale  string   `json:"locale"`
}

func encodeVersion(_ *call.Request, res *hushv1.GetVersionResponse) any {
	return versionAnswer{Version: strings.Split(res.GetVersion(), "."), Locale: res.GetLocale()}
}

type localesAnswer struct {
	Locales       []string `json:"locales"`
	DefaultLocale string   `json:"default_locale"`
	Locale        string   `json:"locale"`
}

func encodeLocales(_ *call.Request, res *hushv1.GetSupportedLocalesResponse) any {
	return localesAnswer{
		Locales:       version.NotNull(res.GetLocales()),
		DefaultLocale: res.GetDefaultLocale(),
		Locale:        res.GetLocale(),
	}
}

type shrimpAnswer struct {
	IsValid bool   `json:"isValid"`
	Shrimp  string `json:"shrimp"`
}

func encodeShrimp(_ *call.Request, res *hushv1.ValidateShrimpResponse) any {
	return shrimpAnswer{IsValid: res.GetValid(), Shrimp: res.GetShrimp()}
}

type authcheckDetails struct {
	Authenticated bool `json:"authenticated"`
}

func encodeAuthcheck(req *call.Request, res *hushv1.AuthcheckResponse) any {
	return newEnvelope(req, newCustomer(res.GetAccount()), authcheckDetails{Authenticated: true})
}
