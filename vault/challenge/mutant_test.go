package challenge_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	altcha "github.com/altcha-org/altcha-lib-go"

	"hush/vault/challenge"
	"hush/vault/vaulttest"
)

// An attacker has one good solution of each kind, and tries whatever it could
// be bent into: other spellings, digits moved between salt and number, a later
// end, another action, another algorithm, another key. None is accepted,
// however the attacker mutates, and the good ones are afterwards.
func TestVerifyChallengeMutants(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	random := rand.New(rand.NewPCG(1, 2))
	late := vaulttest.MustSolve(t, k, "conceal")
	k.Clock.Advance(challenge.ChallengeTime)
	var good []vaulttest.Solution
	for range 8 {
		good = append(good, vaulttest.MustSolve(t, k, "conceal"))
	}
	other := vaulttest.MustSolve(t, k, "feedback")
	kinds := mutants(k)
	tries := 10_000
	if testing.Short() {
		tries = 1000
	}
	for i := range tries {
		m := mutant{t: t, random: random, s: good[random.IntN(len(good))], late: late, other: other}
		kind := kinds[random.IntN(len(kinds))]
		payload := kind.make(m)
		if err := verify(t, k, payload, "conceal"); err == nil {
			t.Fatalf("VerifyChallenge(mutant %d, %s): got nil, want ErrChallenge for %s", i, kind.name, payload)
		}
	}
	for _, s := range good {
		vaulttest.WantErr(t, "VerifyChallenge(what they were made of)", verify(t, k, s.Payload(t), "conceal"), nil)
	}
}

// Digits of the number may not move to the salt, one after the other: the hash
// stays the same, and the challenge would live on as another.
func TestVerifyChallengeSpliced(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	s := vaulttest.MustSolve(t, k, "conceal")
	for len(strconv.Itoa(s.Number)) < 4 {
		s = vaulttest.MustSolve(t, k, "conceal")
	}
	digits := strconv.Itoa(s.Number)
	for i := range digits {
		for _, salt := range []string{s.Salt + digits[:i+1], strings.TrimSuffix(s.Salt, "&") + digits[:i+1], s.Salt + digits[:i+1] + "&"} {
			for _, number := range []string{"0", "", digits[i+1:]} {
				m := mutant{t: t, s: s}
				m.s.Salt = salt
				if err := verify(t, k, m.raw(strconv.Quote(m.s.Salt), number), "conceal"); err == nil {
					t.Errorf("VerifyChallenge(salt %s, number %s): got nil, want ErrChallenge", salt, number)
				}
			}
		}
	}
	vaulttest.WantErr(t, "VerifyChallenge(unspliced)", verify(t, k, s.Payload(t), "conceal"), nil)
}

// mutant is a good solution and what bends it.
type mutant struct {
	t      testing.TB
	random *rand.Rand
	s      vaulttest.Solution
	late   vaulttest.Solution // of a challenge that has expired
	other  vaulttest.Solution // of a challenge for another action
}

// raw writes the solution with another salt and number, as JSON has them.
func (m mutant) raw(salt, number string) string {
	return m.base64(fmt.Sprintf(`{"algorithm":%q,"challenge":%q,"number":%s,"salt":%s,"signature":%q}`,
		m.s.Algorithm, m.s.Challenge, number, salt, m.s.Signature))
}

func (m mutant) base64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func (m mutant) json() string {
	data, err := base64.StdEncoding.DecodeString(m.s.Payload(m.t))
	if err != nil {
		m.t.Fatalf("DecodeString(payload): got %v, want nil", err)
	}
	return string(data)
}

// damage changes a byte of the JSON or of the base64, or cuts either.
func (m mutant) damage() string {
	text := []byte(m.json())
	at := m.random.IntN(len(text))
	switch m.random.IntN(4) {
	case 0:
		text[at] ^= byte(1 + m.random.IntN(255))
		return m.base64(string(text))
	case 1:
		return m.base64(string(text[:at]))
	case 2:
		payload := []byte(m.s.Payload(m.t))
		at = m.random.IntN(len(payload))
		payload[at] ^= byte(1 + m.random.IntN(127))
		return string(payload)
	default:
		return m.base64(string(text[:at]) + string(rune(m.random.IntN(0x3000))) + string(text[at:]))
	}
}

// number returns a form of the number that JSON or people know.
func (m mutant) number() string {
	n := strconv.Itoa(m.s.Number)
	other := strconv.Itoa((m.s.Number + 1 + m.random.IntN(50_000)) % 50_001)
	forms := []string{
		"-" + n, "0" + n, n + ".0", n + "e0", n + "E+0", "+" + n, strconv.Quote(n), other, "50001", "-0.0", "1e4",
		"9223372036854775808", strconv.Itoa(m.s.Number + 1<<32), "0x" + strconv.FormatInt(int64(m.s.Number), 16), "null", "true", "[" + n + "]",
	}
	return forms[m.random.IntN(len(forms))]
}

type mutation struct {
	name string
	make func(m mutant) string
}

// mutants are the ways to bend a solution.
func mutants(k *vaulttest.Kit) []mutation {
	salted := func(change func(salt string, m mutant) string) func(mutant) string {
		return func(m mutant) string {
			m.s.Salt = change(m.s.Salt, m)
			return m.s.Payload(m.t)
		}
	}
	return []mutation{
		{"damage", mutant.damage},
		{"damage", mutant.damage},
		{"number", func(m mutant) string { return m.raw(strconv.Quote(m.s.Salt), m.number()) }},
		{"expired", func(m mutant) string { return m.late.Payload(m.t) }},
		{"for another action", func(m mutant) string { return m.other.Payload(m.t) }},
		{"other action", salted(func(s string, m mutant) string {
			return strings.Replace(s, "a=conceal", []string{"a=any", "a=signup", "a=Conceal"}[m.random.IntN(3)], 1)
		})},
		{"later end", func(m mutant) string {
			end := strconv.FormatInt(k.Clock.Now().Unix()+int64(m.random.IntN(1_000_000)), 10)
			at := strings.Index(m.late.Salt, "=") + 1
			m.late.Salt = m.late.Salt[:at] + end + m.late.Salt[at+10:]
			return m.late.Payload(m.t)
		}},
		{"doubled parameter", salted(func(s string, _ mutant) string { return s + "expires=9999999999&" })},
		{"parameter in front", salted(func(s string, _ mutant) string { return strings.Replace(s, "?", "?expires=9999999999&", 1) })},
		{"no delimiter", salted(func(s string, _ mutant) string { return strings.TrimSuffix(s, "&") })},
		{"upper case", salted(func(s string, _ mutant) string { return strings.ToUpper(s) })},
		{"spliced", func(m mutant) string {
			digits := strconv.Itoa(m.s.Number)
			at := m.random.IntN(len(digits)) + 1
			return m.raw(strconv.Quote(m.s.Salt+digits[:at]), "0"+digits[at:])
		}},
		{"algorithm", func(m mutant) string {
			m.s.Algorithm = []string{"SHA-1", "SHA-512", "sha-256", "", "none"}[m.random.IntN(5)]
			return m.s.Payload(m.t)
		}},
		{"own challenge", func(m mutant) string { return forged(m, altcha.SHA256).Payload(m.t) }},
		{"own challenge with SHA-1", func(m mutant) string { return forged(m, altcha.SHA1).Payload(m.t) }},
		{"upper-case hash", func(m mutant) string {
			m.s.Challenge, m.s.Signature = strings.ToUpper(m.s.Challenge), strings.ToUpper(m.s.Signature)
			return m.s.Payload(m.t)
		}},
		{"key twice", func(m mutant) string {
			return m.base64(strings.Replace(m.json(), `{`, `{"number":`+strconv.Itoa(m.s.Number)+`,`, 1))
		}},
		{"key in another case", func(m mutant) string { return m.base64(strings.Replace(m.json(), `"salt"`, `"Salt"`, 1)) }},
		{"one key more", func(m mutant) string { return m.base64(strings.Replace(m.json(), `{`, `{"test":true,`, 1)) }},
		{"took as text", func(m mutant) string { return m.base64(strings.Replace(m.json(), `{`, `{"took":"1",`, 1)) }},
		{"one key less", func(m mutant) string { return m.base64(strings.Replace(m.json(), `"algorithm":"SHA-256",`, ``, 1)) }},
		{"list", func(m mutant) string { return m.base64("[" + m.json() + "]") }},
		{"something behind", func(m mutant) string { return m.base64(m.json() + "{}") }},
		{"long", func(m mutant) string { return m.base64(m.json() + strings.Repeat(" ", 1024)) }},
		{"broken line", func(m mutant) string { return m.s.Payload(m.t)[:40] + "\n" + m.s.Payload(m.t)[40:] }},
		{"JSON as it is", mutant.json},
		{"nothing", func(mutant) string { return "" }},
	}
}

// forged is a challenge solved with another key.
func forged(m mutant, algorithm altcha.Algorithm) vaulttest.Solution {
	number := int64(7)
	made, err := altcha.CreateChallenge(altcha.ChallengeOptions{
		Algorithm: algorithm, HMACKey: []string{"", "key", strings.Repeat("0", 64)}[m.random.IntN(3)], Salt: m.s.Salt, Number: &number,
	})
	if err != nil {
		m.t.Fatalf("CreateChallenge(): got %v, want nil", err)
	}
	return vaulttest.Solution{
		Algorithm: made.Algorithm, Challenge: made.Challenge, Number: 7, Salt: made.Salt, Signature: made.Signature,
	}
}
