package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hush/handlers"
	"hush/openapi/recorded"
	"hush/routes"
)

// legacy is the part of the document about v1, v2 and v3.
type legacy struct {
	contract *contract
	routes   []routes.Endpoint
	// answers are the recorded ones, by version and operation.
	answers  map[string]*shape
	shapes   *shapes
	paths    *yaml.Node
	schemas  *yaml.Node
	examples *yaml.Node
}

// marks are the objects that many answers share.
func marks() []mark {
	return []mark{
		{"metadata_path", "V2Receipt"},
		{"original_size", "V2Secret"},
		{"txt_validation_host", "V2Domain"},
		{"metadata_ttl", "V1Receipt"},
		{"stripe_checkout_email", "V2Account"},
		{"vhost_target", "V2Cluster"},
		{"has_maxviews", "V2ReceiptDetails"},
		{"correct_passphrase", "V2SecretDetails"},
		{"redis_info", "V2Index"},
		{"receipt_ttl", "V3Receipt"},
		{"is_previewed", "V3Secret"},
		{"show_receipt_link", "V3ReceiptDetails"},
		{"pending_receipts", "V3ListDetails"},
	}
}

func readLegacy(c *contract, exchanges []recorded.Exchange) (*legacy, error) {
	rows, err := legacyRoutes()
	if err != nil {
		return nil, err
	}
	l := &legacy{
		contract: c, routes: rows, answers: map[string]*shape{}, shapes: newShapes(marks()...),
		paths: object(), schemas: object(), examples: object(),
	}
	if err := l.learn(exchanges); err != nil {
		return nil, err
	}
	for _, r := range l.routes {
		o, err := l.operation(r)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
		}
		if at(l.paths, r.Path) == nil {
			set(l.paths, r.Path, object())
		}
		set(at(l.paths, r.Path), strings.ToLower(r.Method), o)
	}
	l.addAnswers()
	sortPairs(l.schemas)
	return l, nil
}

// addAnswers adds the schemas of all answers.
func (l *legacy) addAnswers() {
	add := func(name string, s *shape) {
		schema := l.shapes.schema(s, name)
		describeMembers(schema, memberTexts(name[:len("v1")]))
		set(l.schemas, name, schema)
	}
	for name, s := range l.answers {
		add(name, s)
	}
	for _, m := range marks() {
		if s := l.shapes.named[m.component]; s != nil {
			add(m.component, s)
		}
	}
}

// legacyRoutes are the routes of v1, v2 and v3.
func legacyRoutes() ([]routes.Endpoint, error) {
	api, err := handlers.Described()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(routes.Endpoints(api), func(e routes.Endpoint) bool { return e.Version == "" }), nil
}

// answerName is what the schema of a route's answer is called. What is not about secrets
// and receipts, v3 answers as v2 does.
func answerName(r routes.Endpoint) string {
	version := strings.ToUpper(r.Version)
	switch r.Operation {
	case "GetStatus", "GetVersion", "GetSupportedLocales", "ReceiveFeedback":
		version = errorName(r.Version)
	}
	return version + strings.ReplaceAll(r.Operation, " or ", "Or")
}

// learn takes the recorded answers of all routes.
func (l *legacy) learn(exchanges []recorded.Exchange) error {
	for _, e := range exchanges {
		r, found := l.routeOf(e)
		if !found || e.Status != http.StatusOK || !e.Answer.HoldsJSON() {
			continue
		}
		value, err := readJSON(e.Answer.Body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", e.Method, e.Target, err)
		}
		name := answerName(r)
		if l.answers[name] == nil {
			l.answers[name] = new(shape)
			set(l.examples, name, object("value", value))
		}
		l.shapes.add(l.answers[name], value)
	}
	return nil
}

func (l *legacy) routeOf(e recorded.Exchange) (met routes.Endpoint, found bool) {
	var templates []string
	for _, r := range l.routes {
		if r.Method == e.Method {
			templates = append(templates, r.Path)
		}
	}
	template := recorded.Template(templates, e.Path())
	for _, r := range l.routes {
		if r.Method == e.Method && r.Path == template {
			return r, true
		}
	}
	return met, false
}

func (l *legacy) operation(r routes.Endpoint) (*yaml.Node, error) {
	if r.Method == http.MethodOptions {
		return l.preflight(r), nil
	}
	name, _, _ := strings.Cut(r.Operation, " or ")
	m, known := l.contract.methods[name]
	if !known || l.answers[answerName(r)] == nil {
		return nil, fmt.Errorf("no RPC %s, or no recorded answer", name)
	}
	o := object(
		"tags", list(r.Version),
		"summary", firstSentence(strings.Split(l.text(r), "\n\n")[0]),
		"description", l.text(r)+"\n\n"+l.behind(r)+"\n\n"+m.callers(l.contract.budgets),
		"operationId", operationID(r),
		"security", m.security(r.Method == http.MethodGet),
	)
	if r.AnyCredential {
		set(o, "security", list(object()))
	}
	l.addRequest(o, r)
	set(o, "responses", answersOf(r.Version, r.Method, l.good(r)))
	return o, nil
}

// behind says which RPC does the work.
func (l *legacy) behind(r routes.Endpoint) string {
	var names []string
	for name := range strings.SplitSeq(r.Operation, " or ") {
		names = append(names, "`"+strings.TrimPrefix(l.contract.methods[name].path(), "/")+"`")
	}
	return "RPC: " + strings.Join(names, " or ") + "."
}

// good is the answer of a call that succeeds.
func (l *legacy) good(r routes.Endpoint) *yaml.Node {
	good := object("description", "Success.")
	if r.AnyOrigin {
		set(good, "headers", object("Access-Control-Allow-Origin", ref("headers", "AllowOrigin")))
	}
	set(good, "content", object("application/json", object(
		"schema", ref("schemas", answerName(r)),
		"examples", object("recorded", ref("examples", answerName(r))),
	)))
	return good
}

func (l *legacy) preflight(r routes.Endpoint) *yaml.Node {
	return object(
		"tags", list(r.Version),
		"summary", "Preflight for scripts of other sites",
		"operationId", operationID(r),
		"security", list(object()),
		"responses", object("200", object(
			"description", "An empty object. The headers list the methods and headers that a page may use.",
			"headers", object("Access-Control-Allow-Origin", ref("headers", "AllowOrigin")),
			"content", object("application/json", object("schema", object("type", "object"))),
		)),
	)
}

// operationID is as in v1PostSecretKeyBurn.
func operationID(r routes.Endpoint) string {
	var id strings.Builder
	id.WriteString(r.Version + strings.ToUpper(r.Method[:1]) + strings.ToLower(r.Method[1:]))
	for word := range strings.FieldsFuncSeq(strings.TrimPrefix(r.Path, "/api/"+r.Version), func(c rune) bool {
		return strings.ContainsRune("/-{}", c)
	}) {
		id.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return id.String()
}
