package client_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"hush/client"
	"hush/client/otstest"
)

func TestDetectReleases(t *testing.T) {
	t.Parallel()
	versions := map[otstest.Release]string{
		otstest.ReleaseREF: "0.18.4", otstest.Release0205: "0.20.5", otstest.Release02211: "0.22.11",
		otstest.Release0266: "", // says it to accounts only
	}
	for _, release := range otstest.Releases() {
		s := otstest.Start(t, otstest.Options{Release: release, NoGuests: true})
		want := client.Found{Protocol: client.ProtocolV2, Version: versions[release]}
		if !release.HasV2() {
			want = client.Found{Protocol: client.ProtocolV1}
		}
		got, err := client.Detect(t.Context(), s.URL, nil)
		if err != nil || got != want {
			t.Errorf("Detect(%v): got %+v, %v, want %+v", release, got, err, want)
		}
		for _, call := range s.Calls() {
			if call.User != "" {
				t.Errorf("Detect(%v): got the user %q, want none", release, call.User)
			}
		}
	}
}

// Hush serves v1 and v2 too. It must be found as Hush: what is shared by another
// protocol is not encrypted on the device.
func TestDetectHush(t *testing.T) {
	t.Parallel()
	s := startWhole(t)
	want := client.Found{Protocol: client.ProtocolHush, Version: "1.2.3"}
	got, err := client.Detect(t.Context(), s.url, nil)
	if err != nil || got != want {
		t.Errorf("Detect: got %+v, %v, want %+v", got, err, want)
	}
}

// A box in front of Hush fails its calls, and lets v1 and v2 through. Whatever it does
// that a server without Hush does not, it must not be taken for a no: the text would
// be shared where the box, or the server, sees it.
func TestDetectIsNotTurnedDown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do   intercept
		want *client.Error
	}{
		"503":               {gateway(503, false), client.ErrNetwork},
		"502":               {gateway(502, false), client.ErrNetwork},
		"500 in JSON":       {repliesWith(500, `{"code":"internal"}`, false), client.ErrNetwork},
		"503 in JSON":       {repliesWith(503, `{"code":"unavailable"}`, false), client.ErrNetwork},
		"408":               {gateway(408, false), client.ErrNetwork},
		"429":               {gateway(429, false), client.ErrLimited},
		"429 in JSON":       {repliesWith(429, `{"code":"resource_exhausted"}`, false), client.ErrLimited},
		"limit of v1":       {repliesWith(404, `{"message":"Cripes! You have been rate limited."}`, false), client.ErrLimited},
		"301":               {repliesWith(301, ``, false), client.ErrProtocol},
		"302":               {repliesWith(302, `{}`, false), client.ErrProtocol},
		"307":               {repliesWith(307, ``, false), client.ErrProtocol},
		"407":               {gateway(407, false), client.ErrProtocol},
		"cut connection":    {cutBefore, client.ErrNetwork},
		"cut in the middle": {cutWithin, client.ErrNetwork},
	} {
		for _, path := range []string{"/GetPolicy", "/GetVersion", "/v2/status", "/v2/supported-locales", "/v1/status"} {
			release := otstest.ReleaseREF
			if path == "/v1/status" {
				release = otstest.ReleaseV1Only
			}
			s := otstest.Start(t, otstest.Options{Release: release, Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
				return strings.HasSuffix(r.URL.Path, path) && test.do(s, w, r)
			}})
			got, err := client.Detect(t.Context(), s.URL, &http.Client{})
			wantError(t, name+" for "+path, err, test.want)
			if got != (client.Found{}) {
				t.Errorf("%s for %s: got %+v, want nothing", name, path, got)
			}
		}
	}
}

// A box refuses the calls of Hush, as if the server did not know them, or because it
// does not know them itself. It lets v1 and v2 through, which Hush serves too.
func TestDetectHushBehindABox(t *testing.T) {
	t.Parallel()
	whole := startWhole(t)
	to, err := url.Parse(whole.url)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	for name, test := range map[string]struct {
		do    intercept
		isAll bool
	}{
		"404 for POST":       {gateway(404, false), false},
		"404 in JSON":        {repliesWith(404, `{"message":"Not Found"}`, false), false},
		"403 for POST":       {gateway(403, false), false},
		"403 for both":       {gateway(403, false), true},
		"401 for both":       {gateway(401, false), true},
		"405 for POST":       {repliesWith(405, ``, false), false},
		"empty 200 for POST": {repliesWith(200, `{}`, false), false},
	} {
		box := otstest.Start(t, otstest.Options{Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "/hush.v1.") && (test.isAll || r.Method == http.MethodPost) {
				return test.do(s, w, r)
			}
			pass.ServeHTTP(w, r)
			return true
		}})
		got, err := client.Detect(t.Context(), box.URL, nil)
		wantError(t, name, err, client.ErrProtocol)
		if got != (client.Found{}) {
			t.Errorf("%s: got %+v, want nothing", name, got)
		}
	}
}

// What answers to everything is none of the servers.
func TestDetectNothing(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]intercept{
		"pages":           gateway(404, false),
		"portal":          gateway(200, false),
		"empty object":    repliesWith(200, `{}`, false),
		"nominal, alone":  repliesWith(200, `{"status":"fine"}`, false),
		"list":            repliesWith(200, `[1]`, false),
		"empty answer":    repliesWith(200, ``, false),
		"not authorized":  repliesWith(403, `{"message":"Not authorized"}`, false),
		"other 404":       repliesWith(404, `{"message":"Not Found"}`, false),
		"method":          repliesWith(405, `{"message":"Method Not Allowed"}`, false),
		"types that lie":  repliesWith(200, `{"status":7,"locales":{"a":1},"baseUrl":9}`, false),
		"policy of none":  repliesWith(200, `{"baseUrl":"https://hush.example"}`, false),
		"encryption only": repliesWith(200, `{"encryptions":["ENCRYPTION_END_TO_END"]}`, false),
	} {
		s := otstest.Start(t, otstest.Options{Intercept: do})
		got, err := client.Detect(t.Context(), s.URL, nil)
		wantError(t, name, err, client.ErrUnsupported)
		if got != (client.Found{}) {
			t.Errorf("%s: got %+v, want nothing", name, got)
		}
	}
}

// A server that says nominal to all of its paths has no v2.
func TestDetectV2NeedsMoreThanAStatus(t *testing.T) {
	t.Parallel()
	s := otstest.Start(t, otstest.Options{Intercept: on(http.MethodGet, "", repliesWith(200, `{"status":"nominal","locale":"en"}`, false))})
	got, err := client.Detect(t.Context(), s.URL, nil)
	if err != nil || got.Protocol != client.ProtocolV1 {
		t.Errorf("Detect: got %+v, %v, want v1", got, err)
	}
}

func TestDetectWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	_, err := client.Detect(t.Context(), "http://"+nowhere, nil)
	wantError(t, "Detect(closed port)", err, client.ErrNetwork)
	_, err = client.Detect(t.Context(), "ftp://hush.example", nil)
	wantError(t, "Detect(ftp)", err, client.ErrUsage)
}

// The server does not own its whole host.
func TestDetectBelowAPath(t *testing.T) {
	t.Parallel()
	inner := otstest.New(otstest.Options{Release: otstest.Release0205})
	outer := otstest.Start(t, otstest.Options{Intercept: func(_ *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
		http.StripPrefix("/ots", inner).ServeHTTP(w, r)
		return true
	}})
	got, err := client.Detect(t.Context(), outer.URL+"/ots/", nil)
	if err != nil || got.Protocol != client.ProtocolV2 || got.Version != "0.20.5" {
		t.Errorf("Detect: got %+v, %v, want v2", got, err)
	}
	c := clientOf(t, outer.URL+"/ots", client.Options{Protocol: client.ProtocolV2})
	shared := mustShare(t, c, aText(aCanary))
	opened, err := c.Open(t.Context(), parsed(t, shared.Link), client.Text{}, client.Claim{})
	wantText(t, opened, err, aCanary)
}
