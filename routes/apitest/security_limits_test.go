package apitest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/routes/apitest"
)

const week = 7 * 24 * time.Hour

// A sender, or a faulty script, requests a lifetime of zero, less, or an
// unlimited one, to get a secret that never expires.
func lifetimesAreBounded(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	type row struct{ asked, granted time.Duration }
	rows := []row{
		{time.Second, time.Minute},
		{59 * time.Second, time.Minute},
		{time.Minute, time.Minute},
		{61*time.Second + 900*time.Millisecond, 61 * time.Second},
		{week - time.Second, week - time.Second},
		{week, week},
		{week + time.Second, week},
		{1<<31*time.Second + time.Second, week},
		{1<<63 - 1, week},
	}
	for _, asked := range []time.Duration{0, -1, -time.Second, -week, -1 << 63} {
		// The legacy versions take 0 and -1 for no lifetime, as their clients send them.
		if !d.Legacy() || asked != 0 && asked != -time.Second {
			d.Conceal(t.Context(), apitest.Terms{Secret: "x", TTL: &asked}).Want(t, "conceal for "+asked.String(), apitest.OutcomeInvalid)
			continue
		}
		rows = append(rows, row{asked, week})
	}
	for _, r := range rows {
		got := d.Conceal(t.Context(), apitest.Terms{Secret: "x", TTL: &r.asked}).Want(t, "conceal for "+r.asked.String(), apitest.OutcomeOK)
		if got.TTL != r.granted {
			t.Errorf("conceal for %s: got %s, want %s", r.asked, got.TTL, r.granted)
		}
	}
	if got := apitest.MustConceal(t, d, apitest.Terms{Secret: "x"}); got.TTL != week {
		t.Errorf("conceal for no time: got %s, want %s", got.TTL, week)
	}
}

// A sender puts a file into the field and gets back a key for what was cut off.
func oversizedIsRefused(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	const limit = 100 << 10
	full := strings.Repeat("x", limit)
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: full})
	if got := d.Reveal(t.Context(), kept.SecretKey, ""); got.Value != full {
		t.Errorf("reveal of %d bytes: got %d bytes and %s, want all of them", limit, len(got.Value), got.Outcome)
	}
	for _, size := range []int{limit + 1, 1<<20 + 1} {
		got := d.Conceal(t.Context(), apitest.Terms{Secret: strings.Repeat("x", size)})
		got.Want(t, fmt.Sprintf("conceal of %d bytes", size), apitest.OutcomeTooLarge)
		if named := strconv.Itoa(limit); size == limit+1 && !strings.Contains(got.Text, named) {
			t.Errorf("conceal of %d bytes: got %q, want it to name the limit %s", size, got.Text, named)
		}
	}
	// Bytes count, not characters.
	d.Conceal(t.Context(), apitest.Terms{Secret: strings.Repeat("é", limit/2+1)}).Want(t, "conceal of too many bytes", apitest.OutcomeTooLarge)
}

// A passphrase that were cut at its limit would be opened by its beginning.
func oversizedPassphraseIsRefused(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	long := strings.Repeat("é", 128)
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "guarded", Passphrase: long})
	d.Conceal(t.Context(), apitest.Terms{Secret: "x", Passphrase: long + "é"}).Want(t, "conceal with 129 characters", apitest.OutcomeInvalid)
	got := d.Conceal(t.Context(), apitest.Terms{Secret: "x", Passphrase: strings.Repeat("𝄞", 129)})
	if got.Outcome != apitest.OutcomeInvalid && got.Outcome != apitest.OutcomeTooLarge {
		t.Errorf("conceal with a passphrase of 516 bytes: got %s (%s), want a refusal", got.Outcome, got.Text)
	}
	got = d.Reveal(t.Context(), kept.SecretKey, long+"é")
	if got.Outcome == apitest.OutcomeOK {
		t.Errorf("reveal with 129 characters: got %q, want a refusal", got.Value)
	}
	d.Reveal(t.Context(), kept.SecretKey, long).WantValue(t, "reveal with 128 characters", "guarded")
}

func emptyIsRefused(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	got := d.Conceal(t.Context(), apitest.Terms{Secret: ""}).Want(t, "conceal of nothing", apitest.OutcomeInvalid)
	if d.Legacy() && !strings.Contains(got.Text, "You did not provide anything to share") {
		t.Errorf("conceal of nothing: got %q, want the text that clients know", got.Text)
	}
}

// An attacker probes with keys of every shape for an answer that differs from
// that for an unknown key.
func wrongShapesAreUnknown(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	shapes := []string{
		"0", kept.SecretKey[:30], kept.SecretKey + "0", strings.ToUpper(kept.SecretKey), strings.Repeat("0", 31),
		strings.Repeat("0", 62), strings.Repeat("z", 257), "é" + kept.SecretKey[2:], kept.SecretKey[:30] + " ",
		kept.SecretKey[:15] + "/" + kept.SecretKey[16:], "%00" + kept.SecretKey[3:], "..", "recent%2f", "' OR 1=1 --",
	}
	for _, key := range shapes {
		if d.Legacy() && (key == "..") {
			continue // net/http cleans such a path on the client's side
		}
		for call, got := range map[string]apitest.Answer{
			"reveal": d.Reveal(t.Context(), key, ""), "burn": d.Burn(t.Context(), key, ""),
			"metadata": d.Metadata(t.Context(), key), "get": d.Get(t.Context(), key), "status": d.Status(t.Context(), key),
		} {
			tooLong := len(key) > 256 && got.Outcome == apitest.OutcomeTooLarge
			if !tooLong {
				got.WantIfOffered(t, fmt.Sprintf("%s of %q", call, key), apitest.OutcomeUnknown)
			}
		}
	}
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal", "kept")
}

// The sender keeps the receipt's page open; a person who looks over his
// shoulder must not open the secret with its key, nor burn it with the link.
func keysAreNotInterchangeable(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	d.Reveal(t.Context(), kept.MetadataKey, "").Want(t, "reveal with the metadata key", apitest.OutcomeUnknown)
	d.Get(t.Context(), kept.MetadataKey).WantIfOffered(t, "get with the metadata key", apitest.OutcomeUnknown)
	d.Burn(t.Context(), kept.SecretKey, "").Want(t, "burn with the secret key", apitest.OutcomeUnknown)
	d.Metadata(t.Context(), kept.SecretKey).Want(t, "metadata with the secret key", apitest.OutcomeUnknown)
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal", "kept")
}

// A link scanner, a prefetching browser or a chat's preview opens every URL
// that leads to a secret. None of them may consume it.
func lookingConsumesNothing(t *testing.T, s *apitest.Server, d apitest.Driver) {
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
	paths := []string{
		"/secret/KEY", "/api/v1/secret/KEY", "/api/v2/secret/KEY", "/api/v2/secret/KEY/reveal", "/api/v2/secret/KEY/status",
		"/api/v2/guest/secret/KEY", "/api/v2/guest/secret/KEY/reveal", "/hush.v1.SecretService/RevealSecret",
		"/private/META", "/metadata/META", "/receipt/META", "/api/v1/private/META/burn", "/api/v2/private/META/burn",
		"/api/v2/receipt/META/burn",
	}
	queries := []string{"", "?continue=true", "?continue=true&passphrase=x&secret_key=KEY",
		"?encoding=json&connect=v1&message=%7B%22secretKey%22%3A%22KEY%22%7D"}
	client := s.Client(t, strings.Contains(d.Name(), "grpc"), nil)
	fill := strings.NewReplacer("KEY", kept.SecretKey, "META", kept.MetadataKey)
	for _, path := range paths {
		for _, query := range queries {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
				apitest.Look(t, client, method, s.URL+fill.Replace(path+query))
			}
		}
	}
	if !d.Legacy() {
		d.Get(t.Context(), kept.SecretKey).Want(t, "get", apitest.OutcomeOK)
		d.Status(t.Context(), kept.SecretKey).Want(t, "status", apitest.OutcomeOK)
	}
	d.Metadata(t.Context(), kept.MetadataKey).Want(t, "metadata", apitest.OutcomeOK)
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after looking", "kept")
}

func recipientsNeedAnAccount(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	got := d.Conceal(t.Context(), apitest.Terms{Secret: "x", Recipients: []string{"somebody@example.com"}})
	if got.Outcome != apitest.OutcomeInvalid && got.Refusal.GetReason().String() != "REASON_ACCOUNT_REQUIRED" {
		t.Errorf("conceal for a recipient: got %s (%s), want a refusal", got.Outcome, got.Text)
	}
	if strings.Contains(got.Text, "somebody") {
		t.Errorf("conceal for a recipient: got %q, want no address in it", got.Text)
	}
}

// An attacker makes a link that seems to lead to another account's domain.
func foreignDomainIsRefused(t *testing.T, s *apitest.Server, d apitest.Driver) {
	for _, own := range []string{"", s.Addr, "127.0.0.1", "localhost", "not a domain", "com"} {
		d.Conceal(t.Context(), apitest.Terms{Secret: "x", ShareDomain: own}).Want(t, "conceal on "+own, apitest.OutcomeOK)
	}
	got := d.Conceal(t.Context(), apitest.Terms{Secret: "x", ShareDomain: "bank.example.com"})
	if got.Outcome == apitest.OutcomeOK || !strings.Contains(got.Text, "Domain not found bank.example.com") {
		t.Errorf("conceal on bank.example.com: got %s (%s), want Domain not found", got.Outcome, got.Text)
	}
}

func valueIsKeptToTheByte(t *testing.T, _ *apitest.Server, d apitest.Driver) {
	for _, value := range []string{
		" ", "\n", "a\r\nb\r\n", "\x00", "a;b&c=d%41+e", "<script>&amp;</script>", "👩‍💻 ﷽ \u2028\u2029", "\ufeffbom", "\ufffd",
		`{"secret":"x"}`, "null", "true", "0", strings.Repeat("\\\"", 500),
	} {
		kept := apitest.MustConceal(t, d, apitest.Terms{Secret: value})
		d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, fmt.Sprintf("reveal of %q", value), value)
	}
}

// A script runs wild. The 1,001st creation is refused, nothing that was kept
// suffers, and neighbours on other networks do not notice.
func rateLimitChangesNothing(t *testing.T, s *apitest.Server, d apitest.Driver) {
	network := networkOf(t, d)
	mine := driverNamed(t, s.Drivers(t, http.Header{"X-Forwarded-For": {network + "1"}}), d.Name())
	first := apitest.MustConceal(t, mine, apitest.Terms{Secret: "first"})
	var made atomic.Int64
	var wait sync.WaitGroup
	for range 32 {
		wait.Go(func() {
			for made.Add(1) < 1000 {
				mine.Conceal(t.Context(), apitest.Terms{Secret: "x"}).Want(t, "conceal in the budget", apitest.OutcomeOK)
			}
		})
	}
	wait.Wait()
	// What took more than a second of the twenty minutes has grown back.
	var got apitest.Answer
	for range 100 {
		if got = mine.Conceal(t.Context(), apitest.Terms{Secret: "x"}); got.Outcome == apitest.OutcomeLimited {
			break
		}
	}
	got.Want(t, "conceal above the budget", apitest.OutcomeLimited)
	if got.RetryAfter <= 0 || got.RetryAfter > 20*time.Minute {
		t.Errorf("conceal above the budget: got %s to wait, want more than zero and at most 20m", got.RetryAfter)
	}
	if !d.Legacy() && got.Refusal.GetReason().String() != "REASON_RATE_LIMITED" {
		t.Errorf("conceal above the budget: got %v, want REASON_RATE_LIMITED", got.Refusal)
	}
	other := driverNamed(t, s.Drivers(t, http.Header{"X-Forwarded-For": {network + "2"}}), d.Name())
	apitest.MustConceal(t, other, apitest.Terms{Secret: "of a neighbour"})
	mine.Metadata(t.Context(), first.MetadataKey).Want(t, "metadata of a limited network", apitest.OutcomeOK)
	mine.Reveal(t.Context(), first.SecretKey, "").WantValue(t, "reveal of a limited network", "first")
}

// networkOf gives each protocol addresses of its own.
func networkOf(t *testing.T, d apitest.Driver) string {
	t.Helper()
	for i, known := range []string{"v1", "v2", "connect-json", "connect-proto", "grpc", "grpc-web"} {
		if known == d.Name() {
			return fmt.Sprintf("192.0.2.%d", i+1)
		}
	}
	t.Fatalf("networkOf(%s): got none, want one", d.Name())
	return ""
}
