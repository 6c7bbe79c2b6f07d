package chain

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	adminv1 "hush/gen/hush/admin/v1"
	hushv1 "hush/gen/hush/v1"
)

// The attack: a text of a few megabytes has as many elements as fit, and a value of another
// type behind them. Each element that is looked at by itself costs a hundred times what
// reading it does, so only the first ones are.
func TestWrongTypesBehindManyElements(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`"",`, partsMost)
	for text, want := range map[string]string{
		`{"recipients":[` + many + `1]}`:          "recipients: has an element of another type",
		`{"recipients":[` + many + `""],"ttl":1}`: `ttl: must be text such as "3600s"`,
		`{"recipients":[1,` + many + `""]}`:       "recipients[0]: must be text",
	} {
		err := readJSON(text, new(hushv1.ConcealSecretRequest))
		if err == nil || err.Error() != "validation error: "+want {
			t.Errorf("Unmarshal(%s ...): got %v, want %q", text[:20], err, want)
		}
	}
	entries := strings.Repeat(`{},`, partsMost)
	err := readJSON(`{"entries":[`+entries+`{"address":1}]}`, new(adminv1.ImportAccountsRequest))
	if want := "validation error: entries: has an element of another type"; err == nil || err.Error() != want {
		t.Errorf("Unmarshal(many entries): got %v, want %s", err, want)
	}
}

// A value of another type is refused at its path, with what it must be.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text    string
		message proto.Message
		want    string
	}{
		{`{"secret":"x","ttl":"1h"}`, new(hushv1.ConcealSecretRequest), `ttl: must be text such as "3600s"`},
		{`{"secret":"x","ttl":3600}`, new(hushv1.ConcealSecretRequest), `ttl: must be text such as "3600s"`},
		{`{"secret":"x","passphrase":["canary"]}`, new(hushv1.ConcealSecretRequest), "passphrase: must be text"},
		{`{"secret":"x","passphrase":false}`, new(hushv1.ConcealSecretRequest), "passphrase: must be text"},
		{`{"secret":"x","secret":"canary"}`, new(hushv1.ConcealSecretRequest), "secret: was given more than once"},
		{`{"shareDomain":"x","share_domain":"x"}`, new(hushv1.ConcealSecretRequest), "share_domain: was given more than once"},
		{`{"secret":"\ud800"}`, new(hushv1.ConcealSecretRequest), "secret: is not valid Unicode"},
		{"{\"secret\":\"canary\xff\"}", new(hushv1.ConcealSecretRequest), "secret: is not valid Unicode"},
		{`{"secret":"x","sealed":[]}`, new(hushv1.ConcealSecretRequest), "sealed: must be an object"},
		{`{"sealed":{"content":"?"}}`, new(hushv1.ConcealSecretRequest), "sealed.content: must be base64"},
		{`{"sealed":{"hasPassphrase":"canary"}}`, new(hushv1.ConcealSecretRequest), "sealed.has_passphrase: must be true or false"},
		{`{"recipients":"canary"}`, new(hushv1.ConcealSecretRequest), "recipients: must be a list"},
		{`{"recipients":["a",{"canary":1}]}`, new(hushv1.ConcealSecretRequest), "recipients[1]: must be text"},
		{`{"recipients":["a",null]}`, new(hushv1.ConcealSecretRequest), "recipients[1]: must be text"},
		{`{"length":"canary"}`, new(hushv1.GenerateSecretRequest), "length: must be a whole number of 32 bits"},
		{`{"length":4294967296}`, new(hushv1.GenerateSecretRequest), "length: must be a whole number of 32 bits"},
		{`{"length":1.5}`, new(hushv1.GenerateSecretRequest), "length: must be a whole number of 32 bits"},
		{`{"scopes":[true]}`, new(hushv1.GenerateApiTokenRequest), "scopes[0]: must be the name of a value"},
		{`{"entries":[{"address":"a"},{"address":1}]}`, new(adminv1.ImportAccountsRequest), "entries[1].address: must be text"},
		{`{"entries":[null]}`, new(adminv1.ImportAccountsRequest), "entries[0]: must be an object"},
		{`{"fields":{"canary":1}}`, new(hushv1.AltchaVerifySpamRequest), "fields: must be text"},
		{`{"fields":{"canary":"1","canary":"2"}}`, new(hushv1.AltchaVerifySpamRequest), "fields: has a name that is invalid or was given more than once"},
		{`{"fields":[]}`, new(hushv1.AltchaVerifySpamRequest), "fields: must be an object"},
		{`{"ttl":1,"memoo":1}`, new(hushv1.ConcealSecretRequest), "memoo: unknown field"},
		{`{"secret":1`, new(hushv1.ConcealSecretRequest), "secret: must be text"},
	} {
		err := readJSON(row.text, row.message)
		if err == nil || err.Error() != "validation error: "+row.want {
			t.Errorf("Unmarshal(%s): got %v, want %q", row.text, err, row.want)
		}
	}
	for _, text := range []string{`[]`, `"x"`, `1`, `{"secret":canary}`, `{"secret":"x"} canary`, `{"secret":"x",}`, `{"secret"`, `{"secret":"x"`, `{"secret":"x" "ttl":1}`} {
		err := readJSON(text, new(hushv1.ConcealSecretRequest))
		if err == nil || !strings.HasPrefix(err.Error(), "malformed JSON message") {
			t.Errorf("Unmarshal(%s): got %v, want its place", text, err)
		}
	}
}

// Every field of every request is refused at its path if it has another type, and if it is
// there twice.
func TestWrongTypesOfEveryField(t *testing.T) {
	t.Parallel()
	for kind := range requests() {
		if kind.ParentFile().Package() == "google.protobuf" || kind.IsMapEntry() {
			continue
		}
		for i := range kind.Fields().Len() {
			field := kind.Fields().Get(i)
			wrong := `[["canary"]]`
			path := string(field.Name())
			if field.IsList() {
				path += "[0]"
			}
			text := fmt.Sprintf(`{%q:%s}`, field.JSONName(), wrong)
			err := readJSON(text, newMessage(t, kind))
			if err == nil || !strings.HasPrefix(err.Error(), "validation error: "+path+": ") || strings.Contains(err.Error(), "canary") {
				t.Errorf("%s: Unmarshal(%s): got %v, want the path %s", kind.FullName(), text, err, path)
			}
			text = fmt.Sprintf(`{%q:null,%q:null}`, field.JSONName(), field.Name())
			err = readJSON(text, newMessage(t, kind))
			want := "validation error: " + string(field.Name()) + ": was given more than once"
			if field.IsList() && allIfEmpty(field) {
				continue // null is refused first
			}
			if err == nil || err.Error() != want {
				t.Errorf("%s: Unmarshal(%s): got %v, want %s", kind.FullName(), text, err, want)
			}
		}
	}
}
