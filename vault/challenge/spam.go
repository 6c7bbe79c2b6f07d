package challenge

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	altcha "github.com/altcha-org/altcha-lib-go"

	"hush/vault/caller"
	"hush/vault/refusal"
)

const (
	// verdictSize is the maximum bytes of an encoded verdict.
	verdictSize = 8 << 10
	// verdictEnd is the latest expiry of a verdict: the year 9999.
	verdictEnd = 253_402_300_799

	textBadVerdict = "Bad Altcha payload"
)

// SpamVerdict is an ALTCHA server's verdict about a form.
type SpamVerdict struct {
	// Classification is GOOD or BAD.
	Classification string
	// Score is higher for a form that is more likely to be spam.
	Score float64
	// Reasons are the server's reasons; empty if it gave none.
	Reasons []string
}

// signedVerdict is a well-formed verdict that has not been verified.
type signedVerdict struct {
	data      string // as signed
	signature []byte
	values    url.Values
	expires   time.Time
}

// VerifySpam checks a verdict that an ALTCHA server signed about exactly these
// fields of a form, and spends it. It returns ErrChallenge for one that is not
// signed, too old, used or about other fields, and ErrNotConfigured if the
// operator has configured no such server.
func (ch *Challenges) VerifySpam(ctx context.Context, _ caller.Caller, payload string, fields map[string]string) (SpamVerdict, error) {
	if ch.spamKey == "" {
		return SpamVerdict{}, refusal.ErrNotConfigured
	}
	now := ch.clock.Now()
	s, ok := parseVerdict(payload)
	// The signature is checked before anything that it covers is used.
	if !ok || !s.signedWith(ch.spamKey) || s.values.Get("verified") != "true" || !s.about(fields) {
		return SpamVerdict{}, &refusal.ChallengeError{Text: textBadVerdict}
	}
	if !now.Before(s.expires) {
		return SpamVerdict{}, &refusal.ChallengeError{Text: textOldChallenge}
	}
	verdict, ok := s.verdict()
	if !ok {
		return SpamVerdict{}, &refusal.ChallengeError{Text: textBadVerdict}
	}
	// A solved challenge is spent under the hash of 64 characters, a verdict
	// under that of 32 bytes: they never collide.
	spent := sha256.Sum256(s.signature)
	if err := ch.spend(ctx, spent[:], s.expires); err != nil {
		return SpamVerdict{}, err
	}
	return verdict, nil
}

// parseVerdict parses a verdict: in base64, a JSON object of algorithm,
// verificationData, signature and verified. It returns false for everything
// else, and for a verdict that is not verified by its own account.
func parseVerdict(payload string) (s signedVerdict, ok bool) {
	fields, ok := openPayload(payload, verdictSize)
	if !ok {
		return s, false
	}
	algorithm := takeField[string](fields, "algorithm")
	signature := takeField[string](fields, "signature")
	s.data = takeField[string](fields, "verificationData")
	verified := takeField[bool](fields, "verified")
	if len(fields) > 0 || algorithm != challengeAlgorithm || !verified || !isHash(signature) {
		return s, false
	}
	var err error
	if s.signature, err = hex.DecodeString(signature); err != nil {
		return s, false
	}
	if s.values, err = url.ParseQuery(s.data); err != nil {
		return s, false
	}
	return s, s.readTimes()
}

// readTimes reads the expiry. It refuses a repeated value, which would be
// ambiguous.
func (s *signedVerdict) readTimes() bool {
	for _, values := range s.values {
		if len(values) != 1 {
			return false
		}
	}
	seconds, err := strconv.ParseInt(s.values.Get("expire"), 10, 64)
	if err != nil || seconds < 0 || seconds > verdictEnd {
		return false
	}
	s.expires = time.Unix(seconds, 0).UTC()
	return true
}

// signedWith reports whether the signature is the server's: an HMAC of the hash
// of the data. The library checks it only together with its own clock, which is
// not the vault's.
func (s *signedVerdict) signedWith(key string) bool {
	hash := sha256.Sum256([]byte(s.data))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(hash[:])
	return hmac.Equal(mac.Sum(nil), s.signature)
}

// about reports whether the verdict is about exactly these fields with these
// values. The payload's list must name them all, or it could leave out the one
// that holds the spam.
func (s *signedVerdict) about(fields map[string]string) bool {
	var names []string
	if list := s.values.Get("fields"); list != "" {
		names = strings.Split(list, ",")
	}
	if len(names) == 0 && len(fields) == 0 {
		return true
	}
	if !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(maps.Keys(fields))) {
		return false
	}
	form := make(map[string][]string, len(fields))
	for name, value := range fields {
		form[name] = []string{value}
	}
	ok, err := altcha.VerifyFieldsHashSafe(form, names, s.values.Get("fieldsHash"), altcha.SHA256)
	return ok && err == nil
}

// verdict decodes the server's verdict; a missing score is 0.
func (s *signedVerdict) verdict() (verdict SpamVerdict, ok bool) {
	verdict.Classification = s.values.Get("classification")
	if score := s.values.Get("score"); score != "" {
		n, err := strconv.ParseFloat(score, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return verdict, false
		}
		verdict.Score = n
	}
	if reasons := s.values.Get("reasons"); reasons != "" {
		verdict.Reasons = strings.Split(reasons, ",")
	}
	return verdict, true
}
