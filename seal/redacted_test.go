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
	"maps"
	"strings"
	"testing"

	"hush/seal"
)

const redactedText = "[redacted]"

// secretValues returns a value and a pointer of each type that holds a secret.
func secretValues() map[string]any {
	p := sampleParts()
	root, keys, token, key := seal.RootKeyOf(p.root), p.keys(), mustToken(p.token), p.secretKey()
	epoch, file := seal.NewEpochKey(), sampleFileKey()
	values := map[string]any{
		"RootKey": root, "*RootKey": &root, "*Keys": keys, "Keys": *keys, "SecretKeys": keys.SecretKeys(), "Ring": keys.Ring(),
		"Token": token, "*Token": &token, "SecretKey": key, "*SecretKey": &key,
		"EpochKey": epoch, "*EpochKey": &epoch, "zero EpochKey": seal.EpochKey{},
		"FileKey": file, "*FileKey": &file, "zero FileKey": seal.FileKey{},
		"zero RootKey": seal.RootKey{}, "zero Token": seal.Token{}, "zero SecretKey": seal.SecretKey{},
	}
	maps.Copy(values, accountValues())
	return values
}

// accountValues are those of secretValues that belong to accounts.
func accountValues() map[string]any {
	hash, token, session := cheapPassword.Hash("pass"), mustAPIToken(sampleAPIToken), mustSession(sampleSession)
	key, holder := sampleAccountKey(), session.WrappingSecret()
	return map[string]any{
		"PasswordHash": hash, "*PasswordHash": &hash, "zero PasswordHash": seal.PasswordHash{},
		"APIToken": token, "*APIToken": &token, "zero APIToken": seal.APIToken{},
		"SessionID": session, "*SessionID": &session, "zero SessionID": seal.SessionID{},
		"AccountKey": key, "*AccountKey": &key, "zero AccountKey": seal.AccountKey{},
		"WrappingSecret": holder, "*WrappingSecret": &holder, "zero WrappingSecret": seal.WrappingSecret{},
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
		File  seal.FileKey
		// Those of an account.
		Hash           seal.PasswordHash
		API            seal.APIToken
		Session        seal.SessionID
		Account        seal.AccountKey
		WrappingSecret seal.WrappingSecret
	}
	p, session := sampleParts(), mustSession(sampleSession)
	h := holder{
		seal.RootKeyOf(p.root), p.keys(), mustToken(p.token), p.secretKey(), sampleFileKey(),
		cheapPassword.Hash("pass"), mustAPIToken(sampleAPIToken), session, sampleAccountKey(), session.WrappingSecret(),
	}
	for _, value := range []any{h, &h, []holder{h}, []any{h.Token}, map[string]holder{"h": h}} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			wantNoSecret(t, format, fmt.Sprintf(format, value))
		}
	}
}

// fmt asks no method of values in unexported fields or for misused verbs. Root
// keys, derived keys and all that belongs to accounts are out of its reach even
// there.
func TestKeysStayHiddenInUnexportedFields(t *testing.T) {
	p := sampleParts()
	root, key, session := seal.RootKeyOf(p.root), p.secretKey(), mustSession(sampleSession)
	hash, token, account := cheapPassword.Hash("pass"), mustAPIToken(sampleAPIToken), sampleAccountKey()
	holder := struct {
		root    seal.RootKey
		keys    *seal.Keys
		key     seal.SecretKey
		file    seal.FileKey
		hash    seal.PasswordHash
		token   seal.APIToken
		session seal.SessionID
		account seal.AccountKey
		holder  seal.WrappingSecret
	}{root, p.keys(), key, sampleFileKey(), hash, token, session, account, session.WrappingSecret()}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%w", "%t"} {
		for _, value := range []any{
			holder, root, key, sampleFileKey(), p.keys(), *p.keys(), &root, hash, &hash, token, session, account, session.WrappingSecret(),
		} {
			wantNoSecret(t, format, fmt.Sprintf(format, value))
		}
	}
}

// subkey is the one derived from the root key under the given name.
func subkey(p parts, name string) []byte {
	key, _ := hkdf.Key(sha256.New, p.root[:], []byte("hush/v1 root"), name, 32)
	return key
}

// sampleSecrets are eight bytes of each secret in secretValues.
func sampleSecrets() [][]byte {
	p, hash := sampleParts(), cheapPassword.Hash("pass")
	secrets := [][]byte{
		p.root[8:16], []byte(p.token)[8:16],
		[]byte(sampleAPIToken)[8:16], []byte(sampleSession)[8:16],
		{0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed, 0xee, 0xef}, // within the session's 32 bytes
		{0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f}, // within the account's private half
		{0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f}, // within the file key
	}
	for _, name := range []string{"secret-kek", "account-kek", "field-kek", "address-index", "altcha-hmac", "shrimp", "mail-kek", "password-mac"} {
		secrets = append(secrets, subkey(p, "hush/v1 "+name)[8:16])
	}
	for _, digest := range [][32]byte{hash.Proof(), hash.WrappingSecret().Secret(), mustSession(sampleSession).WrappingSecret().Secret()} {
		secrets = append(secrets, digest[8:16])
	}
	return secrets
}

// wantNoSecret fails the test if text shows one of sampleSecrets in any usual
// spelling.
func wantNoSecret(t *testing.T, call, text string) {
	t.Helper()
	for _, secret := range sampleSecrets() {
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
