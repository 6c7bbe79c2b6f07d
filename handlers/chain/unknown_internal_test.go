package chain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	adminv1 "hush/gen/hush/admin/v1"
	hushv1 "hush/gen/hush/v1"
)

func adminService() protoreflect.ServiceDescriptor {
	return adminv1.File_hush_admin_v1_admin_service_proto.Services().ByName("AdminService")
}

// requests returns the requests of all methods, and all messages in them.
func requests() map[protoreflect.MessageDescriptor]bool {
	found := map[protoreflect.MessageDescriptor]bool{}
	for _, service := range append(Services(), adminService()) {
		for i := range service.Methods().Len() {
			addKinds(found, service.Methods().Get(i).Input())
		}
	}
	return found
}

// The methods whose unknown fields are dropped. A new one that creates or changes
// something must not be among them.
func TestReadingMethods(t *testing.T) {
	t.Parallel()
	want := []string{
		"AccountService/ExportAccount", "AccountService/GetAccount", "AccountService/ListApiTokens", "AccountService/ListInvites",
		"AdminService/GetAccount", "AdminService/ListAccounts", "AdminService/ListAuditRows", "AdminService/ListDomains",
		"AdminService/ListInvites", "AdminService/ListPlaces", "AdminService/ListRootKeys", "AdminService/ListTokens",
		"ColonelService/FindAccount", "ColonelService/GetIndex", "ColonelService/ListExceptions",
		"DomainService/GetDomain", "DomainService/GetDomainBrand", "DomainService/GetDomainLogo",
		"DomainService/GetPublicBrand", "DomainService/GetPublicImage", "DomainService/ListDomains",
		"FileService/GetPart", "FileService/GetUpload",
		"MetadataService/BatchGetMetadata", "MetadataService/GetMetadata", "MetadataService/ListMetadata", "MetadataService/WatchMetadata",
		"RequestService/GetCollection", "RequestService/GetRequest", "RequestService/ListRequests", "RequestService/WatchCollection",
		"SecretService/GetSecret", "SecretService/GetSecretStatus", "SecretService/ListSecretStatus",
		"SessionService/Authcheck", "SessionService/ListSessions",
		"SystemService/GetPolicy", "SystemService/GetStatus", "SystemService/GetSupportedLocales", "SystemService/GetVersion", "SystemService/ValidateShrimp",
		"TestName/Lookup",
	}
	var got, others []string
	for _, service := range append(Services(), adminService()) {
		reads := readsOf([]protoreflect.ServiceDescriptor{service})
		for i := range service.Methods().Len() {
			method := service.Methods().Get(i)
			name := string(service.Name()) + "/" + string(method.Name())
			if reads[method.Input().FullName()] {
				got = append(got, name)
			} else {
				others = append(others, name)
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reading methods (-want +got):\n%s", diff)
	}
	wantOthers := []string{
		"AccountService/BurnAllSecrets", "AccountService/ChangeAccountPassword", "AccountService/ConfirmAddressChange",
		"AccountService/CreateAccount", "AccountService/CreateInvite", "AccountService/DestroyAccount", "AccountService/GenerateApiToken",
		"AccountService/RequestAddressChange", "AccountService/RequestPasswordReset", "AccountService/ResendVerification",
		"AccountService/ResetPassword", "AccountService/RevokeApiToken", "AccountService/RevokeInvite", "AccountService/UpdateLocale",
		"AccountService/UpdateNotifications", "AccountService/VerifyAccount",
		"AdminService/Backup", "AdminService/BurnSecret", "AdminService/CreateAccount", "AdminService/CreateInvite", "AdminService/CreateToken",
		"AdminService/DestroyAccount", "AdminService/DisableAccount", "AdminService/Examine", "AdminService/ImportAccounts", "AdminService/ImportPlaces",
		"AdminService/RemovePlace", "AdminService/ResetPassword", "AdminService/RetireRootKey", "AdminService/RevokeInvite",
		"AdminService/RevokeToken", "AdminService/RotateRootKey", "AdminService/SetRole", "AdminService/VerifyDomain", "AdminService/WithdrawRequest",
		"ChallengeService/AltchaChallenge", "ChallengeService/AltchaVerify", "ChallengeService/AltchaVerifySpam",
		"ColonelService/BurnReportedSecret", "ColonelService/DestroyOtherAccount", "ColonelService/DisableAccount",
		"ColonelService/ResetAccountPassword", "ColonelService/SetAccountRole", "ColonelService/WithdrawReportedRequest",
		"DomainService/AddDomain", "DomainService/DeleteDomainLogo", "DomainService/RemoveDomain", "DomainService/UpdateDomainBrand",
		"DomainService/UpdateDomainLogo", "DomainService/VerifyDomain",
		"FileService/BeginFile", "FileService/CancelUpload", "FileService/FinishFile", "FileService/PutPart", "FileService/RestartUpload",
		"IntakeService/ReceiveException", "IntakeService/ReceiveFeedback", "MetadataService/UpdateMetadata",
		"RequestService/AnswerRequest", "RequestService/BurnAnswer", "RequestService/CloseRequest", "RequestService/CreateRequest",
		"SecretService/AcknowledgeReveal", "SecretService/BurnSecret", "SecretService/ConcealSecret", "SecretService/GenerateSecret",
		"SecretService/RevealSecret", "SessionService/CreateSession", "SessionService/DestroySession", "SessionService/RevokeSessions",
	}
	slices.Sort(others)
	slices.Sort(wantOthers)
	if diff := cmp.Diff(wantOthers, others); diff != "" {
		t.Errorf("methods that change something (-want +got):\n%s", diff)
	}
}

// What an empty list of a request means. One that means everything must be refused
// in JSON, so a new list needs a line here.
func TestEmptyListsThatMeanAll(t *testing.T) {
	t.Parallel()
	want := map[string]bool{
		"hush.v1.GenerateApiTokenRequest.scopes": true, "hush.v1.ListMetadataRequest.states": true,
		"hush.admin.v1.CreateTokenRequest.scopes": true, "hush.admin.v1.ListAuditRowsRequest.kinds": true,
		"hush.v1.ConcealSecretRequest.recipients": false, "hush.v1.GenerateSecretRequest.recipients": false, // to no one
		"hush.v1.BatchGetMetadataRequest.metadata_keys": false, "hush.v1.ListSecretStatusRequest.secret_keys": false, // refused
		"hush.v1.RevokeSessionsRequest.session_ids": false, "hush.v1.UpdateDomainBrandRequest.unset": false, // none
		"hush.admin.v1.ImportAccountsRequest.entries": false, "hush.admin.v1.ImportPlacesRequest.places": false, // none
	}
	got := map[string]bool{}
	for kind := range requests() {
		for i := range kind.Fields().Len() {
			if field := kind.Fields().Get(i); field.IsList() {
				got[string(field.FullName())] = allIfEmpty(field)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("allIfEmpty (-want +got):\n%s", diff)
	}
}

// An unknown number of an enum would count as none of the known ones.
func TestEveryEnumOfARequestIsClosed(t *testing.T) {
	t.Parallel()
	enums := 0
	for kind := range requests() {
		for i := range kind.Fields().Len() {
			field := kind.Fields().Get(i)
			if field.Enum() == nil {
				continue
			}
			enums++
			rules, _ := proto.GetExtension(field.Options(), validate.E_Field).(*validate.FieldRules)
			if field.FullName() == "hush.admin.v1.CreateTokenRequest.scopes" {
				continue // its service refuses unknown ones: handlers.newTokenOf
			}
			if !rules.GetEnum().GetDefinedOnly() && !rules.GetRepeated().GetItems().GetEnum().GetDefinedOnly() {
				t.Errorf("%s: got any number allowed, want defined_only", field.FullName())
			}
		}
	}
	if enums < 9 {
		t.Errorf("enums of requests: got %d, want those that there are", enums)
	}
}

// Every message of every request refuses an unknown field at its own path, in JSON
// and, unless it only reads, in protobuf.
func TestUnknownFieldsOfEveryRequest(t *testing.T) {
	t.Parallel()
	for kind := range requests() {
		if kind.ParentFile().Package() == "google.protobuf" || kind.IsMapEntry() {
			continue
		}
		message := newMessage(t, kind)
		err := readJSON(`{"later":"canary"}`, message)
		if err == nil || err.Error() != "validation error: later: unknown field" || proto.Size(message) == 0 {
			t.Errorf("%s in JSON: got %v, want the path of the field", kind.FullName(), err)
		}
		message = newMessage(t, kind)
		later := protowire.AppendString(protowire.AppendTag(nil, 9999, protowire.BytesType), "canary")
		if err := (protoCodec{}).Unmarshal(later, message); err != nil {
			t.Errorf("%s in protobuf: got %v, want a refused message", kind.FullName(), err)
		}
		if err := refusedBy(message); err == nil || err.Error() != "validation error: unknown field 9999" {
			t.Errorf("%s in protobuf: got %v, want the number of the field", kind.FullName(), err)
		}
		message = newMessage(t, kind)
		if err := (protoCodec{reads: kinds{kind.FullName(): true}}).Unmarshal(later, message); err != nil || isRefused(message) {
			t.Errorf("%s in protobuf of a reading method: got %v, %t, want the field dropped", kind.FullName(), err, isRefused(message))
		}
	}
}

// An unknown name of an enum is refused at its path, wherever it is.
func TestUnknownNamesOfEveryEnum(t *testing.T) {
	t.Parallel()
	for kind := range requests() {
		for i := range kind.Fields().Len() {
			field := kind.Fields().Get(i)
			if field.Enum() == nil {
				continue
			}
			known := string(field.Enum().Values().Get(1).Name())
			text, path := fmt.Sprintf(`{%q:"CANARY"}`, field.JSONName()), string(field.Name())
			if field.IsList() {
				text, path = fmt.Sprintf(`{%q:[%q,"CANARY"]}`, field.JSONName(), known), path+"[1]"
			}
			err := readJSON(text, newMessage(t, kind))
			if err == nil || err.Error() != "validation error: "+path+": is no value that the service knows" {
				t.Errorf("%s: got %v, want the path %s", text, err, path)
			}
		}
	}
}

func newMessage(t testing.TB, kind protoreflect.MessageDescriptor) proto.Message {
	t.Helper()
	found, err := protoregistry.GlobalTypes.FindMessageByName(kind.FullName())
	if err != nil {
		t.Fatalf("%s: got %v, want its Go type", kind.FullName(), err)
	}
	return found.New().Interface()
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text    string
		message proto.Message
		want    string
	}{
		{`{"entries":[{"address":"a"},{"address":"b","rol":1}]}`, new(adminv1.ImportAccountsRequest), "entries[1].rol: unknown field"},
		{`{"entries":[{"role":"CANARY"}]}`, new(adminv1.ImportAccountsRequest), "entries[0].role: is no value that the service knows"},
		{`{"entries":[{"can ary":1}]}`, new(adminv1.ImportAccountsRequest), "entries[0]: an unknown field"},
		{`{"skip_existing":true,"skipExsting":1}`, new(adminv1.ImportAccountsRequest), "skipExsting: unknown field"},
		{`{"secret":null,"sealed":null,"ttl":null,"recipients":null,"memoo":null}`, new(hushv1.ConcealSecretRequest), "memoo: unknown field"},
		{`{"ttl":"60s","recipients":["a","b"],"sealed":{"hasPassphrase":true,"x":[[1]]}}`, new(hushv1.ConcealSecretRequest), "sealed.x: unknown field"},
		{`{"fields":{"canary":"1"},"x":1}`, new(hushv1.AltchaVerifySpamRequest), "x: unknown field"},
		{`{"scopes":["TOKEN_SCOPE_CONCEAL"],"scopes":[]}`, new(hushv1.GenerateApiTokenRequest), "scopes: must hold at least one"},
		{`{"scopes":[ ]}`, new(hushv1.GenerateApiTokenRequest), "scopes: must hold at least one, or be left out for all"},
		{`{"name":"x","scopes":null}`, new(hushv1.GenerateApiTokenRequest), "scopes: must hold at least one, or be left out for all"},
		{`{"scopes":"TOKEN_SCOPE_CONCEAL"}`, new(hushv1.GenerateApiTokenRequest), "scopes: must be a list"},
		{`{"scopes":[null]}`, new(hushv1.GenerateApiTokenRequest), "scopes[0]: must be the name of a value"},
		{`{"scopes":["2"]}`, new(hushv1.GenerateApiTokenRequest), "scopes[0]: is no value that the service knows"},
		{`{"states":[]}`, new(hushv1.ListMetadataRequest), "states: must hold at least one, or be left out for all"},
		{`{"kinds":[]}`, new(adminv1.ListAuditRowsRequest), "kinds: must hold at least one, or be left out for all"},
		{`{"passphrse":"canary"`, new(hushv1.ConcealSecretRequest), "passphrse: unknown field"},
	} {
		err := readJSON(row.text, row.message)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("Unmarshal(%s): got %v, want %q", row.text, err, row.want)
		}
	}
	for _, text := range []string{`{}`, `{"name":"x"}`, `{"scopes":["TOKEN_SCOPE_CONCEAL"]}`, `{"ttl":null}`} {
		if err := readJSON(text, new(hushv1.GenerateApiTokenRequest)); err != nil {
			t.Errorf("Unmarshal(%s): got %v, want no error", text, err)
		}
	}
}

// A client cannot leave a violation in a message itself, or hide one.
func TestClientsLeaveNoViolation(t *testing.T) {
	t.Parallel()
	forged, err := proto.Marshal(unknownField("canary"))
	if err != nil {
		t.Fatal(err)
	}
	field := protowire.AppendBytes(protowire.AppendTag(nil, refusedNumber, protowire.BytesType), forged)
	message := new(hushv1.RevealSecretRequest)
	if err := (protoCodec{}).Unmarshal(field, message); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("validation error: unknown field %d", refusedNumber)
	if err := refusedBy(message); err == nil || err.Error() != want {
		t.Errorf("Unmarshal(%x): got %v, want %s", field, err, want)
	}
	// What no codec left is refused, too.
	message.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 9999, protowire.VarintType), 1))
	if err := refusedBy(message); err == nil || !isRefused(message) || isPlain(message) {
		t.Errorf("a message with another field: got %v, want it refused", err)
	}
}

// What isHotAndKnown lets pass has no unknown field anywhere: each kind's messages
// are those that it looks at.
func TestHotRequestsHaveNoOtherMessages(t *testing.T) {
	t.Parallel()
	for message, want := range map[proto.Message][]string{
		new(hushv1.ConcealSecretRequest): {"ttl", "sealed"}, new(hushv1.RevealSecretRequest): nil,
	} {
		var got []string
		fields := message.ProtoReflect().Descriptor().Fields()
		for i := range fields.Len() {
			if fields.Get(i).Message() != nil {
				got = append(got, string(fields.Get(i).Name()))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%T: got messages %q, want %q: let isHotAndKnown look at the others", message, got, want)
		}
	}
}

// An accepted message is read like protojson reads it, and is the same when it is
// written and read again. With one more name it is refused.
func FuzzJSONCodec(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"secret":"x","ttl":"60s","passphrase":"p"}`, `{"secret":"x","recipients":["a@b.c",""],"sealed":{"content":"AAAA"}}`,
		`{"passphrse":"x"}`, `{"sealed":{"x":1}}`, `{"sealed":null}`, `{"secret":"\u0041"}`, `{"share_domain":"x"} `, `{"secret":{}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, want := new(hushv1.ConcealSecretRequest), new(hushv1.ConcealSecretRequest)
		err := readJSON(string(text), got)
		wrong := protojson.UnmarshalOptions{RecursionLimit: jsonDepth}.Unmarshal(text, want)
		if (err == nil) != (wrong == nil) || err == nil && !proto.Equal(got, want) {
			t.Fatalf("Unmarshal(%q): got %v, %v, want %v, %v", text, got, err, want, wrong)
		}
		if err != nil {
			return
		}
		written, err := jsonCodec{}.Marshal(got)
		if err != nil {
			t.Fatalf("Marshal(%v): got %v, want no error", got, err)
		}
		again := new(hushv1.ConcealSecretRequest)
		if err := readJSON(string(written), again); err != nil || !proto.Equal(got, again) {
			t.Errorf("Unmarshal(%s): got %v, %v, want %v", written, again, err, got)
		}
		more := append(bytes.Clone(bytes.TrimRight(text, " \t\r\n}")), `,"later":1}`...)
		if json.Valid(more) && readJSON(string(more), again) == nil {
			t.Errorf("Unmarshal(%s): got no error, want one for the unknown field", more)
		}
	})
}
