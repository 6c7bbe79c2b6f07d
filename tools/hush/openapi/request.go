package main

import (
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hush/routes"
	"hush/routes/params"
)

// addRequest describes what a route takes: keys in the path, everything else in
// the body, or in the query where there is none.
func (l *legacy) addRequest(o *yaml.Node, r routes.Endpoint) {
	var parameters []*yaml.Node
	if strings.Contains(r.Path, "{key}") {
		parameters = append(parameters, ref("parameters", "Key"))
	}
	if strings.Contains(r.Path, "{domain}") {
		parameters = append(parameters, ref("parameters", "Domain"))
	}
	takes := takenBy(r)
	if r.Method == http.MethodGet {
		for _, p := range takes {
			schema := schemaOf(p, l.field(r)(jsonPath(p)))
			about := textAt(schema, "description")
			drop(schema, "description")
			parameters = append(parameters, object("name", p.Name, "in", "query", "description", about, "schema", schema))
		}
		takes = nil
	}
	if len(parameters) > 0 {
		set(o, "parameters", parameters)
	}
	if len(takes) > 0 {
		set(o, "requestBody", l.body(r, takes))
	}
}

// body is the same in three encodings, but for files, which only one has.
func (l *legacy) body(r routes.Endpoint, takes []routes.Param) *yaml.Node {
	name := answerName(r) + "Parameters"
	if r.Version != "v1" || at(l.schemas, name) == nil {
		set(l.schemas, name, l.bodySchema(r, takes))
	}
	media := object("schema", ref("schemas", name))
	content := object("multipart/form-data", media)
	if takes[0].Form != params.FormFile {
		form := object("schema", ref("schemas", name))
		if encoding := nestedEncoding(takes); len(encoding.Content) > 0 {
			set(form, "encoding", encoding)
		}
		content = object("application/json", media, "application/x-www-form-urlencoded", form, "multipart/form-data", media)
	}
	required := slices.ContainsFunc(takes, func(p routes.Param) bool { return p.Required || p.Form == params.FormFile })
	return object("required", required, "content", content)
}

func (l *legacy) bodySchema(r routes.Endpoint, takes []routes.Param) *yaml.Node {
	schema := bodyOf(takes, l.field(r))
	if r.Operation == "AltchaVerifySpam" {
		set(schema, "additionalProperties", object("type", "string", "description", "A field of the form that the verdict is about."))
	}
	return schema
}

// nestedEncoding says that forms spell members with brackets.
func nestedEncoding(takes []routes.Param) *yaml.Node {
	all := object()
	for _, p := range takes {
		if outer, _, nested := strings.Cut(p.Name, "["); nested {
			set(all, outer, object("style", "deepObject", "explode", true))
		}
	}
	return all
}

// field finds the schemas of the fields of the RPCs behind a route.
func (l *legacy) field(r routes.Endpoint) func(path []string) *yaml.Node {
	return func(path []string) *yaml.Node {
		if len(path) == 0 {
			return nil
		}
		for operation := range strings.SplitSeq(r.Operation, " or ") {
			schema := at(l.contract.schemas, string(l.contract.methods[operation].Input().FullName()))
			if found := l.descend(schema, path); found != nil && !strings.HasPrefix(textAt(found, "description"), "As in ") {
				return found
			}
		}
		// What GenerateSecret says is as in ConcealSecretRequest.
		schema := at(l.contract.schemas, "hush.v1.ConcealSecretRequest")
		return l.descend(schema, path)
	}
}

func (l *legacy) descend(schema *yaml.Node, names []string) *yaml.Node {
	for _, name := range names {
		if target := textAt(schema, "$ref"); target != "" {
			schema = at(l.contract.schemas, strings.TrimPrefix(target, "#/components/schemas/"))
		}
		schema = at(schema, "properties", name)
	}
	return schema
}

// sortPairs puts the members of a mapping in the order of their names.
func sortPairs(o *yaml.Node) {
	all := pairs(o)
	slices.SortFunc(all, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	o.Content = nil
	for _, p := range all {
		set(o, p.name, p.value)
	}
}
