package routes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"hush/routes/call"
	"hush/routes/refusal"
	"hush/routes/routestest"
	v1 "hush/routes/v1"
	v2 "hush/routes/v2"
)

// fail writes a refusal in the form of a version.
type fail func(w http.ResponseWriter, req *call.Request, refused *refusal.Error)

func fails(t *testing.T) (failV1, failV2 fail) {
	t.Helper()
	api := testAPI(t)
	return v1.Version(api).Fail, v2.Version(api).Fail
}

// The response of each version to every class.
func TestFail(t *testing.T) {
	const key = `"secret_key":"secretkey0000000000000000000000"`
	req := routestest.Request()
	req.Catalogue = routestest.Catalogue(t)
	v2 := func(text string) string {
		return `{"success":false,"message":"` + text + `","error":"` + text + `","shrimp":"shrimp"}`
	}
	failV1, failV2 := fails(t)
	for _, test := range []struct {
		class  refusal.Class
		v1, v2 int
		honest string
		text   string
	}{
		{refusal.ClassInternal, 404, 500, "500", "An unexpected error occurred"},
		{refusal.ClassRoute, 404, 404, "404", "Not Found"},
		{refusal.ClassMethod, 405, 405, "405", "Method Not Allowed"},
		{refusal.ClassMalformed, 404, 400, "400", "why <&>"},
		{refusal.ClassEncoding, 404, 415, "415", "why <&>"},
		{refusal.ClassTooLarge, 413, 413, "413", "why <&>"},
		{refusal.ClassInvalid, 404, 422, "422", "why <&>"},
		{refusal.ClassUnknown, 404, 404, "404", "Unknown secret"},
		{refusal.ClassDomain, 404, 404, "404", "why <&>"},
		{refusal.ClassUnauthorized, 404, 403, "401", "Not authorized"},
		{refusal.ClassPassphrase, 404, 422, "422", "Double check that passphrase"},
		{refusal.ClassEndToEnd, 404, 422, "422", "why <&>"},
		{refusal.ClassLimited, 429, 429, "429", "Apologies dear citizen! You have been rate limited."},
		{refusal.ClassFull, 404, 503, "503", "There is no room for more secrets at the moment"},
		{refusal.ClassUnavailable, 404, 503, "503", "We'll be back shortly!"},
		{refusal.ClassForbidden, 404, 403, "403", "why <&>"},
		{refusal.ClassCredentials, 404, 422, "422", "why <&>"},
		{refusal.ClassTicket, 404, 422, "422", "why <&>"},
		{refusal.ClassDuplicate, 404, 422, "422", "why <&>"},
		{refusal.ClassForgery, 404, 403, "403", "Please refresh the page and try again"},
		{refusal.ClassMissing, 404, 404, "404", "why <&>"},
		{refusal.ClassMaintenance, 404, 503, "503", "why <&>"},
	} {
		f := &refusal.Error{Class: test.class, Text: "why <&>"}
		wantV1 := `{"message":"` + test.text + `"}`
		wantV2 := v2(test.text)
		switch test.class {
		case refusal.ClassUnknown:
			wantV1 = `{` + key + `,"message":"Unknown secret"}`
			wantV2 = wantV2[:len(wantV2)-1] + `,` + key + `}`
		case refusal.ClassRoute:
			wantV2 = wantV1
		default: // as the table says
		}
		w := httptest.NewRecorder()
		failV1(w, req, f)
		routestest.WantJSON(t, fmt.Sprintf("v1.Fail(%d)", test.class), w.Body.String(), wantV1)
		if got := w.Header().Get("X-OTS-Intended-Status"); w.Code != test.v1 || got != test.honest {
			t.Errorf("v1.Fail(%d): got %d and %s, want %d and %s", test.class, w.Code, got, test.v1, test.honest)
		}
		w = httptest.NewRecorder()
		failV2(w, req, f)
		routestest.WantJSON(t, fmt.Sprintf("v2.Fail(%d)", test.class), w.Body.String(), wantV2)
		if w.Code != test.v2 {
			t.Errorf("v2.Fail(%d): got %d, want %d", test.class, w.Code, test.v2)
		}
	}
	if refusal.Classes != 22 {
		t.Errorf("classes: got %d, want 22: a class lacks its line", refusal.Classes)
	}
}

func TestRetryAfter(t *testing.T) {
	req := routestest.Request()
	req.Catalogue = routestest.Catalogue(t)
	failV1, failV2 := fails(t)
	for _, test := range []struct {
		retry time.Duration
		class refusal.Class
		want  string
	}{
		{0, refusal.ClassLimited, "60"},
		{-time.Second, refusal.ClassLimited, "60"},
		{time.Millisecond, refusal.ClassLimited, "1"},
		{time.Second, refusal.ClassLimited, "1"},
		{90*time.Second + 1, refusal.ClassLimited, "91"},
		{0, refusal.ClassUnavailable, ""},
		{5 * time.Second, refusal.ClassUnavailable, "5"},
	} {
		for name, write := range map[string]fail{"v1": failV1, "v2": failV2} {
			w := httptest.NewRecorder()
			write(w, req, &refusal.Error{Class: test.class, Retry: test.retry})
			if got := w.Header().Get("Retry-After"); got != test.want {
				t.Errorf("%s.Fail(class %d, %v): got Retry-After %q, want %q", name, test.class, test.retry, got, test.want)
			}
		}
	}
}
