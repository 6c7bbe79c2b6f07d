package apitest_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/emptypb"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/apitest"
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
func standings(k *apitest.Accounts, url string) []standing {
	ada, narrow := &k.Ada, apitest.Scopes()
	list := []standing{
		{name: "anonymous"},
		{name: "account by Basic", header: apitest.Basic(ada.Address, ada.Token), good: true},
		{name: "account by Bearer", header: apitest.Bearer(ada.Token), good: true},
		{name: "account by session", header: ada.Sessions[0].Page(url), good: true},
		{name: "other account by Bearer", header: apitest.Bearer(k.Bob.Token), good: true},
		{name: "colonel by Bearer", header: apitest.Bearer(k.Cleo.Token), good: true, colonel: true},
		{name: "colonel by session", header: k.Cleo.Sessions[0].Page(url), good: true, colonel: true},
		{name: "expired session", header: k.Expired.Page(url)},
		{name: "revoked token", header: apitest.Bearer(k.Revoked), refused: true},
		{name: "revoked token by Basic", header: apitest.Basic(ada.Address, k.Revoked), refused: true},
		{name: "other account's token by Basic", header: apitest.Basic(ada.Address, k.Bob.Token), refused: true},
		{name: "unverified", header: apitest.Bearer(k.Dan.Token), refused: true},
		{name: "unverified by Basic", header: apitest.Basic(k.Dan.Address, k.Dan.Token), refused: true},
		{name: "password for a token", header: apitest.Basic(ada.Address, apitest.Password), refused: true},
		{name: "unknown scheme", header: http.Header{"Authorization": {"Digest x"}}, refused: true},
		{name: "session beside a bad header", header: beside(ada.Sessions[0].Page(url), apitest.Bearer(k.Revoked)), refused: true},
	}
	for _, scope := range slices.Sorted(maps.Keys(narrow)) {
		list = append(list,
			standing{name: "token for " + scope, header: apitest.Bearer(ada.Narrow[narrow[scope]]), good: true, scope: scope},
			standing{name: "colonel's token for " + scope, header: apitest.Bearer(k.Cleo.Narrow[narrow[scope]]), good: true, colonel: true, scope: scope})
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

// procedures are the rows of the matrix, in an order in which the one that ends
// the caller's session comes last.
func procedures(t *testing.T) []string {
	t.Helper()
	table, methods := declaredRPCs(), apitest.PublicMethods()
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
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	table, columns := declaredRPCs(), standings(env, s.URL)
	for _, procedure := range procedures(t) {
		unknown := unknownBeside(t, client, s.URL, procedure)
		for _, column := range columns {
			got := apitest.Call(t, client, s.URL, procedure, column.header, table[procedure].body)
			if v := verdictOf(t, got, unknown); v != table[procedure].expects(column) {
				t.Errorf("%s by %s: got %s (%d %s), want %s", procedure, column.name, v, got.Status, got.Body, table[procedure].expects(column))
			}
		}
	}
}

// unknownBeside is the answer to a procedure that a procedure's service does not
// have.
func unknownBeside(t *testing.T, client *http.Client, url, procedure string) apitest.Reply {
	t.Helper()
	return apitest.Call(t, client, url, path.Join(path.Dir(procedure), "NoSuchMethod"), nil, emptyObject)
}

// verdictOf reads the answer of an RPC over Connect. What is for colonels alone
// is answered to others like what the service does not have.
func verdictOf(t *testing.T, got, unknown apitest.Reply) verdict {
	t.Helper()
	if got.Status == unknown.Status && got.Body == unknown.Body {
		return notThere
	}
	var answer struct {
		Code    string
		Details []struct{ Type, Value string }
	}
	if got.Status == http.StatusOK {
		return admitted
	}
	if err := json.Unmarshal([]byte(got.Body), &answer); err != nil || answer.Code == "" {
		t.Errorf("RPC: got %d %q, want an error of Connect", got.Status, got.Body)
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
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, true, nil)
	table, columns := declaredRPCs(), standings(env, s.URL)
	methods := apitest.PublicMethods()
	for _, procedure := range procedures(t) {
		call := connect.NewClient[emptypb.Empty, emptypb.Empty](client, s.URL+procedure, connect.WithGRPC())
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
	switch a := apitest.RPCRefusal(err); {
	case a.Outcome == apitest.OutcomeLost && connect.CodeOf(err) != connect.CodeUnimplemented:
		t.Errorf("RPC over gRPC: got %v, want an answer", err)
		return ""
	case connect.CodeOf(err) == connect.CodeUnimplemented:
		return notThere
	case a.Outcome == apitest.OutcomeUnauthorized:
		return unauthenticated
	default:
		return verdictBy(a.Refusal.GetReason())
	}
}

// The operator's service is not on the public port, for any caller and any
// spelling of the path.
func TestNoAdminOnThePublicPort(t *testing.T) {
	t.Parallel()
	env, s := apitest.StartAccounts(t, apitest.Options{})
	client := s.Client(t, false, nil)
	var paths []string
	protoregistry.GlobalFiles.RangeFilesByPackage("hush.admin.v1", func(file protoreflect.FileDescriptor) bool {
		paths = append(paths, slices.Sorted(maps.Keys(apitest.MethodsOf(file)))...)
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
		want := apitest.Call(t, client, s.URL, missing.Replace(path), nil, emptyObject)
		for _, column := range standings(env, s.URL) {
			if got := apitest.Call(t, client, s.URL, path, column.header, emptyObject); got.Status != http.StatusNotFound || want.Status != http.StatusNotFound || got.Body != want.Body {
				t.Errorf("%s by %s: got %d %s, want it not there", path, column.name, got.Status, got.Body)
			}
		}
	}
}
