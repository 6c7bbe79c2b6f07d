package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/reflect/protoreflect"

	"hush/openapi/recorded"
)

// contractFile is what buf's plugin makes of the contract.
const contractFile = "gen/openapi/rpc.yaml"

// contract is the RPCs' part of the document.
type contract struct {
	methods map[string]method
	budgets map[string]string
	// comments are the paragraphs about each method.
	comments map[string][]string
	tags     []*yaml.Node
	paths    *yaml.Node
	schemas  *yaml.Node
}

func readContract(tree fs.FS) (*contract, error) {
	content, err := fs.ReadFile(tree, contractFile)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, fmt.Errorf("reading %s: %w", contractFile, err)
	}
	root := document.Content[0]
	c := &contract{comments: map[string][]string{}, paths: object(), schemas: at(root, "components", "schemas")}
	var methods []method
	if methods, c.methods, err = readMethods(); err != nil {
		return nil, err
	}
	if c.budgets, err = readBudgets(tree); err != nil {
		return nil, err
	}
	for _, p := range pairs(c.schemas) {
		tidySchema(p.value)
	}
	c.wellKnown()
	c.closeRequests(methods)
	for _, m := range methods {
		if err := c.add(m, at(root, "paths", m.path())); err != nil {
			return nil, err
		}
	}
	c.addTags(methods, at(root, "tags"))
	return c, nil
}

// wellKnown describes Google's types as Connect's JSON has them.
func (c *contract) wellKnown() {
	set(c.schemas, "google.protobuf.Duration", object("type", "string", "pattern", `^-?[0-9]{1,12}(\.[0-9]{1,9})?s$`,
		"description", "A duration in seconds, as in `3600s` or `1.5s`."))
	set(c.schemas, "google.protobuf.Timestamp", object("type", "string", "format", "date-time",
		"description", "A time, as in `2026-11-21T10:00:00Z`."))
}

// closeRequests says that requests have no other members than those described.
// What is part of a response, too, stays open: it may get new ones.
func (c *contract) closeRequests(methods []method) {
	sent, answered := map[protoreflect.FullName]bool{}, map[protoreflect.FullName]bool{}
	for _, m := range methods {
		addParts(sent, m.Input())
		addParts(answered, m.Output())
	}
	for name := range sent {
		schema := at(c.schemas, string(name))
		if !answered[name] && textAt(schema, "type") == "object" && at(schema, "additionalProperties") == nil {
			set(schema, "additionalProperties", false)
		}
	}
}

// addParts adds the names of a message and of those in it.
func addParts(names map[protoreflect.FullName]bool, message protoreflect.MessageDescriptor) {
	if names[message.FullName()] {
		return
	}
	names[message.FullName()] = true
	for i := range message.Fields().Len() {
		if part := message.Fields().Get(i).Message(); part != nil {
			addParts(names, part)
		}
	}
}

// add adds a method that buf's plugin described. Streams are left out: JSON over
// POST cannot call them.
func (c *contract) add(m method, made *yaml.Node) error {
	post := at(made, "post")
	paragraphs, _ := readComment(textAt(post, "summary") + "\n\n" + textAt(post, "description"))
	if len(paragraphs) > 1 && paragraphs[0] == string(m.Name()) { // a short comment stands behind the name
		paragraphs = paragraphs[1:]
	}
	if len(paragraphs) > 0 {
		paragraphs[0] = withoutName(paragraphs[0], string(m.Name()))
	}
	c.comments[string(m.Name())] = paragraphs
	if m.IsStreamingServer() || m.IsStreamingClient() {
		return nil
	}
	if len(paragraphs) == 0 {
		return fmt.Errorf("%s says nothing about %s", contractFile, m.path())
	}
	item := object("post", c.post(m))
	if m.get {
		set(item, "get", c.get(m))
	}
	set(c.paths, m.path(), item)
	return nil
}

// addTags describes the services, in the contract's order.
func (c *contract) addTags(methods []method, made *yaml.Node) {
	about := object()
	for _, tag := range made.Content {
		paragraphs, _ := readComment(textAt(tag, "description"))
		set(about, textAt(tag, "name"), strings.Join(paragraphs, "\n\n"))
	}
	named := object()
	for _, m := range methods {
		name := string(m.Parent().Name())
		set(named, name, object("name", name, "description", at(about, name)))
	}
	for _, p := range pairs(named) {
		c.tags = append(c.tags, p.value)
	}
}

func (c *contract) operation(m method, id string, safe bool) *yaml.Node {
	paragraphs := c.comments[string(m.Name())]
	return object(
		"tags", list(string(m.Parent().Name())),
		"summary", firstSentence(paragraphs[0]),
		"description", strings.Join(append(slices.Clone(paragraphs), m.callers(c.budgets)), "\n\n"),
		"operationId", id,
		"security", m.security(safe),
	)
}

func (c *contract) post(m method) *yaml.Node {
	name := string(m.Name())
	o := c.operation(m, name, false)
	set(o, "parameters", list(ref("parameters", "ConnectProtocolVersion"), ref("parameters", "ConnectTimeout")))
	set(o, "requestBody", object("required", true, "content", object(
		"application/json", object("schema", ref("schemas", string(m.Input().FullName()))))))
	set(o, "responses", c.answers(m))
	return o
}

// get is Connect's GET of methods that change nothing.
func (c *contract) get(m method) *yaml.Node {
	o := c.operation(m, string(m.Name())+"ByGet", true)
	set(o, "parameters", list(
		object("name", "message", "in", "query", "required", true, "description", "The request, in JSON.", "content", object(
			"application/json", object("schema", ref("schemas", string(m.Input().FullName()))))),
		object("name", "encoding", "in", "query", "required", true, "schema", object("type", "string", "const", "json")),
		object("name", "connect", "in", "query", "description", "The version of the Connect protocol.",
			"schema", object("type", "string", "const", "v1")),
		ref("parameters", "ConnectTimeout"),
	))
	set(o, "responses", c.answers(m))
	return o
}

func (c *contract) answers(m method) *yaml.Node {
	media := object("schema", ref("schemas", string(m.Output().FullName())))
	return object(
		"200", object("description", "Success.", "content", object("application/json", media)),
		"default", ref("responses", "ConnectError"),
	)
}

// examples puts recorded answers into the paths, and returns them as
// components.
func (c *contract) examples(exchanges []recorded.Exchange) *yaml.Node {
	all := object()
	for _, e := range exchanges {
		media := at(c.paths, e.Path(), strings.ToLower(e.Method), "responses", "200", "content", "application/json")
		name := e.Path()[strings.LastIndex(e.Path(), "/")+1:]
		if media == nil || e.Status != 200 || !e.Answer.HoldsJSON() || at(all, name) != nil {
			continue
		}
		if value, err := readJSON(e.Answer.Body); err == nil {
			set(all, name, object("value", value))
			set(media, "examples", object("recorded", ref("examples", name)))
		}
	}
	return all
}
