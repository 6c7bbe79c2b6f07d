package apitest_test

import (
	"net/http"
	"strings"

	"hush/routes/apitest"
)

// badLegacy are requests that both legacy versions refuse. Version 1 answers
// most of them with 404 and the honest status in a header.
func badLegacy() []bad {
	var all []bad
	for _, b := range []bad{
		{name: "JSON without an end", contentType: apitest.TypeJSON, body: `{"secret":"x"`, status: 400, want: "the body is not valid JSON"},
		{name: "JSON with something behind", contentType: apitest.TypeJSON, body: `{"secret":"x"}}`, status: 400, want: "the body is not valid JSON"},
		{name: "JSON that is a list", contentType: apitest.TypeJSON, body: `["x"]`, status: 400, want: "the body is not a JSON object"},
		{name: "JSON that is no Unicode", contentType: apitest.TypeJSON, body: "{\"secret\":\"\xff\"}", status: 400, want: "the body is not valid UTF-8"},
		{name: "JSON with half a pair", contentType: apitest.TypeJSON, body: `{"secret":"\udc00x"}`, status: 400, want: "the body has half of a surrogate pair"},
		{name: "JSON with a name twice", contentType: apitest.TypeJSON, body: `{"secret":"x","secret":"y"}`, status: 422, want: "secret was given more than once"},
		{name: "a JSON number for a secret", contentType: apitest.TypeJSON, body: `{"secret":1.50}`, status: 422, want: "secret must be text"},
		{name: "a JSON list for a secret", contentType: apitest.TypeJSON, body: `{"secret":["x"]}`, status: 422, want: "secret must be text"},
		{name: "a JSON object for a passphrase", contentType: apitest.TypeJSON, body: `{"secret":"x","passphrase":{"a":"b"}}`, status: 422, want: "passphrase must be a single value"},
		{name: "JSON 100,000 deep", contentType: apitest.TypeJSON, body: `{"secret":"x","a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", status: 422, want: "nested at most 16 deep"},
		{name: "JSON objects 100,000 deep", contentType: apitest.TypeJSON, body: strings.Repeat(`{"a":`, 100_000), status: 422, want: "nested at most 16 deep"},
		{name: "JSON with 10,000 members", contentType: apitest.TypeJSON, body: `{"secret":"x"` + manyMembers(10_000) + "}", status: 422, want: "at most 1000 tokens"},
		{name: "a form with 10,000 parameters", contentType: apitest.TypeForm, body: "secret=x" + strings.Repeat("&a=b", 10_000), status: 422, want: "at most 1000 parameters"},
		{name: "a form with broken escapes", contentType: apitest.TypeForm, body: "secret=50%", status: 422, want: "secret is not properly percent-encoded"},
		{name: "a form with a broken name", contentType: apitest.TypeForm, body: "%=x&secret=y", status: 422, want: "a parameter is not properly percent-encoded"},
		{name: "a form that is no Unicode", contentType: apitest.TypeForm, body: "secret=%ff", status: 422, want: "secret is not valid UTF-8"},
		{name: "a passphrase that is no Unicode", contentType: apitest.TypeForm, body: "secret=x&passphrase=%c3%28", status: 422, want: "passphrase is not valid UTF-8"},
		{name: "a passphrase with a line break", contentType: apitest.TypeForm, body: "secret=x&passphrase=sesame%0a", status: 422, want: "passphrase must not have a line break"},
		{name: "a passphrase with a byte order mark", contentType: apitest.TypeForm, body: "secret=x&passphrase=%ef%bb%bfsesame", status: 422, want: "begin with a byte order mark"},
		{name: "false for a passphrase", contentType: apitest.TypeJSON, body: `{"secret":"x","passphrase":false}`, status: 422, want: "passphrase must be text"},
		{name: "a form with a name twice", contentType: apitest.TypeForm, body: "secret=x&secret=y", status: 422, want: "secret was given more than once"},
		{name: "a form with a wrapped name twice", contentType: apitest.TypeForm, body: "secret[secret]=x&secret[secret]=y", status: 422, want: "secret was given more than once"},
		{name: "multipart without a boundary", contentType: "multipart/form-data", body: "secret=x", status: 400, want: "the body is not a valid multipart form"},
		{name: "multipart without an end", contentType: "multipart/form-data; boundary=b", body: "--b\r\nContent-Disposition: form-data; name=\"secret\"\r\n\r\nx", status: 400, want: "the body is not a valid multipart form"},
		{name: "multipart that is base64", contentType: "multipart/form-data; boundary=b", body: "--b\r\nContent-Disposition: form-data; name=\"secret\"\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n--b--\r\n", status: 422, want: "secret has a transfer encoding"},
		{name: "multipart with 10,000 parts", contentType: "multipart/form-data; boundary=b", body: strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n", 10_000) + "--b--\r\n", status: 422, want: "at most 1000 parameters"},
		{name: "a compressed body", contentType: apitest.TypeForm, header: http.Header{"Content-Encoding": {"gzip"}}, body: "secret=x", status: 415, want: "a body with a Content-Encoding is not accepted"},
		{name: "a type that is neither form nor JSON", contentType: "text/plain", body: "secret=x", status: 415, want: "the Content-Type of a body must be application/x-www-form-urlencoded, multipart/form-data or application/json"},
		{name: "a type that is no type", contentType: ";;;", body: "", status: 422, want: "You did not provide anything to share"},
		{name: "an oversized form", contentType: apitest.TypeForm, body: "secret=" + strings.Repeat("x", 16<<20), status: 413, want: "the body must be at most 4194304 bytes"},
		{name: "oversized JSON", contentType: apitest.TypeJSON, body: `{"secret":"` + strings.Repeat("x", 5<<20) + `"}`, status: 413, want: "the body must be at most 4194304 bytes"},
		{name: "an oversized secret", contentType: apitest.TypeForm, body: "secret=" + strings.Repeat("x", 100<<10+1), status: 413, want: "102400 bytes"},
		{name: "a query with 10,000 parameters", contentType: apitest.TypeForm, path: "?secret=x" + strings.Repeat("&a=b", 10_000), status: 422, want: "at most 1000 parameters"},
		{name: "a query with broken escapes", path: "?secret=%zz", status: 422, want: "secret is not properly percent-encoded"},
		{name: "a share domain that is too long", contentType: apitest.TypeForm, body: "secret=x&share_domain=" + strings.Repeat("a", 254), status: 422, want: "share_domain: must be at most 253 bytes"},
		{name: "too many recipients", contentType: apitest.TypeForm, body: "secret=x" + strings.Repeat("&recipient[]=a@b.c", 11), status: 422, want: "recipients: must contain no more than 10 item(s)"},
	} {
		one, two := b, b
		one.name, two.name = b.name+" in v1", b.name+" in v2"
		one.path, two.path = "/api/v1/share"+b.path, "/api/v2/secret/conceal"+b.path
		if one.status != http.StatusRequestEntityTooLarge {
			one.status = http.StatusNotFound
		}
		all = append(all, one, two)
	}
	long := strings.Repeat("%22", 30_000)
	return append(all,
		bad{name: "an unknown key of 30,000 quotes in v1", path: "/api/v1/secret/" + long, status: 404, want: "Unknown secret"},
		bad{name: "an unknown key of 30,000 quotes in v2", path: "/api/v2/secret/" + long, status: 404, want: `"success":false`},
		bad{name: "a receipt of 30,000 quotes", method: http.MethodGet, path: "/api/v2/private/" + long, status: 404, want: `"success":false`},
		bad{name: "a million keys", path: "/api/v2/secret/status", contentType: apitest.TypeForm, body: "keys=" + strings.Repeat("a,", 1<<20), status: 422, want: "no more than 25"},
	)
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`,"a` + strings.Repeat("b", i%10) + string(rune('a'+i/1000%26)) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + `":1`)
	}
	return b.String()
}

// badMethods are requests with a method that their path does not have.
func badMethods() []bad {
	var all []bad
	for path, allow := range map[string]string{
		"/api/v1/share":                              "POST",
		"/api/v1/status":                             "GET, HEAD",
		"/api/v1/private/recent":                     "GET, HEAD, POST",
		"/api/v1/private/x/burn":                     "POST",
		"/api/v2/status":                             "GET, HEAD",
		"/api/v2/secret/x":                           "GET, HEAD, POST",
		"/api/v2/secret/x/reveal":                    "POST",
		"/api/v2/private/x":                          "GET, HEAD, PATCH",
		"/api/v2/guest/receipt/x/burn":               "POST",
		"/secret/x":                                  "GET, HEAD, POST",
		"/healthz":                                   "GET, HEAD",
		"/readyz":                                    "GET, HEAD",
		apitest.ConcealPath:                          "POST",
		"/hush.v1.SystemService/GetStatus":           "GET, POST",
		"/hush.v1.MetadataService/GetMetadata":       "POST",
		"/grpc.health.v1.Health/Check":               "POST",
		"/hush.v1.SecretService/ListSecretStatus":    "POST",
		"/hush.v1.SystemService/GetSupportedLocales": "GET, POST",
	} {
		for _, method := range []string{http.MethodDelete, http.MethodPut, "PURGE"} {
			all = append(all, bad{
				name: method + " " + path, method: method, path: path,
				status: http.StatusMethodNotAllowed, want: "Allow:[" + allow + "]",
			})
		}
	}
	return all
}
