package main

import (
	"fmt"
	"time"

	"hush/vault/receipt"
)

// margin is how far the clock of the record and that of the server may lie
// apart when a secret expires.
const margin = time.Second

// judge compares what a state showed with what callers had been told before
// line. now is the time at which the power failed.
func judge(v view, secrets []*keptSecret, line int, now time.Time) (broken []string) {
	if v.fault != "" {
		return []string{"the start failed: " + v.fault}
	}
	for i, s := range secrets {
		if wrong := s.judge(v.outcomes[i], line, now); wrong != "" {
			broken = append(broken, fmt.Sprintf("%s: %s", s.Text, wrong))
		}
	}
	return broken
}

// judge returns what is wrong about one secret, or nothing.
func (s *keptSecret) judge(o outcome, line int, now time.Time) string {
	expired := !s.expires.IsZero() && now.After(s.expires.Add(margin))
	expiring := !s.expires.IsZero() && now.After(s.expires.Add(-margin))
	told, asked, ended := s.concealed < line, s.asked < line, s.ended < line
	switch {
	case o.fault != "":
		return o.fault
	case o.again:
		return "it opened twice"
	case o.opened && o.own.last:
		return "its share is on the disk after it was opened"
	case ended && o.opened:
		return "it was shown or burned, and opened again"
	case ended && o.own.raw:
		return "it was shown or burned, and its share is on the disk"
	case expired && o.opened:
		return "it had expired, and opened"
	case (ended || expired || asked && !o.opened) && o.own.left:
		return "it has ended, and its share is on the disk after the start"
	case told && !asked && !expiring && !o.opened:
		return "it was acknowledged, and is lost"
	}
	if s.Claim != nil {
		if wrong := s.judgeClaim(o, line, now); wrong != "" {
			return wrong
		}
	}
	// The receipt outlives the secret by the secret's lifetime.
	forgotten := !s.expires.IsZero() && now.After(s.expires.Add(s.TTL-margin))
	return s.judgeReceipt(o, told && !forgotten, ended)
}

// judgeReceipt compares the receipt's state, which was read before the secret
// was opened.
func (s *keptSecret) judgeReceipt(o outcome, told, ended bool) string {
	want := receipt.StateReceived
	if s.burned {
		want = receipt.StateBurned
	}
	switch {
	case told && o.state == receipt.StateNone:
		return "its receipt is lost"
	case ended && o.state != want:
		return fmt.Sprintf("its receipt says %v, not %v", o.state, want)
	case o.opened && !o.state.Live():
		return fmt.Sprintf("it opened while its receipt said %v", o.state)
	default:
		return ""
	}
}
