package main

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
)

// policyFile has comments on the rate limits.
const policyFile = "proto/hush/v1/policy.proto"

// method is an RPC with what it declares about its callers.
type method struct {
	protoreflect.MethodDescriptor
	access    hushv1.Access
	scope     hushv1.Scope
	limit     hushv1.Limit
	forgeable bool
	get       bool // answers GET, too
}

// readMethods finds all RPCs of the public port, in the contract's order. No two
// of them share a name.
func readMethods() (all []method, byName map[string]method, err error) {
	byName = map[string]method{}
	for _, service := range chain.Services() {
		for i := range service.Methods().Len() {
			m := readMethod(service.Methods().Get(i))
			name := string(m.Name())
			if _, taken := byName[name]; taken {
				return nil, nil, fmt.Errorf("two methods are called %s", name)
			}
			all, byName[name] = append(all, m), m
		}
	}
	return all, byName, nil
}

func readMethod(d protoreflect.MethodDescriptor) method {
	m := method{MethodDescriptor: d}
	options, _ := d.Options().(*descriptorpb.MethodOptions)
	m.access, _ = proto.GetExtension(options, hushv1.E_Access).(hushv1.Access)
	m.scope, _ = proto.GetExtension(options, hushv1.E_Scope).(hushv1.Scope)
	m.limit, _ = proto.GetExtension(options, hushv1.E_Limit).(hushv1.Limit)
	m.forgeable, _ = proto.GetExtension(options, hushv1.E_Forgeable).(bool)
	m.get = options.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS
	return m
}

// path is where Connect clients call the method.
func (m method) path() string {
	return "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
}

var limitComment = regexp.MustCompile(`((?:  // .*\n)+)  (LIMIT_[A-Z_]+) = `)

// readBudgets returns the contract's comment on each rate limit.
func readBudgets(tree fs.FS) (map[string]string, error) {
	content, err := fs.ReadFile(tree, policyFile)
	if err != nil {
		return nil, err
	}
	budgets := map[string]string{}
	for _, m := range limitComment.FindAllStringSubmatch(string(content), -1) {
		budgets[m[2]] = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(m[1], "\n", " "), "  // ", ""))
	}
	for limit := range hushv1.Limit_value {
		if budgets[limit] == "" {
			return nil, fmt.Errorf("%s says nothing about %s", policyFile, limit)
		}
	}
	return budgets, nil
}

// callers says who may call a method, and which rate limit applies.
func (m method) callers(budgets map[string]string) string {
	who := "Callers: everyone"
	switch m.access {
	case hushv1.Access_ACCESS_ACCOUNT:
		who = "Callers: accounts"
	case hushv1.Access_ACCESS_COLONEL:
		who = "Callers: accounts with the colonel's role"
	default:
	}
	if scope, narrow := strings.CutPrefix(m.scope.String(), "SCOPE_"); narrow && m.scope != hushv1.Scope_SCOPE_ANY {
		who += "; API tokens need the scope `" + strings.ToLower(scope) + "`"
	}
	budget := budgets[m.limit.String()]
	return who + ".\n\nRate limit: " + strings.ToLower(budget[:1]) + budget[1:]
}

// security lists the credentials that a method takes. safe is for GET, where a
// session needs no token against forged requests.
func (m method) security(safe bool) *yaml.Node {
	session := object("session", list[string](), "shrimp", list[string]())
	if safe || m.forgeable {
		session = object("session", list[string]())
	}
	all := list(object("basic", list[string]()), object("bearer", list[string]()), session)
	if m.access == hushv1.Access_ACCESS_PUBLIC {
		all.Content = append([]*yaml.Node{object()}, all.Content...)
	}
	return all
}

func securitySchemes() *yaml.Node {
	return object(
		"basic", object("type", "http", "scheme", "basic",
			"description", "The account's e-mail address and an API token. An invalid credential is an error even where none is required."),
		"bearer", object("type", "http", "scheme", "bearer",
			"description", "An API token."),
		"session", object("type", "apiKey", "in", "cookie", "name", "__Host-hush",
			"description", "The session cookie of a browser. Calls that change something also need the session's CSRF token in `O-Shrimp`, and `Origin` or `Sec-Fetch-Site`. If a header carries a credential, the cookie is ignored."),
		"shrimp", object("type", "apiKey", "in", "header", "name", "O-Shrimp",
			"description", "The session's CSRF token, from the response of CreateSession or of any v2 route."),
	)
}
