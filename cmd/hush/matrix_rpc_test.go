package main

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/emptypb"

	hushv1 "hush/gen/hush/v1"
)

// verdict is what the guards in front of a service made of a call.
type verdict string

const (
	admitted        verdict = "admitted" // whatever the service said then
	unauthenticated verdict = "unauthenticated"
	outOfScope      verdict = "out of scope"
	crossSite       verdict = "cross-site"
	noShrimp        verdict = "no shrimp"
	notThere        verdict = "not there" // like a path that nothing has
)

// standing is what a caller of the matrix proved.
type standing struct {
	name   string
	header http.Header
	// good reports whether the credential is valid; without one it is not
	// refused either.
	good, refused bool
	colonel       bool
	scope         string // the only one of a token; empty for all
}

// standings are the columns of the matrix.
func standings(k *testEnv, url string) []standing {
	ada, narrow := &k.ada, testScopes()
	list := []standing{
		{name: "anonymous"},
		{name: "account by Basic", header: basicHeader(ada.address, ada.token), good: true},
		{name: "account by Bearer", header: bearerHeader(ada.token), good: true},
		{name: "account by session", header: ada.sessions[0].page(url), good: true},
		{name: "other account by Bearer", header: bearerHeader(k.bob.token), good: true},
		{name: "colonel by Bearer", header: bearerHeader(k.cleo.token), good: true, colonel: true},
		{name: "colonel by session", header: k.cleo.sessions[0].page(url), good: true, colonel: true},
		{name: "expired session", header: k.expired.page(url)},
		{name: "revoked token", header: bearerHeader(k.revoked), refused: true},
		{name: "revoked token by Basic", header: basicHeader(ada.address, k.revoked), refused: true},
		{name: "other account's token by Basic", header: basicHeader(ada.address, k.bob.token), refused: true},
		{name: "unverified", header: bearerHeader(k.dan.token), refused: true},
		{name: "unverified by Basic", header: basicHeader(k.dan.address, k.dan.token), refused: true},
		{name: "password for a token", header: basicHeader(ada.address, testPassword), refused: true},
		{name: "unknown scheme", header: http.Header{"Authorization": {"Digest x"}}, refused: true},
		{name: "session beside a bad header", header: beside(ada.sessions[0].page(url), bearerHeader(k.revoked)), refused: true},
	}
	for _, scope := range slices.Sorted(maps.Keys(narrow)) {
		list = append(list,
			standing{name: "token for " + scope, header: bearerHeader(ada.narrow[narrow[scope]]), good: true, scope: scope},
			standing{name: "colonel's token for " + scope, header: bearerHeader(k.cleo.narrow[narrow[scope]]), good: true, colonel: true, scope: scope})
	}
	return list
}

// beside joins headers; the later ones win.
func beside(headers ...http.Header) http.Header {
	all := http.Header{}
	for _, header := range headers {
		maps.Copy(all, header)
	}
	return all
}

// expects is the rule of the matrix.
func (d declared) expects(s standing) verdict {
	switch {
	case d.access == "colonel" && !s.colonel:
		return notThere
	case s.refused, d.access != "public" && !s.good:
		return unauthenticated
	case s.scope != "" && d.scope != "any" && d.scope != s.scope:
		return outOfScope
	}
	return admitted
}

// publicMethods lists the RPCs that the contract has on the public port.
var publicMethods = sync.OnceValue(func() map[string]protoreflect.MethodDescriptor {
	methods := map[string]protoreflect.MethodDescriptor{}
	for _, pkg := range []protoreflect.FullName{"hush.v1", "testname.v1"} {
		protoregistry.GlobalFiles.RangeFilesByPackage(pkg, func(file protoreflect.FileDescriptor) bool {
			maps.Copy(methods, methodsOf(file))
			return true
		})
	}
	return methods
})

func methodsOf(file protoreflect.FileDescriptor) map[string]protoreflect.MethodDescriptor {
	methods := map[string]protoreflect.MethodDescriptor{}
	for i := range file.Services().Len() {
		service := file.Services().Get(i)
		for j := range service.Methods().Len() {
			method := service.Methods().Get(j)
			methods["/"+string(service.FullName())+"/"+string(method.Name())] = method
		}
	}
	return methods
}

// procedures are the rows of the matrix, in an order in which the one that ends
// the caller's session comes last.
func procedures(t *testing.T) []string {
	t.Helper()
	table, methods := declaredRPCs(), publicMethods()
	for procedure := range methods {
		if _, found := table[procedure]; !found {
			t.Errorf("matrix: got no line for %s, want one for every RPC", procedure)
		}
	}
	for procedure := range table {
		if methods[procedure] == nil {
			t.Errorf("matrix: got a line for %s, want none for what is no RPC", procedure)
		}
	}
	const last = "/hush.v1.SessionService/DestroySession"
	sorted := slices.DeleteFunc(slices.Sorted(maps.Keys(table)), func(p string) bool { return p == last })
	return append(sorted, last)
}

// Every RPC, by every kind of caller. A new RPC without a line of its own fails
// the test.
func TestMatrixConnect(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	table, columns := declaredRPCs(), standings(env, s.url)
	for _, procedure := range procedures(t) {
		unknown := unknownBeside(t, client, s.url, procedure)
		for _, column := range columns {
			got := callAs(t, client, s.url, procedure, column.header, table[procedure].body)
			if v := verdictOf(t, got, unknown); v != table[procedure].expects(column) {
				t.Errorf("%s by %s: got %s (%d %s), want %s", procedure, column.name, v, got.status, got.body, table[procedure].expects(column))
			}
		}
	}
}

// unknownBeside is the answer to a procedure that a procedure's service does not
// have.
func unknownBeside(t *testing.T, client *http.Client, url, procedure string) testReply {
	t.Helper()
	return callAs(t, client, url, path.Join(path.Dir(procedure), "NoSuchMethod"), nil, emptyObject)
}

// verdictOf reads the answer of an RPC over Connect. What is for colonels alone
// is answered to others like what the service does not have.
func verdictOf(t *testing.T, got, unknown testReply) verdict {
	t.Helper()
	if got.status == unknown.status && got.body == unknown.body {
		return notThere
	}
	var answer struct {
		Code    string
		Details []struct{ Type, Value string }
	}
	if got.status == http.StatusOK {
		return admitted
	}
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil || answer.Code == "" {
		t.Errorf("RPC: got %d %q, want an error of Connect", got.status, got.body)
	}
	if answer.Code == "unauthenticated" {
		return unauthenticated
	}
	for _, detail := range answer.Details {
		raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(detail.Value, "="))
		var refusal hushv1.Refusal
		if err == nil && detail.Type == "hush.v1.Refusal" && proto.Unmarshal(raw, &refusal) == nil {
			return verdictBy(refusal.GetReason())
		}
	}
	return admitted
}

func verdictBy(reason hushv1.Refusal_Reason) verdict {
	switch reason {
	case hushv1.Refusal_REASON_SCOPE:
		return outOfScope
	case hushv1.Refusal_REASON_CROSS_SITE:
		return crossSite
	case hushv1.Refusal_REASON_SHRIMP:
		return noShrimp
	default:
		return admitted
	}
}

// The same over gRPC.
func TestMatrixGRPC(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, true, nil)
	table, columns := declaredRPCs(), standings(env, s.url)
	methods := publicMethods()
	for _, procedure := range procedures(t) {
		call := connect.NewClient[emptypb.Empty, emptypb.Empty](client, s.url+procedure, connect.WithGRPC())
		message := encoded(t, methods[procedure], table[procedure].body)
		for _, column := range columns {
			req := connect.NewRequest(message)
			maps.Copy(req.Header(), column.header)
			_, err := call.CallUnary(t.Context(), req)
			if v := verdictOfGRPC(t, err); v != table[procedure].expects(column) {
				t.Errorf("%s over gRPC by %s: got %s (%v), want %s", procedure, column.name, v, err, table[procedure].expects(column))
			}
		}
	}
}

// encoded is a request that is written in JSON, as a message that holds nothing
// but its bytes.
func encoded(t *testing.T, method protoreflect.MethodDescriptor, body string) *emptypb.Empty {
	t.Helper()
	request := dynamicpb.NewMessage(method.Input())
	if err := protojson.Unmarshal([]byte(body), request); err != nil {
		t.Fatalf("%s: got %v for %s, want a request", method.FullName(), err, body)
	}
	raw, err := proto.Marshal(request)
	if err != nil {
		t.Fatalf("%s: got %v for %s, want bytes", method.FullName(), err, body)
	}
	message := new(emptypb.Empty)
	message.ProtoReflect().SetUnknown(raw)
	return message
}

func verdictOfGRPC(t *testing.T, err error) verdict {
	t.Helper()
	if err == nil {
		return admitted
	}
	switch a := rpcRefusal(err); {
	case a.outcome == outcomeLost && connect.CodeOf(err) != connect.CodeUnimplemented:
		t.Errorf("RPC over gRPC: got %v, want an answer", err)
		return ""
	case connect.CodeOf(err) == connect.CodeUnimplemented:
		return notThere
	case a.outcome == outcomeUnauthorized:
		return unauthenticated
	default:
		return verdictBy(a.refusal.GetReason())
	}
}

// The operator's service is not on the public port, for any caller and any
// spelling of the path.
func TestNoAdminOnThePublicPort(t *testing.T) {
	t.Parallel()
	env, s := startAccounts(t, "--rate-limits=off", "--log-level=error")
	client := newHTTPClient(t, false, nil)
	var paths []string
	protoregistry.GlobalFiles.RangeFilesByPackage("hush.admin.v1", func(file protoreflect.FileDescriptor) bool {
		paths = append(paths, slices.Sorted(maps.Keys(methodsOf(file)))...)
		return true
	})
	if len(paths) == 0 {
		t.Error("hush.admin.v1: got no RPC, want those of the operator")
	}
	const one = "/hush.admin.v1.AdminService/ListAccounts"
	paths = append(paths, one+"/", "/"+one, "/./"+one, "/x/.."+one, strings.ToLower(one), strings.Replace(one, "h", "%68", 1),
		strings.Replace(one, "/ListAccounts", "%2FListAccounts", 1), "/hush.v1.SystemService/.."+one)
	missing := strings.NewReplacer("admin", "nosuch", "Admin", "NoSuch")
	for _, path := range paths {
		want := callAs(t, client, s.url, missing.Replace(path), nil, emptyObject)
		for _, column := range standings(env, s.url) {
			if got := callAs(t, client, s.url, path, column.header, emptyObject); got.status != http.StatusNotFound || want.status != http.StatusNotFound || got.body != want.body {
				t.Errorf("%s by %s: got %d %s, want it not there", path, column.name, got.status, got.body)
			}
		}
	}
}
