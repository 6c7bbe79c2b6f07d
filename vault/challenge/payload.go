package challenge

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// solutionSize is the maximum bytes of an encoded solution.
const solutionSize = 1 << 10

var (
	saltPattern   = regexp.MustCompile(`^[0-9a-f]{32}\?expires=(\d{10})&a=([a-z_]+)&$`)
	numberPattern = regexp.MustCompile(`^(0|[1-9][0-9]{0,9})$`)
)

// solution is a well-formed solution that has not been verified.
type solution struct {
	challenge, salt, signature string
	number                     int64
	action                     string
	expires                    time.Time
}

// goodFor reports whether the challenge was made for an action.
func (s *solution) goodFor(action string) bool {
	return s.action == action || s.action == ActionAny || action == ActionAny
}

// parseSolution parses a solution: in base64, a JSON object of algorithm,
// challenge, number, salt and signature, and optionally took, the client's
// time. It returns false for everything else.
func parseSolution(payload string) (s solution, ok bool) {
	fields, ok := openPayload(payload, solutionSize)
	if !ok {
		return s, false
	}
	algorithm := takeField[string](fields, "algorithm")
	s.challenge = takeField[string](fields, "challenge")
	s.salt = takeField[string](fields, "salt")
	s.signature = takeField[string](fields, "signature")
	number := takeField[json.Number](fields, "number")
	if _, given := fields["took"]; given {
		ok = takeField[json.Number](fields, "took") != ""
	}
	if !ok || len(fields) > 0 || algorithm != challengeAlgorithm || !isHash(s.challenge) || !isHash(s.signature) {
		return s, false
	}
	return s, s.readSalt() && s.readNumber(number)
}

// readSalt parses the action and the expiry in the salt.
func (s *solution) readSalt() bool {
	parts := saltPattern.FindStringSubmatch(s.salt)
	if parts == nil {
		return false
	}
	seconds, err := strconv.ParseInt(parts[1], 10, 64)
	s.expires, s.action = time.Unix(seconds, 0).UTC(), parts[2]
	return err == nil
}

func (s *solution) readNumber(number json.Number) bool {
	if !numberPattern.MatchString(number.String()) {
		return false
	}
	n, err := number.Int64()
	s.number = n
	return err == nil && n <= ChallengeMaxNumber
}

// openPayload decodes base64 of a flat JSON object; most limits its bytes. Its
// values are strings, json.Number and bool. The base64 must be canonical, and
// keys must be unique.
func openPayload(payload string, most int) (map[string]any, bool) {
	if len(payload) > most || strings.ContainsAny(payload, "\r\n") {
		return nil, false
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(payload)
	if err != nil || !utf8.Valid(raw) {
		return nil, false
	}
	return readFlat(raw)
}

func readFlat(raw []byte) (map[string]any, bool) {
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return nil, false
	}
	fields := map[string]any{}
	for in.More() {
		if !readField(in, fields) {
			return nil, false
		}
	}
	if _, err := in.Token(); err != nil { // the closing brace
		return nil, false
	}
	_, err := in.Token()
	return fields, errors.Is(err, io.EOF)
}

// readField reads one pair. It refuses a nested value, which begins with a
// delimiter.
func readField(in *json.Decoder, fields map[string]any) bool {
	token, err := in.Token()
	name, isName := token.(string)
	if _, twice := fields[name]; err != nil || !isName || twice {
		return false
	}
	value, err := in.Token()
	if err != nil {
		return false
	}
	switch value.(type) {
	case string, json.Number, bool:
		fields[name] = value
		return true
	}
	return false
}

// takeField removes a value from fields and returns it, or the zero value if it
// is missing or of another type.
func takeField[T any](fields map[string]any, name string) T {
	value, ok := fields[name].(T)
	if ok {
		delete(fields, name)
	}
	return value
}

// isHash reports whether text is a SHA-256 hash in hexadecimal digits.
func isHash(text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == sha256.Size && hex.EncodeToString(raw) == text
}
