package otstest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"hush/client/otstest"
)

// ask sends a request and returns the status and the answer.
func ask(t *testing.T, method, address, kind, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := map[string]any{}
	_ = json.Unmarshal(text, &answer) // an empty answer stays empty
	return res.StatusCode, answer
}

// in returns a value inside an answer.
func in(answer map[string]any, path ...string) any {
	var value any = answer
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

const (
	inForm = "application/x-www-form-urlencoded"
	inJSON = "application/json"
)

// What the releases do with requests of the two forms, as the reference has it.
func TestForms(t *testing.T) {
	t.Parallel()
	const wrapped, flat = `{"secret":{"secret":"text"}}`, `{"secret":"text"}`
	for _, test := range []struct {
		release    otstest.Release
		path, kind string
		body       string
		status     int
		message    string
	}{
		{otstest.ReleaseREF, "/api/v2/secret/conceal", inJSON, flat, 200, ""},
		{otstest.ReleaseREF, "/api/v2/secret/conceal", inForm, "secret=text", 200, ""},
		{otstest.ReleaseREF, "/api/v2/secret/conceal", inJSON, wrapped, 400, "An unexpected error occurred :["},
		{otstest.ReleaseREF, "/api/v2/secret/conceal", inJSON, "{", 400, ""},
		{otstest.Release0205, "/api/v2/secret/conceal", inJSON, wrapped, 200, ""},
		{otstest.Release0205, "/api/v2/secret/conceal", inForm, "secret[secret]=text", 200, ""},
		{otstest.Release0205, "/api/v2/secret/conceal", inJSON, flat, 422, "Incorrect payload format"},
		{otstest.Release0266, "/api/v2/secret/conceal", inJSON, `{"secret":{"secret":""}}`, 422, ""},
		{otstest.ReleaseV1Only, "/api/v2/secret/conceal", inJSON, wrapped, 404, "Not Found"},
		{otstest.ReleaseREF, "/api/v1/share", inForm, "secret=text", 200, ""},
		{otstest.ReleaseREF, "/api/v1/share", "", "secret=text", 200, ""},
		{otstest.ReleaseREF, "/api/v1/share?secret=text", inForm, "", 200, ""},
		{otstest.ReleaseREF, "/api/v1/share", inJSON, flat, 404, "You did not provide anything to share"},
		{otstest.Release0266, "/api/v1/share", inJSON, flat, 200, ""},
		{otstest.ReleaseREF, "/api/v1/secret/short", inForm, "", 404, "Unknown secret"},
		{otstest.Release0266, "/api/v1/secret/short", inForm, "", 404, ""},
	} {
		s := otstest.Start(t, otstest.Options{Release: test.release})
		status, answer := ask(t, http.MethodPost, s.URL+test.path, test.kind, test.body)
		message, _ := answer["message"].(string)
		if status != test.status || message != test.message {
			t.Errorf("%v: POST %s %s %s: got %d %q, want %d %q", test.release, test.path, test.kind, test.body, status, message, test.status, test.message)
		}
		if waits := s.Waiting() == 1; waits != (test.status == 200) {
			t.Errorf("%v: POST %s %s: got %d secrets", test.release, test.path, test.body, s.Waiting())
		}
	}
}

// The types of one member, just created and from the store.
func TestTypes(t *testing.T) {
	t.Parallel()
	for release, want := range map[otstest.Release][2]string{
		otstest.ReleaseREF: {"604800.0", ""}, otstest.Release0205: {"604800", `"604800"`}, otstest.Release02211: {"604800", `"604800"`}, otstest.Release0266: {"604800", "604800"},
	} {
		s := otstest.Start(t, otstest.Options{Release: release})
		body := `{"secret":{"secret":"text","ttl":604800}}`
		if release == otstest.ReleaseREF {
			body = `{"secret":"text"}`
		}
		res, err := http.Post(s.URL+"/api/v2/secret/conceal", inJSON, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var created struct {
			Record struct {
				Metadata struct {
					Key       string
					SecretTTL json.RawMessage `json:"secret_ttl"`
				}
				Secret map[string]any
			}
		}
		err = json.NewDecoder(res.Body).Decode(&created)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(created.Record.Metadata.SecretTTL); got != want[0] {
			t.Errorf("%v: got secret_ttl %s, want %s", release, got, want[0])
		}
		if hasKey := created.Record.Secret["identifier"] != nil; hasKey != (release != otstest.ReleaseREF) {
			t.Errorf("%v: the answer has the key: got %v", release, hasKey)
		}
		_, found := ask(t, http.MethodGet, s.URL+"/api/v2/private/"+created.Record.Metadata.Key, "", "")
		stored, _ := json.Marshal(in(found, "record", "secret_ttl"))
		if got := string(stored); want[1] != "" && got != want[1] {
			t.Errorf("%v: got the stored secret_ttl %s, want %s", release, got, want[1])
		}
	}
}

// The releases reveal on GET, and on HEAD without showing what was lost.
func TestDangerousMethods(t *testing.T) {
	t.Parallel()
	for _, release := range otstest.Releases() {
		if !release.HasV2() {
			continue
		}
		for method, shows := range map[string]bool{http.MethodGet: true, http.MethodHead: false} {
			s := otstest.Start(t, otstest.Options{Release: release})
			_, created := ask(t, http.MethodPost, s.URL+"/api/v1/share", inForm, "secret=text")
			address := s.URL + "/api/v2/secret/" + created["secret_key"].(string)
			ask(t, method, address, "", "")
			if s.Waiting() != 1 {
				t.Fatalf("%v: %s: got that it reveals, want a look", release, method)
			}
			_, answer := ask(t, method, address+"?continue=true", "", "")
			if s.Waiting() != 0 || (in(answer, "record", "secret_value") == "text") != shows {
				t.Errorf("%v: %s to continue: got %v and %d waiting secrets", release, method, answer, s.Waiting())
			}
		}
	}
}

// A burn describes the secret as it was before.
func TestStaleBurn(t *testing.T) {
	t.Parallel()
	for _, release := range otstest.Releases() {
		s := otstest.Start(t, otstest.Options{Release: release})
		_, created := ask(t, http.MethodPost, s.URL+"/api/v1/share", inForm, "secret=text")
		receipt := s.URL + "/api/v1/private/" + created["metadata_key"].(string)
		_, burned := ask(t, http.MethodPost, receipt+"/burn", inForm, "")
		if got := in(burned, "state", "state"); got != "new" {
			t.Errorf("%v: burn: got the state %v, want new", release, got)
		}
		if _, after := ask(t, http.MethodGet, receipt, "", ""); after["state"] != "burned" || after["secret_key"] != "" {
			t.Errorf("%v: receipt: got %v, want it burned", release, after)
		}
	}
}
