package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"hush/handlers"
	"hush/openapi"
	"hush/routes"
)

func plain(t *testing.T, n *yaml.Node) string {
	t.Helper()
	text, err := yaml.Marshal(n)
	if err != nil {
		t.Fatalf("Marshal(): got error %v", err)
	}
	return string(text)
}

// readDocument is the document as it is served.
func readDocument(t *testing.T) *yaml.Node {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal(openapi.Document(), &document); err != nil {
		t.Fatalf("Unmarshal(Document()): got error %v", err)
	}
	return document.Content[0]
}

// describedRoutes returns the routes of v1, v2 and v3.
func describedRoutes(t *testing.T) []routes.Endpoint {
	t.Helper()
	rows, err := legacyRoutes()
	if err != nil {
		t.Fatalf("legacyRoutes(): got error %v", err)
	}
	return rows
}

// Every route of the API is described, and nothing else.
func TestDocumentIsComplete(t *testing.T) {
	t.Parallel()
	want := map[string]bool{}
	for _, r := range describedRoutes(t) {
		want[strings.ToLower(r.Method)+" "+r.Path] = true
	}
	api, err := handlers.Described()
	if err != nil {
		t.Fatalf("Described(): got error %v", err)
	}
	for _, mount := range api.Mounts {
		for _, procedure := range mount.Procedures {
			want["post "+procedure] = true
		}
	}
	delete(want, "post /hush.v1.MetadataService/WatchMetadata") // a stream
	delete(want, "post /hush.v1.RequestService/WatchCollection")
	for _, name := range []string{"hush.v1.SystemService/GetStatus", "hush.v1.SystemService/GetVersion", "hush.v1.SystemService/GetSupportedLocales", "testname.v1.TestName/Lookup"} {
		want["get /"+name] = true
	}
	got := map[string]bool{}
	ids := map[string]bool{}
	for _, path := range pairs(at(readDocument(t), "paths")) {
		for _, operation := range pairs(path.value) {
			got[operation.name+" "+path.name] = true
			id := textAt(operation.value, "operationId")
			if ids[id] {
				t.Errorf("operationId %s: got it twice, want it once", id)
			}
			ids[id] = true
			if textAt(operation.value, "summary") == "" || at(operation.value, "security") == nil {
				t.Errorf("%s %s: got no summary or no security, want both", operation.name, path.name)
			}
		}
	}
	for _, one := range slices.Sorted(maps.Keys(want)) {
		if !got[one] {
			t.Errorf("%s: got no description, want one", one)
		}
	}
	for _, one := range slices.Sorted(maps.Keys(got)) {
		if !want[one] {
			t.Errorf("%s: got a description of what is not served", one)
		}
	}
	for _, schema := range pairs(at(readDocument(t), "components", "schemas")) {
		if strings.HasPrefix(schema.name, "hush.admin.") {
			t.Errorf("schema %s: got it in the document, want nothing of the operator's socket", schema.name)
		}
	}
}

// Each parameter has a text: its own, or that of the RPC's field that it becomes.
func TestParametersAreDescribed(t *testing.T) {
	t.Parallel()
	var described func(name string, schema *yaml.Node)
	described = func(name string, schema *yaml.Node) {
		if below := at(schema, "properties"); below != nil {
			for _, p := range pairs(below) {
				described(name+" "+p.name, p.value)
			}
			return
		}
		if textAt(schema, "description") == "" {
			t.Errorf("%s: got no description, want one", name)
		}
	}
	found := 0
	for _, schema := range pairs(at(readDocument(t), "components", "schemas")) {
		if strings.HasSuffix(schema.name, "Parameters") {
			described(schema.name, schema.value)
			found++
		}
	}
	if found < 20 {
		t.Errorf("schemas of parameters: got %d, want 20 or more", found)
	}
}

// What a route declares is in its description, under its name.
func TestParametersAreInTheDocument(t *testing.T) {
	t.Parallel()
	document := readDocument(t)
	for _, r := range describedRoutes(t) {
		operation := at(document, "paths", r.Path, strings.ToLower(r.Method))
		body := at(operation, "requestBody", "content", "multipart/form-data", "schema")
		schema := at(document, "components", "schemas", strings.TrimPrefix(textAt(body, "$ref"), "#/components/schemas/"))
		for _, p := range takenBy(r) {
			outer, inner, nested := strings.Cut(strings.TrimSuffix(p.Name, "]"), "[")
			member := at(schema, "properties", outer)
			if nested {
				member = at(member, "properties", inner)
			}
			if p.In == "query" {
				member = at(operation, "parameters")
			}
			if member == nil {
				t.Errorf("%s %s: got no parameter %s, want all that the route reads", r.Method, r.Path, p.Name)
			}
		}
	}
}

// Each text of a member describes one in the responses of its version.
func TestMemberTextsAreUsed(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"V1", "V2"} {
		used := map[member]bool{}
		for _, schema := range pairs(at(readDocument(t), "components", "schemas")) {
			if strings.HasPrefix(schema.name, version) {
				collectMembers(schema.value, used)
			}
		}
		for key := range memberTexts(version) {
			if !used[key] {
				t.Errorf("memberTexts(%s): got %v, want only members of responses", version, key)
			}
		}
	}
}

func collectMembers(schema *yaml.Node, into map[member]bool) {
	for _, p := range pairs(at(schema, "properties")) {
		into[member{p.name, typesOf(p.value)}] = true
		collectMembers(p.value, into)
	}
	if items := at(schema, "items"); items != nil {
		collectMembers(items, into)
	}
}
