package apitest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"testing"
	"time"

	"hush/vault/challenge"
)

// SpamKey is the key that verdicts about spam are signed with in these tests.
const SpamKey = "key of a server for forms"

// Solve finds the number of a challenge and returns the solution as it is
// sent.
func Solve(t testing.TB, solved, salt, signature string) string {
	t.Helper()
	for number := range challenge.ChallengeMaxNumber + 1 {
		hash := sha256.Sum256([]byte(salt + strconv.FormatInt(int64(number), 10)))
		if hex.EncodeToString(hash[:]) == solved {
			return payload(t, map[string]any{
				"algorithm": "SHA-256", "challenge": solved, "number": number, "salt": salt, "signature": signature,
			})
		}
	}
	t.Fatalf("challenge %q with salt %q: got no number up to %d, want one", solved, salt, challenge.ChallengeMaxNumber)
	return ""
}

// Judge signs the verdict that a form with one field is good.
func Judge(t testing.TB, field, value string) string {
	t.Helper()
	about := sha256.Sum256([]byte(value))
	data := url.Values{
		"classification": {"GOOD"}, "score": {"0.5"}, "verified": {"true"}, "fields": {field},
		"time":       {strconv.FormatInt(time.Now().UnixNano(), 10)}, // so that no two are the same
		"fieldsHash": {hex.EncodeToString(about[:])}, "expire": {strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)},
	}.Encode()
	hash := sha256.Sum256([]byte(data))
	mac := hmac.New(sha256.New, []byte(SpamKey))
	mac.Write(hash[:])
	return payload(t, map[string]any{
		"algorithm": "SHA-256", "verificationData": data, "signature": hex.EncodeToString(mac.Sum(nil)), "verified": true,
	})
}

func payload(t testing.TB, fields map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(fields)
	if err != nil {
		t.Fatalf("Marshal(%v): got %v, want nil", fields, err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}
