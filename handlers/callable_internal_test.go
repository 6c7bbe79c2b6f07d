package handlers

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault"
)

// accesses returns the access of each method of the contract by procedure,
// whether or not its service is mounted.
func accesses(t *testing.T) map[string]hushv1.Access {
	t.Helper()
	found := map[string]hushv1.Access{}
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if file.Package() != "hush.v1" && file.Package() != "testname.v1" {
			return true
		}
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				method := service.Methods().Get(j)
				access, _ := proto.GetExtension(method.Options(), hushv1.E_Access).(hushv1.Access)
				found["/"+string(service.FullName())+"/"+string(method.Name())] = access
			}
		}
		return true
	})
	if len(found) < 59 {
		t.Fatalf("accesses: got %d methods, want all of the contract", len(found))
	}
	return found
}

func TestCallablesAreBoundAndEveryMethodIsMounted(t *testing.T) {
	t.Parallel()
	c, err := chain.Described()
	if err != nil {
		t.Fatal(err)
	}
	declared := accesses(t)
	callable, mounts := assemble(c, Options{Vault: &vault.Vault{}, Now: time.Now, BaseURL: &url.URL{}})
	for i := range reflect.TypeFor[Callable]().NumField() {
		field := reflect.ValueOf(callable).Field(i)
		procedure := field.FieldByName("Procedure").String()
		name := reflect.TypeFor[Callable]().Field(i).Name
		if !strings.HasSuffix(procedure, "/"+name) {
			t.Errorf("Callable.%s: got procedure %q, want its own", name, procedure)
		}
		if field.FieldByName("serve").IsNil() {
			t.Errorf("Callable.%s: got nothing to call, want a method", name)
		}
		if want := declared[procedure]; field.FieldByName("Access").Interface() != want {
			t.Errorf("Callable.%s: got access %v, want %v", name, field.FieldByName("Access"), want)
		}
	}
	mounted := map[string]bool{}
	for _, m := range mounts {
		for _, procedure := range m.Procedures {
			mounted[procedure] = true
		}
	}
	for procedure := range declared {
		if !mounted[procedure] {
			t.Errorf("Mounts: got nothing for %s, want a handler", procedure)
		}
	}
}
