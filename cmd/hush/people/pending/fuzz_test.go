package pending

import (
	"encoding/json"
	"testing"
)

// What is read from a file is a claim, and is read the same once it is written
// again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"claim":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","fingerprint":"00","until":"2026-11-23T18:04:00Z","passphrase":true}` + "\nsaved e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, ok := decode(text)
		if !ok {
			return
		}
		if r.claim.IsNone() || r.claim.Expose() != r.Claim {
			t.Errorf("decode(%q): got no claim, want the one in it", text)
		}
		line, err := json.Marshal(r)
		if err != nil {
			return // a year that JSON does not have
		}
		line = append(line, '\n')
		if r.savedTo != "" {
			line = append(line, "saved "+r.savedTo+"\n"...)
		}
		if again, ok := decode(line); !ok || again.Claim != r.Claim || !again.Until.Equal(r.Until) || again.savedTo != r.savedTo {
			t.Errorf("decode(%q): got %v, want the same as of %q", line, ok, text)
		}
	})
}
