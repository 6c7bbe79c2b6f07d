package handlers

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
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

func TestEveryMethodIsMountedAndBound(t *testing.T) {
	t.Parallel()
	api, err := Described()
	if err != nil {
		t.Fatal(err)
	}
	mounted := map[string]bool{}
	for _, m := range api.Mounts {
		for _, procedure := range m.Procedures {
			mounted[procedure] = true
		}
	}
	declared := accesses(t)
	for procedure := range declared {
		if !mounted[procedure] {
			t.Errorf("Mounts: got nothing for %s, want a handler", procedure)
		}
	}
	burn, index := chain.Bind(api.Chain, api.Secrets.BurnSecret), chain.Bind(api.Chain, api.Colonels.GetIndex)
	if want := "/hush.v1.SecretService/BurnSecret"; burn.Procedure != want || burn.Access != declared[want] {
		t.Errorf("Bind(BurnSecret): got %s for %v, want %s for %v", burn.Procedure, burn.Access, want, declared[want])
	}
	if want := "/hush.v1.ColonelService/GetIndex"; index.Procedure != want || index.Access != hushv1.Access_ACCESS_COLONEL {
		t.Errorf("Bind(GetIndex): got %s for %v, want %s for colonels", index.Procedure, index.Access, want)
	}
}
