package handlers

import (
	"context"
	"crypto/rand"
	"strings"

	hushv1 "hush/gen/hush/v1"
)

// locale is the one language there is so far.
const locale = "en"

// SystemService is hush.v1.SystemService.
type SystemService struct{ version string }

// GetStatus tells that the service answers.
func (*SystemService) GetStatus(context.Context, *hushv1.GetStatusRequest) (*hushv1.GetStatusResponse, error) {
	return &hushv1.GetStatusResponse{Status: "nominal", Locale: locale}, nil
}

// GetVersion tells which release answers.
func (s *SystemService) GetVersion(context.Context, *hushv1.GetVersionRequest) (*hushv1.GetVersionResponse, error) {
	return &hushv1.GetVersionResponse{Version: s.version, Locale: locale}, nil
}

// GetSupportedLocales lists the languages.
func (*SystemService) GetSupportedLocales(context.Context, *hushv1.GetSupportedLocalesRequest) (*hushv1.GetSupportedLocalesResponse, error) {
	return &hushv1.GetSupportedLocalesResponse{Locales: []string{locale}, DefaultLocale: locale, Locale: locale}, nil
}

// ValidateShrimp judges a token. Nobody has a session yet, so none is good.
func (*SystemService) ValidateShrimp(context.Context, *hushv1.ValidateShrimpRequest) (*hushv1.ValidateShrimpResponse, error) {
	return &hushv1.ValidateShrimpResponse{Valid: false, Shrimp: strings.ToLower(rand.Text())}, nil
}
