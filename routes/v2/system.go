package v2

import (
	"strings"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

type v2VersionAnswer struct {
	Version []string `json:"version"`
	Locale  string   `json:"locale"`
}

func v2Version(_ *call.Request, res *hushv1.GetVersionResponse) any {
	return v2VersionAnswer{Version: strings.Split(res.GetVersion(), "."), Locale: res.GetLocale()}
}

type v2LocalesAnswer struct {
	Locales       []string `json:"locales"`
	DefaultLocale string   `json:"default_locale"`
	Locale        string   `json:"locale"`
}

func v2Locales(_ *call.Request, res *hushv1.GetSupportedLocalesResponse) any {
	return v2LocalesAnswer{
		Locales:       version.NotNull(res.GetLocales()),
		DefaultLocale: res.GetDefaultLocale(),
		Locale:        res.GetLocale(),
	}
}

type v2ShrimpAnswer struct {
	IsValid bool   `json:"isValid"`
	Shrimp  string `json:"shrimp"`
}

func v2Shrimp(_ *call.Request, res *hushv1.ValidateShrimpResponse) any {
	return v2ShrimpAnswer{IsValid: res.GetValid(), Shrimp: res.GetShrimp()}
}

type v2AuthcheckDetails struct {
	Authenticated bool `json:"authenticated"`
}

func v2Authcheck(req *call.Request, res *hushv1.AuthcheckResponse) any {
	return envelope(req, newV2Customer(res.GetAccount()), v2AuthcheckDetails{Authenticated: true})
}
