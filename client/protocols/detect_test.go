package protocols_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/otstest"
	"hush/client/protocols"
)

func TestDetectReleases(t *testing.T) {
	t.Parallel()
	versions := map[otstest.Release]string{
		otstest.ReleaseREF: "0.18.4", otstest.Release0205: "0.20.5", otstest.Release02211: "0.22.11",
		otstest.Release0266: "", // says it to accounts only
	}
	for _, release := range otstest.Releases() {
		s := otstest.Start(t, otstest.Options{Release: release, NoGuests: true})
		want := protocols.Found{Protocol: client.ProtocolV2, Version: versions[release]}
		if !release.HasV2() {
			want = protocols.Found{Protocol: client.ProtocolV1}
		}
		got, err := protocols.Detect(t.Context(), s.URL, nil)
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
	s := clienttest.StartWhole(t)
	want := protocols.Found{Protocol: client.ProtocolHush, Version: "1.2.3"}
	got, err := protocols.Detect(t.Context(), s.URL, nil)
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
		do   otstest.Intercept
		want *client.Error
	}{
		"503":               {otstest.Gateway(503, false), client.ErrNetwork},
		"502":               {otstest.Gateway(502, false), client.ErrNetwork},
		"500 in JSON":       {otstest.RepliesWith(500, `{"code":"internal"}`, false), client.ErrNetwork},
		"503 in JSON":       {otstest.RepliesWith(503, `{"code":"unavailable"}`, false), client.ErrNetwork},
		"408":               {otstest.Gateway(408, false), client.ErrNetwork},
		"429":               {otstest.Gateway(429, false), client.ErrLimited},
		"429 in JSON":       {otstest.RepliesWith(429, `{"code":"resource_exhausted"}`, false), client.ErrLimited},
		"limit of v1":       {otstest.RepliesWith(404, `{"message":"Cripes! You have been rate limited."}`, false), client.ErrLimited},
		"301":               {otstest.RepliesWith(301, ``, false), client.ErrProtocol},
		"302":               {otstest.RepliesWith(302, `{}`, false), client.ErrProtocol},
		"307":               {otstest.RepliesWith(307, ``, false), client.ErrProtocol},
		"407":               {otstest.Gateway(407, false), client.ErrProtocol},
		"cut connection":    {otstest.CutBefore, client.ErrNetwork},
		"cut in the middle": {otstest.CutWithin, client.ErrNetwork},
	} {
		for _, path := range []string{"/GetPolicy", "/GetVersion", "/v2/status", "/v2/supported-locales", "/v1/status"} {
			release := otstest.ReleaseREF
			if path == "/v1/status" {
				release = otstest.ReleaseV1Only
			}
			s := otstest.Start(t, otstest.Options{Release: release, Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
				return strings.HasSuffix(r.URL.Path, path) && test.do(s, w, r)
			}})
			got, err := protocols.Detect(t.Context(), s.URL, &http.Client{})
			clienttest.WantError(t, name+" for "+path, err, test.want)
			if got != (protocols.Found{}) {
				t.Errorf("%s for %s: got %+v, want nothing", name, path, got)
			}
		}
	}
}

// A box refuses the calls of Hush, as if the server did not know them, or because it
// does not know them itself. It lets v1 and v2 through, which Hush serves too.
func TestDetectHushBehindABox(t *testing.T) {
	t.Parallel()
	whole := clienttest.StartWhole(t)
	to, err := url.Parse(whole.URL)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	for name, test := range map[string]struct {
		do    otstest.Intercept
		isAll bool
	}{
		"404 for POST":       {otstest.Gateway(404, false), false},
		"404 in JSON":        {otstest.RepliesWith(404, `{"message":"Not Found"}`, false), false},
		"403 for POST":       {otstest.Gateway(403, false), false},
		"403 for both":       {otstest.Gateway(403, false), true},
		"401 for both":       {otstest.Gateway(401, false), true},
		"405 for POST":       {otstest.RepliesWith(405, ``, false), false},
		"empty 200 for POST": {otstest.RepliesWith(200, `{}`, false), false},
	} {
		box := otstest.Start(t, otstest.Options{Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "/hush.v1.") && (test.isAll || r.Method == http.MethodPost) {
				return test.do(s, w, r)
			}
			pass.ServeHTTP(w, r)
			return true
		}})
		got, err := protocols.Detect(t.Context(), box.URL, nil)
		clienttest.WantError(t, name, err, client.ErrProtocol)
		if got != (protocols.Found{}) {
			t.Errorf("%s: got %+v, want nothing", name, got)
		}
	}
}

// What answers to everything is none of the servers.
func TestDetectNothing(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]otstest.Intercept{
		"pages":           otstest.Gateway(404, false),
		"portal":          otstest.Gateway(200, false),
		"empty object":    otstest.RepliesWith(200, `{}`, false),
		"nominal, alone":  otstest.RepliesWith(200, `{"status":"fine"}`, false),
		"list":            otstest.RepliesWith(200, `[1]`, false),
		"empty answer":    otstest.RepliesWith(200, ``, false),
		"not authorized":  otstest.RepliesWith(403, `{"message":"Not authorized"}`, false),
		"other 404":       otstest.RepliesWith(404, `{"message":"Not Found"}`, false),
		"method":          otstest.RepliesWith(405, `{"message":"Method Not Allowed"}`, false),
		"types that lie":  otstest.RepliesWith(200, `{"status":7,"locales":{"a":1},"baseUrl":9}`, false),
		"policy of none":  otstest.RepliesWith(200, `{"baseUrl":"https://hush.example"}`, false),
		"encryption only": otstest.RepliesWith(200, `{"encryptions":["ENCRYPTION_END_TO_END"]}`, false),
	} {
		s := otstest.Start(t, otstest.Options{Intercept: do})
		got, err := protocols.Detect(t.Context(), s.URL, nil)
		clienttest.WantError(t, name, err, client.ErrUnsupported)
		if got != (protocols.Found{}) {
			t.Errorf("%s: got %+v, want nothing", name, got)
		}
	}
}

// A server that says nominal to all of its paths has no v2.
func TestDetectV2NeedsMoreThanAStatus(t *testing.T) {
	t.Parallel()
	s := otstest.Start(t, otstest.Options{Intercept: otstest.On(http.MethodGet, "", otstest.RepliesWith(200, `{"status":"nominal","locale":"en"}`, false))})
	got, err := protocols.Detect(t.Context(), s.URL, nil)
	if err != nil || got.Protocol != client.ProtocolV1 {
		t.Errorf("Detect: got %+v, %v, want v1", got, err)
	}
}

func TestDetectWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	_, err := protocols.Detect(t.Context(), "http://"+clienttest.Nowhere, nil)
	clienttest.WantError(t, "Detect(closed port)", err, client.ErrNetwork)
	_, err = protocols.Detect(t.Context(), "ftp://hush.example", nil)
	clienttest.WantError(t, "Detect(ftp)", err, client.ErrUsage)
}

// The server does not own its whole host.
func TestDetectBelowAPath(t *testing.T) {
	t.Parallel()
	inner := otstest.New(otstest.Options{Release: otstest.Release0205})
	outer := otstest.Start(t, otstest.Options{Intercept: func(_ *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
		http.StripPrefix("/ots", inner).ServeHTTP(w, r)
		return true
	}})
	got, err := protocols.Detect(t.Context(), outer.URL+"/ots/", nil)
	if err != nil || got.Protocol != client.ProtocolV2 || got.Version != "0.20.5" {
		t.Errorf("Detect: got %+v, %v, want v2", got, err)
	}
	c := clientOf(t, outer.URL+"/ots", client.Options{Protocol: client.ProtocolV2})
	shared := clienttest.MustShare(t, c, clienttest.Text(canary))
	opened, err := c.Open(t.Context(), clienttest.Parsed(t, shared.Link), client.Text{}, client.Claim{})
	clienttest.WantText(t, opened, err, canary)
}
