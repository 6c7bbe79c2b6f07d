package challenge_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	altcha "github.com/altcha-org/altcha-lib-go"
	"github.com/google/go-cmp/cmp"

	"hush/vault/caller"
	"hush/vault/challenge"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

const spamKey = "key of the server"

// form is what the verdicts of these tests are about.
func form() map[string]string {
	return map[string]string{"email": "ada@example.com", "text": "hello\nthere"}
}

// verdictOf is what a server says about form, an hour long.
func verdictOf(now time.Time) url.Values {
	hash := sha256.Sum256([]byte(form()["email"] + "\n" + form()["text"]))
	return url.Values{
		"classification": {"BAD"}, "expire": {strconv.FormatInt(now.Add(time.Hour).Unix(), 10)},
		"fields": {"email,text"}, "fieldsHash": {hex.EncodeToString(hash[:])},
		"reasons": {"links,language"}, "score": {"7.5"}, "time": {strconv.FormatInt(now.Unix(), 10)}, "verified": {"true"},
	}
}

// sign makes the payload that a server sends, with its algorithm.
func sign(values url.Values, key string) altcha.ServerSignaturePayload {
	data := values.Encode()
	hash := sha256.Sum256([]byte(data))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(hash[:])
	return altcha.ServerSignaturePayload{
		Algorithm: altcha.SHA256, VerificationData: data, Signature: hex.EncodeToString(mac.Sum(nil)), Verified: true,
	}
}

func spamPayload(t *testing.T, p altcha.ServerSignaturePayload) string {
	t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatalf("Marshal(payload): got %v, want nil", err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// The payloads of these tests are what the library takes for signed, too.
func TestSignedLikeTheLibrary(t *testing.T) {
	t.Parallel()
	ok, _, err := altcha.VerifyServerSignatureSafe(spamPayload(t, sign(verdictOf(time.Now()), spamKey)), spamKey)
	if !ok || err != nil {
		t.Errorf("VerifyServerSignatureSafe(payload): got %v, %v, want true", ok, err)
	}
}

func TestVerifySpam(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, SpamKey: spamKey})
	payload := spamPayload(t, sign(verdictOf(k.Clock.Now()), spamKey))
	got, err := k.Vault.Challenges.VerifySpam(t.Context(), caller.Caller{}, payload, form())
	if err != nil {
		t.Fatalf("VerifySpam(payload): got %v, want nil", err)
	}
	if diff := cmp.Diff(challenge.SpamVerdict{Classification: "BAD", Score: 7.5, Reasons: []string{"links", "language"}}, got); diff != "" {
		t.Errorf("VerifySpam(payload): -want +got\n%s", diff)
	}
	const used = "The challenge was used already: ask for a new one"
	_, err = k.Vault.Challenges.VerifySpam(t.Context(), caller.Caller{}, payload, form())
	vaulttest.WantChallenge(t, "VerifySpam(again)", err, used)
	// The same verdict in another spelling is the same verdict.
	again := base64.StdEncoding.EncodeToString([]byte(strings.Replace(mustDecode(t, payload), "{", "{ ", 1)))
	_, err = k.Vault.Challenges.VerifySpam(t.Context(), caller.Caller{}, again, form())
	vaulttest.WantChallenge(t, "VerifySpam(again, with a space)", err, used)
}

func mustDecode(t *testing.T, payload string) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(payload)
	if err != nil {
		t.Fatalf("DecodeString(payload): got %v, want nil", err)
	}
	return string(data)
}

func TestVerifySpamWithoutServer(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	_, err := k.Vault.Challenges.VerifySpam(t.Context(), caller.Caller{}, spamPayload(t, sign(verdictOf(k.Clock.Now()), "")), form())
	vaulttest.WantErr(t, "VerifySpam(no key)", err, refusal.ErrNotConfigured)
}

// What a verdict leaves out says nothing: a form without fields needs no hash,
// and no score is 0.
func TestVerifySpamLeast(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, SpamKey: spamKey})
	values := url.Values{"verified": {"true"}, "expire": {strconv.FormatInt(k.Clock.Now().Unix()+1, 10)}, "classification": {"GOOD"}}
	got, err := k.Vault.Challenges.VerifySpam(t.Context(), caller.Caller{}, spamPayload(t, sign(values, spamKey)), nil)
	if diff := cmp.Diff(challenge.SpamVerdict{Classification: "GOOD"}, got); diff != "" || err != nil {
		t.Errorf("VerifySpam(least): got %v, -want +got\n%s", err, diff)
	}
}

func TestVerifySpamRefuses(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, SpamKey: spamKey})
	now := k.Clock.Now()
	const bad, old = "Bad Altcha payload", "The challenge is too old: ask for a new one"
	with := func(name string, values ...string) altcha.ServerSignaturePayload {
		changed := verdictOf(now)
		changed[name] = values
		return sign(changed, spamKey)
	}
	bent := func(change func(*altcha.ServerSignaturePayload)) altcha.ServerSignaturePayload {
		p := sign(verdictOf(now), spamKey)
		change(&p)
		return p
	}
	fieldsWith := func(name, value string) map[string]string {
		fields := maps.Clone(form())
		fields[name] = value
		return fields
	}
	good := sign(verdictOf(now), spamKey)
	tests := []struct {
		name    string
		payload altcha.ServerSignaturePayload
		fields  map[string]string
		text    string
	}{
		{"other key", sign(verdictOf(now), "other key"), form(), bad},
		{"no key", sign(verdictOf(now), ""), form(), bad},
		{"expires now", with("expire", strconv.FormatInt(now.Unix(), 10)), form(), old},
		{"no end", with("expire"), form(), bad},
		{"end twice", with("expire", "1", "9999999999"), form(), bad},
		{"end after all ends", with("expire", "9223372036854775807"), form(), bad},
		{"not verified, signed", with("verified", "false"), form(), bad},
		{"not verified", bent(func(p *altcha.ServerSignaturePayload) { p.Verified = false }), form(), bad},
		{"other algorithm", bent(func(p *altcha.ServerSignaturePayload) { p.Algorithm = altcha.SHA1 }), form(), bad},
		{"data changed", bent(func(p *altcha.ServerSignaturePayload) {
			p.VerificationData = strings.Replace(p.VerificationData, "BAD", "GOOD", 1)
		}), form(), bad},
		{"signature cut", bent(func(p *altcha.ServerSignaturePayload) { p.Signature = p.Signature[:62] }), form(), bad},
		{"signature in upper case", bent(func(p *altcha.ServerSignaturePayload) { p.Signature = strings.ToUpper(p.Signature) }), form(), bad},
		{"no signature", bent(func(p *altcha.ServerSignaturePayload) { p.Signature = "" }), form(), bad},
		{"other value", good, fieldsWith("text", "spam"), bad},
		{"one field more", good, fieldsWith("name", "Ada"), bad},
		{"one field less", good, map[string]string{"email": form()["email"]}, bad},
		{"no fields", good, nil, bad},
		{"fields that the verdict leaves out", with("fields", ""), form(), bad},
		{"field named twice", with("fields", "email,text,text"), form(), bad},
		{"no hash of the fields", with("fieldsHash"), form(), bad},
		{"score that is no number", with("score", "NaN"), form(), bad},
	}
	for _, test := range tests {
		_, err := k.Vault.Challenges.VerifySpam(t.Context(), caller.Caller{}, spamPayload(t, test.payload), test.fields)
		vaulttest.WantChallenge(t, "VerifySpam("+test.name+")", err, test.text)
	}
	for _, payload := range []string{"", "e30=", "nonsense", base64.StdEncoding.EncodeToString([]byte(`{"verified":true}`))} {
		_, err := k.Vault.Challenges.VerifySpam(t.Context(), caller.Caller{}, payload, form())
		vaulttest.WantChallenge(t, "VerifySpam("+payload+")", err, bad)
	}
	_, err := k.Vault.Challenges.VerifySpam(t.Context(), caller.Caller{}, spamPayload(t, good), form())
	vaulttest.WantErr(t, "VerifySpam(what they were made of)", err, nil)
}
