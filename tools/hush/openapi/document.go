package main

import (
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hush/openapi/recorded"
)

const about = `Hush shares a secret once. Every operation is one RPC. Connect clients call it with JSON over POST at ` + "`/hush.v1.<Service>/<Method>`" + `; most operations are also available over the paths of the Onetime Secret API, versions 1 to 3. The same checks run in the same order.

Responses of RPCs omit members that are empty, zero or false. A request of an RPC with a member that the server does not know is refused; v1, v2 and v3 ignore it. Any response may get new members. The members of v1, v2 and v3 responses are those of recorded exchanges: one that is not ` + "`required`" + ` may be missing.

Each operation counts against one rate limit, named in its description. Rate limits are per client network: an IPv4 address or an IPv6 /64. A call over its limit gets 429.

This document leaves out gRPC, gRPC-Web and the streams WatchMetadata and WatchCollection.`

// assemble joins the parts of the document.
func assemble(tree fs.FS) (*yaml.Node, error) {
	exchanges, err := recorded.Read(tree)
	if err != nil {
		return nil, err
	}
	c, err := readContract(tree)
	if err != nil {
		return nil, err
	}
	old, err := readLegacy(c, exchanges)
	if err != nil {
		return nil, err
	}
	components := object(
		"schemas", joined(old.schemas, c.schemas, errorSchemas()),
		"responses", responses(),
		"parameters", sharedParameters(),
		"headers", sharedHeaders(),
		"examples", joined(old.examples, c.examples(exchanges)),
		"securitySchemes", securitySchemes(),
	)
	document := object(
		"openapi", "3.1.0",
		"info", object(
			"title", "Hush API",
			"summary", "Shares a secret once.",
			"version", "1",
			"description", about,
			"license", object("name", "Apache License 2.0", "identifier", "Apache-2.0"),
		),
		"servers", list(object("url", "/", "description", "The service that serves this document.")),
		"tags", list(slices.Concat(c.tags, versionTags())...),
		"paths", joined(c.paths, old.paths),
		"components", components,
	)
	trim(document, components)
	return document, nil
}

const oldParameters = " Parameters stand in the body, in any of its encodings, or in the query. Forms and JSON may have numbers and flags as text, a list of one as its only text, and the members of a secret wrapped in `secret`."

func versionTags() []*yaml.Node {
	return []*yaml.Node{
		object("name", "v1", "description", "Version 1 of the Onetime Secret API. Errors are 404; the header `X-OTS-Intended-Status` has the actual status."+oldParameters),
		object("name", "v2", "description", "Version 2 of the Onetime Secret API."+oldParameters),
		object("name", "v3", "description", "The part of version 3 of the Onetime Secret API that shares and opens secrets. It takes the parameters of version 2, and answers in the later words for states and members."),
	}
}

// joined puts the members of mappings into one.
func joined(parts ...*yaml.Node) *yaml.Node {
	out := object()
	for _, part := range parts {
		for _, p := range pairs(part) {
			set(out, p.name, p.value)
		}
	}
	return out
}

// trim removes the components that nothing points to.
func trim(document, components *yaml.Node) {
	used := map[string]bool{}
	var mark func(from *yaml.Node)
	mark = func(from *yaml.Node) {
		for _, target := range targets(from) {
			if used[target] {
				continue
			}
			used[target] = true
			mark(at(components, strings.SplitN(target, "/", 2)...))
		}
	}
	mark(at(document, "paths"))
	for _, kind := range pairs(components) {
		if kind.name == "securitySchemes" {
			continue
		}
		for _, p := range pairs(kind.value) {
			if !used[kind.name+"/"+p.name] {
				drop(kind.value, p.name)
			}
		}
	}
}

// targets are the components that a node points to, as in schemas/V1Error.
func targets(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	var all []string
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "$ref" {
			all = append(all, strings.TrimPrefix(child.Value, "#/components/"))
		}
		all = append(all, targets(child)...)
	}
	return all
}
