package routes_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"hush/routes"
)

// contract returns every route that the reference names, by version, with its
// RPC: 13 and 32.
func contract() map[string][][3]string {
	return map[string][][3]string{
		"/api/v1": {
			{"GET", "/status", "GetStatus"},
			{"GET", "/authcheck", "Authcheck"},
			{"POST", "/share", "ConcealSecret"},
			{"POST", "/generate", "GenerateSecret"},
			{"POST", "/create", "GenerateSecret or ConcealSecret"},
			{"POST", "/secret/{key}", "RevealSecret"},
			{"GET", "/private/recent", "ListMetadata"},
			{"GET", "/metadata/recent", "ListMetadata"},
			{"GET", "/private/{key}", "GetMetadata"},
			{"POST", "/private/{key}", "GetMetadata"},
			{"GET", "/metadata/{key}", "GetMetadata"},
			{"POST", "/metadata/{key}", "GetMetadata"},
			{"POST", "/private/{key}/burn", "BurnSecret"},
		},
		"/api/v2": {
			{"POST", "/account/destroy", "DestroyAccount"},
			{"POST", "/account/change-password", "ChangeAccountPassword"},
			{"POST", "/account/update-locale", "UpdateLocale"},
			{"POST", "/account/apitoken", "GenerateApiToken"},
			{"POST", "/account/domains/add", "AddDomain"},
			{"POST", "/account/domains/{domain}/remove", "RemoveDomain"},
			{"GET", "/account/domains/{domain}", "GetDomain"},
			{"POST", "/account/domains/{domain}/verify", "VerifyDomain"},
			{"PUT", "/account/domains/{domain}/brand", "UpdateDomainBrand"},
			{"GET", "/account/domains/{domain}/brand", "GetDomainBrand"},
			{"DELETE", "/account/domains/{domain}/logo", "DeleteDomainLogo"},
			{"POST", "/account/domains/{domain}/logo", "UpdateDomainLogo"},
			{"GET", "/account/domains/{domain}/logo", "GetDomainLogo"},
			{"GET", "/account/domains", "ListDomains"},
			{"GET", "/account", "GetAccount"},
			{"GET", "/private/recent", "ListMetadata"},
			{"POST", "/private/{key}/burn", "BurnSecret"},
			{"GET", "/private/{key}", "GetMetadata"},
			{"GET", "/secret/{key}", "GetSecret"},
			{"POST", "/secret/{key}", "RevealSecret or GetSecret"},
			{"POST", "/secret/conceal", "GenerateSecret or ConcealSecret"},
			{"GET", "/authcheck", "Authcheck"},
			{"GET", "/supported-locales", "GetSupportedLocales"},
			{"GET", "/status", "GetStatus"},
			{"GET", "/version", "GetVersion"},
			{"POST", "/validate-shrimp", "ValidateShrimp"},
			{"POST", "/feedback", "ReceiveFeedback"},
			{"POST", "/exception", "ReceiveException"},
			{"GET", "/altcha/challenge", "AltchaChallenge"},
			{"POST", "/altcha/verify", "AltchaVerify"},
			{"POST", "/altcha/verify-spam", "AltchaVerifySpam"},
			{"GET", "/colonel", "GetIndex"},
		},
	}
}

func TestContractIsServed(t *testing.T) {
	served := make(map[routes.Row]bool)
	for _, row := range rowsWithoutMounts(t) {
		if served[row] {
			t.Errorf("Table(): got %v twice", row)
		}
		served[row] = true
	}
	for prefix, rows := range contract() {
		for _, row := range rows {
			want := routes.Row{Method: row[0], Path: prefix + row[1], Operation: row[2]}
			if !served[want] {
				t.Errorf("Table(): got no %v", want)
			}
		}
	}
	if v1, v2 := len(contract()["/api/v1"]), len(contract()["/api/v2"]); v1 != 13 || v2 != 32 {
		t.Errorf("contract(): got %d and %d rows, want 13 and 32", v1, v2)
	}
}

// No method of one path is served twice, and each route is reachable.
func TestRowsAreReachable(t *testing.T) {
	h := newTree(t)
	for _, row := range rowsWithoutMounts(t) {
		path := strings.NewReplacer("{key}", "k", "{domain}", "d", "/{file}", "/icon.svg").Replace(row.Path)
		if path == "/api/v2/colonel" {
			continue // hidden from anonymous callers
		}
		w := request(h, "PROPFIND", path)
		allowed := strings.Split(w.Header().Get("Allow"), ", ")
		if w.Code != http.StatusMethodNotAllowed || !slices.Contains(allowed, row.Method) {
			t.Errorf("PROPFIND %s: got %d, Allow %q, want %s among them", path, w.Code, allowed, row.Method)
		}
	}
}
