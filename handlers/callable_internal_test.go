package handlers

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/vault"
)

func TestCallablesAreBoundAndEveryMethodIsMounted(t *testing.T) {
	t.Parallel()
	c, err := DescribedChain()
	if err != nil {
		t.Fatal(err)
	}
	declared := methods(t)
	callable, mounts := assemble(c, Options{Vault: &vault.Vault{}, Now: time.Now, BaseURL: &url.URL{}})
	for i := range reflect.TypeFor[Callable]().NumField() {
		field := reflect.ValueOf(callable).Field(i)
		procedure := field.FieldByName("Procedure").String()
		name := reflect.TypeFor[Callable]().Field(i).Name
		if !strings.HasSuffix(procedure, "/"+name) {
			t.Errorf("Callable.%s: got procedure %q, want its own", name, procedure)
		}
		if declared[procedure] == nil {
			t.Errorf("Callable.%s: got procedure %q, want one of the contract", name, procedure)
			continue
		}
		if field.FieldByName("call").IsNil() {
			t.Errorf("Callable.%s: got nothing to call, want a method", name)
		}
		if want := proto.GetExtension(declared[procedure].Options(), hushv1.E_Access); field.FieldByName("Access").Interface() != want {
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
