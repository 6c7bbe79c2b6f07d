package seal_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"hush/seal"
)

const redactedText = "[redacted]"

// secretValues returns a value and a pointer of each type that holds a secret.
func secretValues() map[string]any {
	p := sampleParts()
	root, keys, token, key := seal.RootKeyOf(p.root), p.keys(), mustToken(p.token), p.secretKey()
	return map[string]any{
		"RootKey": root, "*RootKey": &root, "*Keys": keys, "Keys": *keys,
		"Token": token, "*Token": &token, "SecretKey": key, "*SecretKey": &key,
		"zero RootKey": seal.RootKey{}, "zero Token": seal.Token{}, "zero SecretKey": seal.SecretKey{},
	}
}

func TestSecretTypesAnswerEveryWayOfPrinting(t *testing.T) {
	type printing interface {
		fmt.Formatter
		fmt.Stringer
		fmt.GoStringer
		json.Marshaler
		encoding.TextMarshaler
		slog.LogValuer
	}
	for name, value := range secretValues() {
		v, ok := value.(printing)
		if !ok {
			t.Errorf("%s: got a type that lacks a way of printing, want all", name)
			continue
		}
		text, _ := v.MarshalText()
		for _, got := range []string{v.String(), v.GoString(), v.LogValue().String(), string(text)} {
			if got != redactedText {
				t.Errorf("%s: got %q, want %q", name, got, redactedText)
			}
		}
	}
}

// All verbs but those that fmt answers without asking the value: %T, and %p and
// %w, which go vet refuses.
func TestSecretTypesRedactEveryVerb(t *testing.T) {
	for name, value := range secretValues() {
		for _, flags := range []string{"", "+", "#", " ", "0", "-", "30", ".3", "+#", "# "} {
			for _, verb := range "abcdefghijklmnoqrstuvxyzABCDEFGHIJKLMNOPQRSUVWXYZ" {
				format := "%" + flags + string(verb)
				if got := fmt.Sprintf(format, value); got != redactedText {
					t.Errorf("Sprintf(%q, %s): got %q, want %q", format, name, got, redactedText)
				}
			}
		}
	}
}

func TestSecretTypesRedactInErrorsAndText(t *testing.T) {
	for name, value := range secretValues() {
		format := "no verb"
		extra := fmt.Sprintf(format, value) //nolint:staticcheck // the mistake is the point
		for _, got := range []string{fmt.Sprint(value), fmt.Errorf("at %v", value).Error(), extra} {
			if !strings.Contains(got, redactedText) {
				t.Errorf("Sprint(%s): got %q, want %q in it", name, got, redactedText)
			}
		}
	}
}

func TestSecretTypesRedactInJSON(t *testing.T) {
	for name, value := range secretValues() {
		got, err := json.Marshal(value)
		if want := `"[redacted]"`; err != nil || string(got) != want {
			t.Errorf("Marshal(%s): got %s, %v, want %s", name, got, err, want)
		}
	}
	token := mustToken(sampleParts().token)
	got, err := json.Marshal(map[seal.Token]seal.Token{token: token})
	if want := `{"[redacted]":"[redacted]"}`; err != nil || string(got) != want {
		t.Errorf("Marshal(map of tokens): got %s, %v, want %s", got, err, want)
	}
}

func TestSecretTypesRedactInLogs(t *testing.T) {
	for name, value := range secretValues() {
		var text, object bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&text, nil), slog.NewJSONHandler(&object, nil)} {
			slog.New(handler).Info("m", "value", value, slog.Group("g", "inner", value))
		}
		for _, want := range []string{`value=[redacted] g.inner=[redacted]`, `"value":"[redacted]","g":{"inner":"[redacted]"}`} {
			if got := text.String() + object.String(); !strings.Contains(got, want) {
				t.Errorf("Info(%s): got %s, want %s in it", name, got, want)
			}
		}
	}
}

// What surrounds a secret does not undo its redaction.
func TestSecretTypesRedactInsideOthers(t *testing.T) {
	type holder struct {
		Root  seal.RootKey
		Keys  *seal.Keys
		Token seal.Token
		Key   seal.SecretKey
	}
	p := sampleParts()
	h := holder{seal.RootKeyOf(p.root), p.keys(), mustToken(p.token), p.secretKey()}
	for _, value := range []any{h, &h, []holder{h}, []any{h.Token}, map[string]holder{"h": h}} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			wantNoSecret(t, format, fmt.Sprintf(format, value))
		}
	}
}

// fmt asks no method of values in unexported fields or for misused verbs. Root
// keys and derived keys are out of its reach even there.
func TestKeysStayHiddenInUnexportedFields(t *testing.T) {
	p := sampleParts()
	root, key := seal.RootKeyOf(p.root), p.secretKey()
	holder := struct {
		root seal.RootKey
		keys *seal.Keys
		key  seal.SecretKey
	}{root, p.keys(), key}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%w", "%t"} {
		for _, value := range []any{holder, root, key, p.keys(), *p.keys(), &root} {
			wantNoSecret(t, format, fmt.Sprintf(format, value))
		}
	}
}

// subkey is the one derived from the root key for secrets.
func subkey(p parts) []byte {
	key, _ := hkdf.Key(sha256.New, p.root[:], []byte("hush/v1 root"), "hush/v1 secret-kek", 32)
	return key
}

// wantNoSecret fails the test if text shows the root key, a subkey or the
// token of sampleParts in any usual spelling.
func wantNoSecret(t *testing.T, call, text string) {
	t.Helper()
	p := sampleParts()
	for _, secret := range [][]byte{p.root[8:16], []byte(p.token)[8:16], subkey(p)[8:16]} {
		decimal := strings.Trim(fmt.Sprint(secret), "[]")
		goSyntax := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%#v", secret), "[]byte{"), "}")
		for _, spelling := range []string{
			string(secret), hex.EncodeToString(secret), decimal, goSyntax,
			base64.StdEncoding.EncodeToString(secret)[:10],
		} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(spelling)) {
				t.Errorf("Sprintf(%s): got %q, want no secret in it", call, text)
			}
		}
	}
}
