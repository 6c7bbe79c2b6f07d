package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// object makes a mapping of names and values that keeps their order. Values are
// what node takes.
func object(pairs ...any) *yaml.Node {
	o := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(pairs); i += 2 {
		set(o, fmt.Sprint(pairs[i]), pairs[i+1])
	}
	return o
}

// list makes a sequence.
func list[T any](items ...T) *yaml.Node {
	l := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, item := range items {
		l.Content = append(l.Content, node(item))
	}
	return l
}

// node makes a node of a text, a number, a flag, nil, texts, or a node.
func node(value any) *yaml.Node {
	switch v := value.(type) {
	case *yaml.Node:
		return v
	case []string:
		return list(v...)
	case []*yaml.Node:
		return list(v...)
	case int:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(v)}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: fmt.Sprint(v)}
	}
}

// ref points to a component.
func ref(kind, name string) *yaml.Node {
	return object("$ref", "#/components/"+kind+"/"+name)
}

// at follows names through mappings. It returns nil where one is missing.
func at(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		i := indexOf(n, name)
		if i < 0 {
			return nil
		}
		n = n.Content[i+1]
	}
	return n
}

// textAt is the text that at finds, or an empty one.
func textAt(n *yaml.Node, names ...string) string {
	if found := at(n, names...); found != nil {
		return found.Value
	}
	return ""
}

// set puts a value under a name, in the place of the one that is there. A nil
// node changes nothing.
func set(o *yaml.Node, name string, value any) {
	v := node(value)
	if v == nil {
		return
	}
	if i := indexOf(o, name); i >= 0 {
		o.Content[i+1] = v
		return
	}
	o.Content = append(o.Content, node(name), v)
}

// drop removes names from a mapping.
func drop(o *yaml.Node, names ...string) {
	for _, name := range names {
		if i := indexOf(o, name); i >= 0 {
			o.Content = slices.Delete(o.Content, i, i+2)
		}
	}
}

func indexOf(o *yaml.Node, name string) int {
	if o == nil || o.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(o.Content); i += 2 {
		if o.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// pair is one name of a mapping with its value.
type pair struct {
	name  string
	value *yaml.Node
}

// pairs lists what a mapping holds; nothing for what is none.
func pairs(o *yaml.Node) []pair {
	if o == nil || o.Kind != yaml.MappingNode {
		return nil
	}
	var all []pair
	for i := 0; i+1 < len(o.Content); i += 2 {
		all = append(all, pair{o.Content[i].Value, o.Content[i+1]})
	}
	return all
}

// readJSON reads a JSON value, with the members of its objects in their order.
func readJSON(text string) (*yaml.Node, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	n, err := readValue(d)
	if err != nil {
		return nil, fmt.Errorf("reading JSON %.80q: %w", text, err)
	}
	return n, nil
}

func readValue(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		return readNested(d, t)
	case json.Number:
		tag := "!!int"
		if _, err := t.Int64(); err != nil {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: t.String()}, nil
	default:
		return node(t), nil
	}
}

func readNested(d *json.Decoder, open json.Delim) (*yaml.Node, error) {
	n := list[string]()
	if open == '{' {
		n = object()
	}
	for d.More() {
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, v)
	}
	_, err := d.Token()
	return n, err
}
