package main

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// shape is what recorded values of one place have in common. It becomes a
// schema: the types that were seen, and as required what every object had.
type shape struct {
	types   []string // as JSON Schema calls them, in the order of sight
	seen    int      // objects
	names   []string
	members map[string]*shape
	counts  map[string]int // objects with the member
	items   *shape
	ref     string // the component that stands for it, or empty
	values  []*yaml.Node
}

// shapes knows the objects that have a component of their own, and what members
// of each name hold anywhere, for those that are null or empty in one place.
type shapes struct {
	named  map[string]*shape       // by component
	values map[string][]*yaml.Node // by member
	marks  []mark
}

// mark says by which member an object of a component is known.
type mark struct{ member, component string }

func newShapes(marks ...mark) *shapes {
	return &shapes{map[string]*shape{}, map[string][]*yaml.Node{}, marks}
}

// add takes a value into account.
func (all *shapes) add(s *shape, v *yaml.Node) {
	kind := typeOf(v)
	if !slices.Contains(s.types, kind) {
		s.types = append(s.types, kind)
	}
	switch kind {
	case "array":
		if s.items == nil {
			s.items = new(shape)
		}
		for _, item := range v.Content {
			all.add(s.items, item)
		}
	case "object":
		all.addObject(s, v)
	}
}

func (all *shapes) addObject(s *shape, v *yaml.Node) {
	s.values = append(s.values, v)
	for _, m := range all.marks {
		if at(v, m.member) == nil {
			continue
		}
		s.ref = m.component
		if all.named[m.component] == nil {
			all.named[m.component] = &shape{types: []string{"object"}}
		}
		s = all.named[m.component]
		break
	}
	if s.members == nil {
		s.members, s.counts = map[string]*shape{}, map[string]int{}
	}
	s.seen++
	for _, p := range pairs(v) {
		if s.members[p.name] == nil {
			s.members[p.name] = new(shape)
			s.names = append(s.names, p.name)
		}
		s.counts[p.name]++
		all.add(s.members[p.name], p.value)
		all.values[p.name] = append(all.values[p.name], p.value)
	}
}

func typeOf(v *yaml.Node) string {
	switch {
	case v.Kind == yaml.MappingNode:
		return "object"
	case v.Kind == yaml.SequenceNode:
		return "array"
	}
	switch v.Tag {
	case "!!int":
		return "integer"
	case "!!float":
		return "number"
	case "!!bool":
		return "boolean"
	case "!!null":
		return "null"
	default:
		return "string"
	}
}

// schema writes a shape down. The name is that of the member that holds it.
func (all *shapes) schema(s *shape, name string) *yaml.Node {
	s = all.known(s, name)
	if name == "ratio" { // recorded as whole numbers, by chance
		return object("type", "number")
	}
	types := slices.DeleteFunc(slices.Clone(s.types), func(t string) bool {
		return t == "null" || t == "integer" && slices.Contains(s.types, "number")
	})
	null := slices.Contains(s.types, "null")
	if s.ref != "" && s.seen > 0 { // some of the objects are others: only what all have in common holds
		common, scratch := new(shape), newShapes()
		for _, v := range s.values {
			scratch.add(common, v)
		}
		return scratch.schema(common, name)
	}
	if s.ref != "" && len(types) == 1 {
		if !null {
			return ref("schemas", s.ref)
		}
		return object("anyOf", list(ref("schemas", s.ref), object("type", "null")))
	}
	out := object()
	switch {
	case len(types) == 0: // null wherever it was seen
		return out
	case len(types) == 1 && !null:
		set(out, "type", types[0])
	case len(types) == 1:
		set(out, "type", append(types, "null"))
	default:
		either := list[string]()
		if null {
			types = append(types, "null")
		}
		for _, one := range types {
			either.Content = append(either.Content, object("type", one))
		}
		set(out, "anyOf", either)
	}
	if s.items != nil {
		set(out, "items", all.schema(s.items, name))
	}
	if len(s.names) > 0 {
		all.members(out, s)
	}
	return out
}

// known is the shape that members of that name have everywhere, for one that
// says too little itself: that is null, or an empty list.
func (all *shapes) known(s *shape, name string) *shape {
	null := slices.Equal(s.types, []string{"null"})
	empty := slices.Equal(s.types, []string{"array"}) && len(s.items.types) == 0
	if !null && !empty {
		return s
	}
	elsewhere, scratch := new(shape), newShapes(all.marks...)
	for _, v := range all.values[name] {
		if kind := typeOf(v); kind == "null" || kind == "array" || null {
			scratch.add(elsewhere, v)
		}
	}
	if len(elsewhere.types) == 0 {
		return s
	}
	return elsewhere
}

// members writes the members of an object. One object alone does not show which
// of them are always there.
func (all *shapes) members(out *yaml.Node, s *shape) {
	properties, required := object(), []string{}
	for _, name := range s.names {
		set(properties, name, all.schema(s.members[name], name))
		if s.seen > 1 && s.counts[name] == s.seen {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		set(out, "required", required)
	}
	set(out, "properties", properties)
}
