package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const week = 7 * 24 * time.Hour

// A sender, or a faulty script, requests a lifetime of zero, less, or an
// unlimited one, to get a secret that never expires.
func lifetimesAreBounded(t *testing.T, _ *testServer, d driver) {
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
		if !d.legacy() || asked != 0 && asked != -time.Second {
			d.conceal(t.Context(), wish{secret: "x", ttl: &asked}).want(t, "conceal for "+asked.String(), outcomeInvalid)
			continue
		}
		rows = append(rows, row{asked, week})
	}
	for _, r := range rows {
		got := d.conceal(t.Context(), wish{secret: "x", ttl: &r.asked}).want(t, "conceal for "+r.asked.String(), outcomeOK)
		if got.ttl != r.granted {
			t.Errorf("conceal for %s: got %s, want %s", r.asked, got.ttl, r.granted)
		}
	}
	if got := mustConceal(t, d, wish{secret: "x"}); got.ttl != week {
		t.Errorf("conceal for no time: got %s, want %s", got.ttl, week)
	}
}

// A sender puts a file into the field and gets back a key for what was cut off.
func oversizedIsRefused(t *testing.T, _ *testServer, d driver) {
	const limit = 100 << 10
	full := strings.Repeat("x", limit)
	kept := mustConceal(t, d, wish{secret: full})
	if got := d.reveal(t.Context(), kept.secretKey, ""); got.value != full {
		t.Errorf("reveal of %d bytes: got %d bytes and %s, want all of them", limit, len(got.value), got.outcome)
	}
	for _, size := range []int{limit + 1, 1<<20 + 1} {
		got := d.conceal(t.Context(), wish{secret: strings.Repeat("x", size)})
		got.want(t, fmt.Sprintf("conceal of %d bytes", size), outcomeTooLarge)
		if named := strconv.Itoa(limit); size == limit+1 && !strings.Contains(got.text, named) {
			t.Errorf("conceal of %d bytes: got %q, want it to name the limit %s", size, got.text, named)
		}
	}
	// Bytes count, not characters.
	d.conceal(t.Context(), wish{secret: strings.Repeat("é", limit/2+1)}).want(t, "conceal of too many bytes", outcomeTooLarge)
}

// A passphrase that were cut at its limit would be opened by its beginning.
func oversizedPassphraseIsRefused(t *testing.T, _ *testServer, d driver) {
	long := strings.Repeat("é", 128)
	kept := mustConceal(t, d, wish{secret: "guarded", passphrase: long})
	d.conceal(t.Context(), wish{secret: "x", passphrase: long + "é"}).want(t, "conceal with 129 characters", outcomeInvalid)
	got := d.conceal(t.Context(), wish{secret: "x", passphrase: strings.Repeat("𝄞", 129)})
	if got.outcome != outcomeInvalid && got.outcome != outcomeTooLarge {
		t.Errorf("conceal with a passphrase of 516 bytes: got %s (%s), want a refusal", got.outcome, got.text)
	}
	got = d.reveal(t.Context(), kept.secretKey, long+"é")
	if got.outcome == outcomeOK {
		t.Errorf("reveal with 129 characters: got %q, want a refusal", got.value)
	}
	d.reveal(t.Context(), kept.secretKey, long).wantValue(t, "reveal with 128 characters", "guarded")
}

func emptyIsRefused(t *testing.T, _ *testServer, d driver) {
	got := d.conceal(t.Context(), wish{secret: ""}).want(t, "conceal of nothing", outcomeInvalid)
	if d.legacy() && !strings.Contains(got.text, "You did not provide anything to share") {
		t.Errorf("conceal of nothing: got %q, want the text that clients know", got.text)
	}
}

// An attacker probes with keys of every shape for an answer that differs from
// that for an unknown key.
func wrongShapesAreUnknown(t *testing.T, _ *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "kept"})
	shapes := []string{
		"0", kept.secretKey[:30], kept.secretKey + "0", strings.ToUpper(kept.secretKey), strings.Repeat("0", 31),
		strings.Repeat("0", 62), strings.Repeat("z", 257), "é" + kept.secretKey[2:], kept.secretKey[:30] + " ",
		kept.secretKey[:15] + "/" + kept.secretKey[16:], "%00" + kept.secretKey[3:], "..", "recent%2f", "' OR 1=1 --",
	}
	for _, key := range shapes {
		if d.legacy() && (key == "..") {
			continue // net/http cleans such a path on the client's side
		}
		for call, got := range map[string]answer{
			"reveal": d.reveal(t.Context(), key, ""), "burn": d.burn(t.Context(), key, ""),
			"metadata": d.metadata(t.Context(), key), "get": d.get(t.Context(), key), "status": d.status(t.Context(), key),
		} {
			tooLong := len(key) > 256 && got.outcome == outcomeTooLarge
			if !tooLong {
				got.wantIfOffered(t, fmt.Sprintf("%s of %q", call, key), outcomeUnknown)
			}
		}
	}
	d.reveal(t.Context(), kept.secretKey, "").wantValue(t, "reveal", "kept")
}

// The sender keeps the receipt's page open; a person who looks over his
// shoulder must not open the secret with its key, nor burn it with the link.
func keysAreNotInterchangeable(t *testing.T, _ *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "kept"})
	d.reveal(t.Context(), kept.metadataKey, "").want(t, "reveal with the metadata key", outcomeUnknown)
	d.get(t.Context(), kept.metadataKey).wantIfOffered(t, "get with the metadata key", outcomeUnknown)
	d.burn(t.Context(), kept.secretKey, "").want(t, "burn with the secret key", outcomeUnknown)
	d.metadata(t.Context(), kept.secretKey).want(t, "metadata with the secret key", outcomeUnknown)
	d.reveal(t.Context(), kept.secretKey, "").wantValue(t, "reveal", "kept")
}

// A link scanner, a prefetching browser or a chat's preview opens every URL
// that leads to a secret. None of them may consume it.
func lookingConsumesNothing(t *testing.T, s *testServer, d driver) {
	kept := mustConceal(t, d, wish{secret: "kept"})
	paths := []string{
		"/secret/KEY", "/api/v1/secret/KEY", "/api/v2/secret/KEY", "/api/v2/secret/KEY/reveal", "/api/v2/secret/KEY/status",
		"/api/v2/guest/secret/KEY", "/api/v2/guest/secret/KEY/reveal", "/hush.v1.SecretService/RevealSecret",
		"/private/META", "/metadata/META", "/receipt/META", "/api/v1/private/META/burn", "/api/v2/private/META/burn",
		"/api/v2/receipt/META/burn",
	}
	queries := []string{"", "?continue=true", "?continue=true&passphrase=x&secret_key=KEY",
		"?encoding=json&connect=v1&message=%7B%22secretKey%22%3A%22KEY%22%7D"}
	client := newHTTPClient(t, strings.Contains(d.name(), "grpc"), nil)
	fill := strings.NewReplacer("KEY", kept.secretKey, "META", kept.metadataKey)
	for _, path := range paths {
		for _, query := range queries {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
				look(t, client, method, s.url+fill.Replace(path+query))
			}
		}
	}
	if !d.legacy() {
		d.get(t.Context(), kept.secretKey).want(t, "get", outcomeOK)
		d.status(t.Context(), kept.secretKey).want(t, "status", outcomeOK)
	}
	d.metadata(t.Context(), kept.metadataKey).want(t, "metadata", outcomeOK)
	d.reveal(t.Context(), kept.secretKey, "").wantValue(t, "reveal after looking", "kept")
}

func look(t *testing.T, client *http.Client, method, url string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Errorf("%s %s: got %v, want an answer without a redirect", method, url, err)
		return
	}
	res.Body.Close()
}

func recipientsNeedAnAccount(t *testing.T, _ *testServer, d driver) {
	got := d.conceal(t.Context(), wish{secret: "x", recipients: []string{"somebody@example.com"}})
	if got.outcome != outcomeInvalid && got.refusal.GetReason().String() != "REASON_ACCOUNT_REQUIRED" {
		t.Errorf("conceal for a recipient: got %s (%s), want a refusal", got.outcome, got.text)
	}
	if strings.Contains(got.text, "somebody") {
		t.Errorf("conceal for a recipient: got %q, want no address in it", got.text)
	}
}

// An attacker makes a link that seems to lead to another account's domain.
func foreignDomainIsRefused(t *testing.T, s *testServer, d driver) {
	for _, own := range []string{"", s.addr, "127.0.0.1", "localhost", "not a domain", "com"} {
		d.conceal(t.Context(), wish{secret: "x", shareDomain: own}).want(t, "conceal on "+own, outcomeOK)
	}
	got := d.conceal(t.Context(), wish{secret: "x", shareDomain: "bank.example.com"})
	if got.outcome == outcomeOK || !strings.Contains(got.text, "Domain not found bank.example.com") {
		t.Errorf("conceal on bank.example.com: got %s (%s), want Domain not found", got.outcome, got.text)
	}
}

func valueIsKeptToTheByte(t *testing.T, _ *testServer, d driver) {
	for _, value := range []string{
		" ", "\n", "a\r\nb\r\n", "\x00", "a;b&c=d%41+e", "<script>&amp;</script>", "👩‍💻 ﷽ \u2028\u2029", "\ufeffbom", "\ufffd",
		`{"secret":"x"}`, "null", "true", "0", strings.Repeat("\\\"", 500),
	} {
		kept := mustConceal(t, d, wish{secret: value})
		d.reveal(t.Context(), kept.secretKey, "").wantValue(t, fmt.Sprintf("reveal of %q", value), value)
	}
}

// A script runs wild. The 1,001st creation is refused, nothing that was kept
// suffers, and neighbours on other networks do not notice.
func rateLimitChangesNothing(t *testing.T, s *testServer, d driver) {
	network := networkOf(t, d)
	mine := driverNamed(t, newDrivers(t, s, http.Header{"X-Forwarded-For": {network + "1"}}), d.name())
	first := mustConceal(t, mine, wish{secret: "first"})
	var made atomic.Int64
	var wait sync.WaitGroup
	for range 32 {
		wait.Go(func() {
			for made.Add(1) < 1000 {
				mine.conceal(t.Context(), wish{secret: "x"}).want(t, "conceal in the budget", outcomeOK)
			}
		})
	}
	wait.Wait()
	// What took more than a second of the twenty minutes has grown back.
	var got answer
	for range 100 {
		if got = mine.conceal(t.Context(), wish{secret: "x"}); got.outcome == outcomeLimited {
			break
		}
	}
	got.want(t, "conceal above the budget", outcomeLimited)
	if got.retryAfter <= 0 || got.retryAfter > 20*time.Minute {
		t.Errorf("conceal above the budget: got %s to wait, want more than zero and at most 20m", got.retryAfter)
	}
	if !d.legacy() && got.refusal.GetReason().String() != "REASON_RATE_LIMITED" {
		t.Errorf("conceal above the budget: got %v, want REASON_RATE_LIMITED", got.refusal)
	}
	other := driverNamed(t, newDrivers(t, s, http.Header{"X-Forwarded-For": {network + "2"}}), d.name())
	mustConceal(t, other, wish{secret: "of a neighbour"})
	mine.metadata(t.Context(), first.metadataKey).want(t, "metadata of a limited network", outcomeOK)
	mine.reveal(t.Context(), first.secretKey, "").wantValue(t, "reveal of a limited network", "first")
}

// networkOf gives each protocol addresses of its own.
func networkOf(t *testing.T, d driver) string {
	t.Helper()
	for i, known := range []string{"v1", "v2", "connect-json", "connect-proto", "grpc", "grpc-web"} {
		if known == d.name() {
			return fmt.Sprintf("192.0.2.%d", i+1)
		}
	}
	t.Fatalf("networkOf(%s): got none, want one", d.name())
	return ""
}
