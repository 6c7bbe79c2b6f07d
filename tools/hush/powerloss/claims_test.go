package main

import (
	"strings"
	"testing"
	"time"

	"hush/vault/claim"
)

// A claim is asked for, extended and acknowledged: the record says when, and when it
// lapses at the earliest.
func TestClaimsAreRead(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 31)
	socket := "9<" + quoted("socket:[1]") + ">"
	var lines []string
	say := func(at, method, more, answer string) {
		request := "POST /hush.v1.SecretService/" + method + " HTTP/1.1\r\nHost: x\r\n\r\n" + `{"secretKey":"` + key + `","claim":"AA=="` + more + "}"
		lines = append(lines,
			`7  `+at+`.000000 read(`+socket+`, "`+quoted(request)+`", 4096) = 99`,
			`7  `+at+`.100000 write(`+socket+`, "`+quoted("HTTP/1.1 200 OK\r\n\r\n"+answer)+`", 99) = 99`)
	}
	say("1000", pathClaim, "", `{"value":"x","claimLeft":"120s"}`)
	say("1010", pathClaim, `,"keepClaim":true`, `{"claimLeft":"110s"}`)
	say("1040", pathClaim, "", `{"value":"x","claimLeft":"119.500s"}`)
	say("1050", pathAcknowledge, "", `{}`)
	tr := newTracer()
	if err := tr.read(strings.NewReader(strings.Join(lines, "\n") + "\n")); err != nil {
		t.Fatalf("read(record): got %v, want nil", err)
	}
	h := newHistory([]kept{{Key: key, Claim: []byte{0}}})
	s := h.secrets[0]
	s.concealed = 0
	if err := h.read(tr.calls); err != nil {
		t.Fatalf("read(calls): got %v, want nil", err)
	}
	if got, want := [4]int{s.asked, s.ended, s.acknowledging, s.acknowledged}, [4]int{0, 1, 6, 7}; got != want {
		t.Errorf("asked, ended, acknowledging, acknowledged: got lines %v, want %v", got, want)
	}
	for line, want := range map[int]time.Duration{1: claim.Lifetime, 4: claim.Lifetime, 6: 159500 * time.Millisecond} {
		if got := s.lapsesAt(line).Sub(time.Unix(1000, 0)); got != want {
			t.Errorf("lapsesAt(%d): got %v after the claim, want %v", line, got, want)
		}
	}
	for line, want := range map[int]bool{2: false, 4: false, 6: true, 7: false} {
		if got := h.extended(line); got != want {
			t.Errorf("extended(%d): got %v, want %v", line, got, want)
		}
	}
}

// What a start shows of a secret with a claim is held against what its callers knew.
func TestJudgeClaim(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	s := &keptSecret{kept: kept{Text: "x", Claim: []byte{0}}, concealed: 1, asked: 3, ended: 5, claimed: claimed{
		lapses: start.Add(claim.Lifetime), words: []word{{5, start.Add(claim.Lifetime)}}, acknowledging: 7, acknowledged: 9,
	}}
	const waits, bound, gone = "waits", "bound", "gone"
	outcomes := map[string]outcome{
		waits: {opened: true, state: 2, outcome: 0},
		bound: {kept: true, state: 3, outcome: 1},
		gone:  {state: 3, outcome: 2},
	}
	for _, c := range []struct {
		line  int
		shown string
		want  string
	}{
		{2, waits, ""},
		{2, bound, "it was acknowledged, and is lost"},
		{4, waits, ""},
		{4, bound, ""},
		{4, gone, "opens for no caller"},
		{6, waits, "shown or burned, and opened again"},
		{6, bound, ""},
		{6, gone, "bound to a claim, for which it does not open"},
		{8, bound, ""},
		{8, gone, ""},
		{10, bound, "had been acknowledged, and opened"},
		{10, gone, ""},
	} {
		got := s.judge(outcomes[c.shown], c.line, start)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("judge(%s, line %d): got %q, want %q", c.shown, c.line, got, c.want)
		}
	}
	for name, o := range map[string]outcome{
		"it opened for two callers":                 {opened: true, kept: true, state: 2},
		"acknowledged, and opened again":            {kept: true, after: true, state: 3, outcome: 1},
		"on the disk after that was acknowledged":   {kept: true, claim: traces{last: true}, state: 3, outcome: 1},
		"it is bound to a claim, and its receipt":   {kept: true, state: 3, outcome: 2},
		"its share is on the disk after the start":  {kept: true, own: traces{left: true}, state: 3, outcome: 1},
		"it was bound to a claim, for which it doe": {state: 3, outcome: 3},
	} {
		line := 6
		if o.opened || o.own.left {
			line = 4
		}
		if got := s.judge(o, line, start); !strings.Contains(got, name) {
			t.Errorf("judge(%+v): got %q, want %q", o, got, name)
		}
	}
	if got := s.judge(outcomes[gone], 6, start.Add(claim.Lifetime)); got != "" {
		t.Errorf("judge(a claim that lapsed): got %q, want nothing", got)
	}
	if got := s.judge(outcome{state: 3, outcome: 2, claim: traces{raw: true}}, 10, start); !strings.Contains(got, "share of the claim") {
		t.Errorf("judge(the share of an acknowledged claim): got %q, want it noted", got)
	}
}
