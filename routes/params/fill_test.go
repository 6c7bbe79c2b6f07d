package params

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/refusal"
)

// filled puts parameters into a message.
func filled(t *testing.T, p Params, message proto.Message, fields []Field) error {
	t.Helper()
	filler, err := NewFiller(message.ProtoReflect().Descriptor(), fields)
	if err != nil {
		t.Fatalf("NewFiller(%v): got error %v", fields, err)
	}
	return filler.Fill(p, message.ProtoReflect())
}

func conceals() []Field {
	return []Field{
		{Name: "secret", Form: FormVerbatim, Becomes: "secret"},
		{Name: "ttl", Form: FormDuration, Becomes: "ttl"},
		{Name: "passphrase", Form: FormSpoken, Becomes: "passphrase"},
		{Name: "recipient", Form: FormTexts, Becomes: "recipients"},
		{Name: "share_domain", Form: FormText, Becomes: "share_domain"},
		{Name: "kind", Form: FormText},
	}
}

func TestFill(t *testing.T) {
	for body, want := range map[string]*hushv1.ConcealSecretRequest{
		`{}`: {Memo: "m"},
		`{"secret":"","ttl":"","passphrase":"","recipient":[],"share_domain":null,"kind":["a"]}`: {Memo: "m"},
		`{"secret":" a ","ttl":"1m","passphrase":1,"recipient":["b","","c"],"share_domain":2,"memo":"n"}`: {
			Secret: " a ", Ttl: durationpb.New(time.Minute), Passphrase: "1", Recipients: []string{"b", "c"}, ShareDomain: "2", Memo: "m",
		},
	} {
		got := &hushv1.ConcealSecretRequest{Memo: "m"}
		err := filled(t, mustJSONParams(t, body), got, conceals())
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
			t.Errorf("Fill(%s): got error %v and difference\n%s", body, err, diff)
		}
	}
	for body, want := range map[string]string{
		`{"secret":1}`: "secret must be text",
		`{"passphrase":true,"ttl":[],"share_domain":[]}`: "ttl must be a single value",
		`{"recipient":{"a":1},"share_domain":[]}`:        "recipient must be text or a list of texts",
	} {
		err := filled(t, mustJSONParams(t, body), new(hushv1.ConcealSecretRequest), conceals())
		wantRefusal(t, "Fill("+body+")", err, refusal.ClassInvalid, want)
	}
}

func TestFillLists(t *testing.T) {
	fields := []Field{{Name: "keys", Form: FormKeys, Becomes: "secret_keys"}, {Name: "identifiers", Form: FormKeys, Becomes: "secret_keys"}}
	got := new(hushv1.ListSecretStatusRequest)
	err := filled(t, mustJSONParams(t, `{"identifiers":["c"],"keys":"a, b"}`), got, fields)
	if diff := cmp.Diff([]string{"a", "b", "c"}, got.GetSecretKeys()); diff != "" || err != nil {
		t.Errorf("Fill(two names): got error %v and difference\n%s", err, diff)
	}
}

// A field below another exists only if it gets a value, and an optional one has what was
// given, even if it is empty.
func TestFillNested(t *testing.T) {
	generates := []Field{
		{Name: "length", Form: FormInteger, Becomes: "length"},
		{Name: "character_sets[numbers]", Form: FormFlag, Becomes: "character_sets.numbers"},
		{Name: "character_sets[symbols]", Form: FormFlag, Becomes: "character_sets.symbols"},
	}
	for body, want := range map[string]*hushv1.GenerateSecretRequest{
		"character_sets[numbers]=false&length=": {},
		"character_sets[symbols]=1&length=7":    {Length: 7, CharacterSets: &hushv1.CharacterSets{Symbols: true}},
	} {
		got := new(hushv1.GenerateSecretRequest)
		err := filled(t, mustParams(t, body, ""), got, generates)
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
			t.Errorf("Fill(%s): got error %v and difference\n%s", body, err, diff)
		}
	}
	err := filled(t, mustParams(t, "length=1.5", ""), new(hushv1.GenerateSecretRequest), generates)
	wantRefusal(t, "Fill(length)", err, refusal.ClassInvalid, "length must be a whole number")
	brands := []Field{
		{Name: "brand[colour]", Form: FormText, Becomes: "brand.colour"}, {Name: "brand[locale]", Form: FormText, Becomes: "brand.locale"},
		{Name: "brand[allow_public_api]", Form: FormFlag, Becomes: "brand.allow_public_api"},
	}
	got := new(hushv1.UpdateDomainBrandRequest)
	err = filled(t, mustJSONParams(t, `{"brand":{"colour":"","allow_public_api":false,"locale":null}}`), got, brands)
	want := &hushv1.UpdateDomainBrandRequest{Brand: &hushv1.Brand{Colour: new(""), AllowPublicApi: new(false)}}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
		t.Errorf("Fill(brand): got error %v and difference\n%s", err, diff)
	}
}

func TestFillPosition(t *testing.T) {
	fields := []Field{{Name: "line", Form: FormPosition, Becomes: "line"}}
	for text, want := range map[string]int32{"": 0, "x": 0, "-1": 0, "1.5": 0, "12": 12} {
		got := new(hushv1.ReceiveExceptionRequest)
		if err := filled(t, mustParams(t, "line="+text, ""), got, fields); err != nil || got.GetLine() != want {
			t.Errorf("Fill(line=%s): got %d, %v, want %d", text, got.GetLine(), err, want)
		}
	}
	err := filled(t, mustParams(t, "line=2147483648", ""), new(hushv1.ReceiveExceptionRequest), fields)
	wantRefusal(t, "Fill(line)", err, refusal.ClassInvalid, "line must be a number of at most 2147483647")
}

// A description that does not match the message is found before the first request.
func TestNewFillerRefuses(t *testing.T) {
	message := new(hushv1.GenerateSecretRequest).ProtoReflect().Descriptor()
	for _, field := range []Field{
		{Name: "a", Form: FormText, Becomes: "secret"},
		{Name: "a", Form: FormText, Becomes: "length"},
		{Name: "a", Form: FormText, Becomes: "recipients"},
		{Name: "a", Form: FormTexts, Becomes: "passphrase"},
		{Name: "a", Form: FormFlag, Becomes: "character_sets"},
		{Name: "a", Form: FormFlag, Becomes: "character_sets.digits"},
		{Name: "a", Form: FormFlag, Becomes: "sets.numbers"},
		{Name: "a", Form: FormText, Becomes: "passphrase.text"},
		{Name: "a", Form: FormDuration, Becomes: "length"},
		{Name: "a", Form: FormDuration, Becomes: "character_sets"},
		{Name: "a", Form: FormFile, Becomes: "passphrase"},
	} {
		if _, err := NewFiller(message, []Field{field}); err == nil {
			t.Errorf("NewFiller(%s of form %s): got no error, want one", field.Becomes, field.Form)
		}
	}
}
