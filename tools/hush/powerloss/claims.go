package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"hush/vault/claim"
	"hush/vault/receipt"
)

// claimed is what callers were told of a claim on a secret, and when.
type claimed struct {
	lapses        time.Time // of a claim whose caller has said nothing more, at the earliest
	words         []word    // answers that said how long the claim lasts
	acknowledging int       // a request to end it was read
	acknowledged  int       // the answer to that began

	claimShare [shareSize]byte // found by look, if it was bound
}

// word is an answer that said when a claim lapses, at the earliest.
type word struct {
	line   int
	lapses time.Time
}

func unclaimed() claimed { return claimed{acknowledging: never, acknowledged: never} }

// claimLeft reads from an answer how long a claim lasts.
func claimLeft(body string) (time.Duration, error) {
	var told struct {
		Left string `json:"claimLeft"`
	}
	if err := json.Unmarshal([]byte(body), &told); err != nil {
		return 0, err
	}
	left, err := time.ParseDuration(told.Left)
	if err != nil || left <= 0 {
		return 0, fmt.Errorf("%w: a claim that lasts %q", errAnswer, told.Left)
	}
	return left, nil
}

// lapsesAt returns when the claim lapses at the earliest, by what was told before line.
func (k *claimed) lapsesAt(line int) time.Time {
	at := k.lapses
	for _, w := range k.words {
		if w.line < line && w.lapses.After(at) {
			at = w.lapses
		}
	}
	return at
}

// lapseTimes returns when the claim may have lapsed, by all that was told.
func (k *claimed) lapseTimes() (all []time.Time) {
	if !k.lapses.IsZero() {
		all = append(all, k.lapses)
	}
	for _, w := range k.words {
		all = append(all, w.lapses)
	}
	return all
}

// extended reports whether a claim was told, before line, to last much longer than at
// first, and has not ended.
func (h *history) extended(line int) bool {
	return slices.ContainsFunc(h.secrets, func(s *keptSecret) bool {
		longer := s.lapsesAt(line).Sub(s.lapses)
		return s.asked < line && s.acknowledging >= line && longer > claim.ExtendEvery-margin
	})
}

// judgeClaim returns what is wrong about a secret that was revealed with a claim, or
// nothing.
func (s *keptSecret) judgeClaim(o outcome, line int, now time.Time) string {
	asked, bound := s.asked < line, s.ended < line
	ending, ended := s.acknowledging < line, s.acknowledged < line
	lasts := asked && !ending && now.Before(s.lapsesAt(line).Add(-margin))
	switch {
	case o.opened && o.kept:
		return "it opened for two callers"
	case o.after:
		return "its claim was acknowledged, and opened again"
	case ended && o.kept:
		return "its claim had been acknowledged, and opened"
	case ended && o.claim.raw:
		return "its claim had been acknowledged, and the share of the claim is on the disk"
	case ending && !o.kept && o.claim.left:
		return "its claim has ended, and the share of the claim is on the disk after the start"
	case o.kept && o.claim.last:
		return "the share of its claim is on the disk after that was acknowledged"
	case lasts && bound && !o.kept:
		return "it was bound to a claim, for which it does not open"
	case lasts && !o.kept && !o.opened:
		return "it was asked for with a claim, and opens for no caller"
	case ended && o.outcome != receipt.OutcomeDelivered:
		return fmt.Sprintf("its claim had been acknowledged, and its receipt says %v", o.outcome)
	case lasts && bound && o.outcome != receipt.OutcomeAwaited:
		return fmt.Sprintf("it is bound to a claim, and its receipt says %v", o.outcome)
	default:
		return ""
	}
}
