package check_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
)

var drawSeed = flag.Uint64("draw.seed", 1, "what TestAnswersAreDescribed draws with; 0 draws that too")

// callsEach is how many calls of one operation are drawn.
const callsEach = 25

// No call gets an answer that the document does not describe, whatever it sends: drawn
// parameters and bodies, right, wrong and broken, in every content type, with and
// without credentials.
func TestAnswersAreDescribed(t *testing.T) {
	t.Parallel()
	seed := *drawSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	p := startProgram(t, "--rate-limits=off", "--log-level=error")
	c := &caller{t: t, program: p, draws: draws{rand.New(rand.NewPCG(seed, 0))}, validator: newValidator(t)}
	model, err := newDocument(t).BuildV3Model()
	if err != nil {
		t.Fatalf("BuildV3Model(): got error %v", err)
	}
	for path, item := range model.Model.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			if c.token == "" || ends(path) {
				c.renew(strings.Contains(path, "olonel"))
			}
			c.conceal()
			for range callsEach {
				c.call(strings.ToUpper(method), path, item, op)
			}
		}
	}
	t.Logf("%d calls, %d of them accepted", c.calls, c.accepted)
	if c.calls < 4000 || c.accepted < 400 {
		t.Errorf("got %d calls, %d of them accepted, want 4000 and 400 or more", c.calls, c.accepted)
	}
}

// caller calls operations with what it draws.
type caller struct {
	draws

	t               *testing.T
	program         program
	validator       validator.Validator
	accounts        int
	address, token  string
	secret, receipt string // keys of a secret that waits
	calls, accepted int
}

// ends reports whether calls of an operation may end an account or a token, or need those
// of an administrator.
func ends(path string) bool {
	return strings.Contains(path, "olonel") || strings.Contains(path, "ccount") && !strings.Contains(path, "domains")
}

// renew makes an account and a token of it.
func (c *caller) renew(isColonel bool) {
	c.t.Helper()
	c.accounts++
	c.address = fmt.Sprintf("caller%d@example.com", c.accounts)
	role := "customer"
	if isColonel {
		role = "colonel"
	}
	c.admin("account", "create", c.address, "--role", role)
	c.token = strings.TrimSpace(c.admin("token", "create", c.address))
}

func (c *caller) admin(args ...string) string {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), c.program.binary, append(append([]string{"admin"}, args...), "--data", c.program.data)...)
	said := &bytes.Buffer{}
	command.Stderr = said
	out, err := command.Output()
	if err != nil {
		c.t.Fatalf("hush admin %v: got %v and %s, want no error", args, err, said)
	}
	return string(out)
}

// conceal shares a secret, whose keys later calls use.
func (c *caller) conceal() {
	c.t.Helper()
	answer, err := http.PostForm(c.program.url+"/api/v1/share", url.Values{"secret": {"drawn"}})
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct {
		Secret  string `json:"secret_key"`
		Receipt string `json:"metadata_key"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.Secret == "" {
		c.t.Fatalf("POST /api/v1/share: got %d and %v, want a secret", answer.StatusCode, err)
	}
	c.secret, c.receipt = made.Secret, made.Receipt
}

// call calls an operation once, and compares the answer with the document.
func (c *caller) call(method, path string, item *v3.PathItem, op *v3.Operation) {
	c.t.Helper()
	request, body := c.request(method, path, append(item.Parameters, op.Parameters...), op)
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		c.t.Errorf("%s %s with %q: got %v, want an answer", method, request.URL, body, err)
		return
	}
	defer answer.Body.Close()
	c.calls++
	if answer.StatusCode == http.StatusOK {
		c.accepted++
	}
	if valid, errs := c.validator.ValidateHttpResponse(request, answer); !valid {
		said, _ := io.ReadAll(answer.Body)
		c.t.Errorf("%s %s as %q with %q (%v): got %d %q %.300q", method, request.URL, request.Header.Get("Content-Type"), body,
			request.Header, answer.StatusCode, answer.Header.Get("Content-Type"), said)
		for _, err := range errs {
			c.t.Errorf("  %s: %s", err.Message, err.Reason)
			for _, detail := range err.SchemaValidationErrors {
				c.t.Errorf("    %s at %s", detail.Reason, detail.FieldPath)
			}
		}
	}
}

// request draws a request of an operation, and returns its body too.
func (c *caller) request(method, path string, parameters []*v3.Parameter, op *v3.Operation) (*http.Request, string) {
	c.t.Helper()
	query, header := url.Values{}, http.Header{}
	for _, p := range parameters {
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(cmp.Or(c.text(p.Name), "x")))
		case "query":
			if c.oneIn(2) {
				query.Set(p.Name, fmt.Sprint(c.value(p.Name, p.Schema, 0)))
			}
		case "header":
			if c.oneIn(8) {
				header.Set(p.Name, pick(c.draws, "1", "0", "-1", "x", "99999999999999999999"))
			}
		}
	}
	body := ""
	kind := ""
	switch {
	case op.RequestBody != nil:
		body, kind = c.body(op.RequestBody)
	case c.oneIn(6): // which such an operation ignores or refuses
		body = pick(c.draws, `{"a":1}`, "a=1", "{", "secret&x", `{"passphrse":"x"}`)
		kind = pick(c.draws, "", "application/json", "application/x-www-form-urlencoded", "text/html", "garbage")
	}
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	c.authorize(header)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.program.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header = header
	return request, body
}

// authorize draws a credential: mostly a right one, or none.
func (c *caller) authorize(header http.Header) {
	basic := func(user, password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	}
	switch c.IntN(10) {
	case 0, 1, 2:
		header.Set("Authorization", basic(c.address, c.token))
	case 3, 4, 5:
		header.Set("Authorization", "Bearer "+c.token)
	case 6:
		header.Set("Authorization", pick(c.draws, basic(c.address, "wrong"), "Bearer wrong", "Basic %", "Bearer", "Digest x"))
	case 7:
		header.Set("Cookie", "__Host-hush=wrong")
	}
}

// body draws a body of one of the described content types, and the type that is sent
// with it.
func (c *caller) body(described *v3.RequestBody) (body, kind string) {
	var kinds []string
	schemas := map[string]*base.SchemaProxy{}
	for kind, media := range described.Content.FromOldest() {
		kinds, schemas[kind] = append(kinds, kind), media.Schema
	}
	kind = kinds[c.IntN(len(kinds))]
	value := c.value("", schemas[kind], 0)
	members, _ := value.(map[string]any)
	if kind == "application/x-www-form-urlencoded" {
		form := url.Values{}
		for name, value := range members {
			form.Set(name, fmt.Sprint(value))
		}
		body = form.Encode()
	} else if text, err := json.Marshal(value); err == nil {
		body = string(text)
	}
	switch {
	case c.oneIn(12):
		body = pick(c.draws, "", "{", "[]", "null", "\"x\"", "{\"a\":", "\x00\xff", "a=%zz", "x", strings.Repeat("[", 2000))
	case c.oneIn(12):
		kind = pick(c.draws, "", "text/html", "application/xml", "application/json; charset=latin1", "multipart/form-data", "multipart/form-data; boundary=x", "garbage", "application/proto")
	}
	return body, kind
}

// value draws a value of a schema, or one of another type.
func (c *caller) value(name string, of *base.SchemaProxy, depth int) any {
	if of == nil || depth > 4 || c.oneIn(15) {
		return pick[any](c.draws, nil, true, -1, 1.5, "x", "", []any{}, map[string]any{}, strings.Repeat("x", 300), "\u0000", 1e300)
	}
	schema := of.Schema()
	for _, options := range [][]*base.SchemaProxy{schema.AllOf, schema.OneOf, schema.AnyOf} {
		if len(options) > 0 {
			return c.value(name, options[c.IntN(len(options))], depth+1)
		}
	}
	if len(schema.Enum) > 0 {
		return schema.Enum[c.IntN(len(schema.Enum))].Value
	}
	kind := "string"
	if len(schema.Type) > 0 {
		kind = schema.Type[c.IntN(len(schema.Type))]
	}
	switch kind {
	case "object":
		members := map[string]any{}
		for name, member := range schema.Properties.FromOldest() {
			if c.oneIn(2) || slices.Contains(schema.Required, name) {
				members[name] = c.value(name, member, depth+1)
			}
		}
		return members
	case "array":
		list := []any{}
		for range c.IntN(3) {
			if schema.Items != nil && schema.Items.IsA() {
				list = append(list, c.value(name, schema.Items.A, depth+1))
			}
		}
		return list
	case "integer", "number":
		return pick[any](c.draws, 0, 1, 5, 60, 3600, -1, 1<<40, "12")
	case "boolean":
		return c.oneIn(2)
	case "null":
		return nil
	default:
		return c.text(name)
	}
}

// text draws a text for a member or parameter of a name: often one that fits.
func (c *caller) text(name string) string {
	lower := strings.ToLower(name)
	if c.oneIn(6) {
		return pick(c.draws, "", " ", "x", "ä", "../..", "%00", "%2f", strings.Repeat("k", 300), "\u202e", "a b", "-1", "null")
	}
	switch {
	case strings.Contains(lower, "metadata") || strings.Contains(lower, "receipt"):
		return c.receipt
	case strings.Contains(lower, "key"), strings.Contains(lower, "identifier"):
		return pick(c.draws, c.secret, c.receipt, "abcdefgh12345678abcdefgh1234567")
	case strings.Contains(lower, "ttl"):
		return pick(c.draws, "60s", "3600s", "3600", "1h", "-1", "0")
	case strings.Contains(lower, "password") || lower == "newp" || lower == "newp2":
		return "correct horse battery"
	case strings.Contains(lower, "domain"):
		return pick(c.draws, "secrets.example.com", "bücher.example", "localhost", "*.example.com")
	case strings.Contains(lower, "address"), strings.Contains(lower, "custid"), strings.Contains(lower, "recipient"):
		return pick(c.draws, c.address, "other@example.com", "x@", "ada@bücher.example")
	case strings.Contains(lower, "locale"):
		return pick(c.draws, "en", "de", "xx")
	}
	return pick(c.draws, "text", "a longer text", "12", "true", "{}", "eyJ9")
}

// draws draws.
type draws struct{ *rand.Rand }

func (d draws) oneIn(n int) bool { return d.IntN(n) == 0 }

// pick returns one of the values.
func pick[T any](d draws, values ...T) T { return values[d.IntN(len(values))] }
