package chain

import (
	"strings"
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	hushv1 "hush/gen/hush/v1"
)

// methods returns the methods of every service of the contract's packages,
// listed or not.
func methods(t *testing.T) map[string]protoreflect.MethodDescriptor {
	t.Helper()
	found := map[string]protoreflect.MethodDescriptor{}
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if file.Package() != "hush.v1" && file.Package() != "testname.v1" {
			return true
		}
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				found[procedureOf(service.Methods().Get(j))] = service.Methods().Get(j)
			}
		}
		return true
	})
	if len(found) < 59 {
		t.Fatalf("methods: got %d, want all of the contract", len(found))
	}
	return found
}

func TestEveryMethodHasAPolicy(t *testing.T) {
	t.Parallel()
	read, err := readPolicies(Services())
	if err != nil {
		t.Fatalf("readPolicies: got %v, want no error", err)
	}
	found := methods(t)
	for procedure, method := range found {
		p, ok := read[procedure]
		if !ok {
			t.Errorf("readPolicies: got none for %s, want one", procedure)
			continue
		}
		scope, _ := proto.GetExtension(method.Options(), hushv1.E_Scope).(hushv1.Scope)
		if p.access == hushv1.Access_ACCESS_UNSPECIFIED || p.limit == hushv1.Limit_LIMIT_UNSPECIFIED || scope == hushv1.Scope_SCOPE_UNSPECIFIED {
			t.Errorf("readPolicies: got %v, %v and %v for %s, want all of them", p.access, p.limit, scope, procedure)
		}
		if p.method != method {
			t.Errorf("readPolicies: got the method of another for %s", procedure)
		}
		if rateOf(p.limit).Calls == 0 {
			t.Errorf("rateOf(%v): got none, want one", p.limit)
		}
	}
	if len(read) != len(found) {
		t.Errorf("readPolicies: got %d policies, want %d", len(read), len(found))
	}
}

func TestMethodWithoutPolicyIsRefused(t *testing.T) {
	t.Parallel()
	file := descriptorpb.File_google_protobuf_descriptor_proto
	if file.Services().Len() != 0 {
		t.Fatal("descriptor.proto: got services, want none")
	}
	bare := bareService(t)
	_, err := readPolicies([]protoreflect.ServiceDescriptor{bare})
	if err == nil || !strings.Contains(err.Error(), "bare.Service.Forgotten declares no access, no limit or no scope") {
		t.Errorf("readPolicies: got %v, want it to name the method", err)
	}
}

// A method that takes a key must not be marked as free of side effects in the
// contract: Connect would serve it for GET, which is cached, prefetched and
// logged.
func TestNoMethodWithAKeyIsAGet(t *testing.T) {
	t.Parallel()
	gets := map[string]bool{
		"/hush.v1.SystemService/GetStatus": true, "/hush.v1.SystemService/GetVersion": true,
		"/hush.v1.SystemService/GetSupportedLocales": true, "/testname.v1.TestName/Lookup": true,
	}
	for procedure, method := range methods(t) {
		options, _ := method.Options().(*descriptorpb.MethodOptions)
		free := options.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS
		if free != gets[procedure] {
			t.Errorf("%s: got NO_SIDE_EFFECTS %t, want %t", procedure, free, gets[procedure])
		}
	}
}

func TestEveryServiceIsListed(t *testing.T) {
	t.Parallel()
	listed := map[protoreflect.FullName]bool{}
	for _, service := range Services() {
		listed[service.FullName()] = true
	}
	for _, method := range methods(t) {
		if name := method.Parent().FullName(); !listed[name] {
			t.Errorf("services: got no %s, want it", name)
		}
	}
}

// A list without a bound lets one call do a million things.
func TestEveryListOfARequestIsBounded(t *testing.T) {
	t.Parallel()
	lists := 0
	for procedure, method := range methods(t) {
		fields := method.Input().Fields()
		for i := range fields.Len() {
			field := fields.Get(i)
			rules, _ := proto.GetExtension(field.Options(), validate.E_Field).(*validate.FieldRules)
			switch {
			case field.IsMap() && rules.GetMap().GetMaxPairs() == 0, field.IsList() && rules.GetRepeated().GetMaxItems() == 0:
				t.Errorf("%s: got %s without a most of items, want one", procedure, field.Name())
			case field.IsMap() || field.IsList():
				lists++
			case field.Message() != nil:
				for j := range field.Message().Fields().Len() {
					if below := field.Message().Fields().Get(j); below.IsList() || below.IsMap() {
						t.Errorf("%s: got a list %s within %s, want none: codecs count the elements of the message alone", procedure, below.Name(), field.Name())
					}
				}
			}
		}
	}
	if lists < 7 {
		t.Errorf("lists of requests: got %d, want those that there are", lists)
	}
}

// A service's method is bound by the request that it takes, so no two may take the same.
func TestRequestsNameTheirRPC(t *testing.T) {
	t.Parallel()
	policies, err := readPolicies(Services())
	if err != nil {
		t.Fatal(err)
	}
	for procedure, p := range policies {
		if got := policies.taking(p.method.Input().FullName()); got != procedure {
			t.Errorf("taking(%s): got %s, want %s", p.method.Input().FullName(), got, procedure)
		}
	}
	if got := policies.taking("google.protobuf.Empty"); got != "" {
		t.Errorf("taking(Empty): got %s, want nothing", got)
	}
}
