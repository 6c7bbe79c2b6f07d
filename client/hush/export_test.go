package hush

import (
	"crypto/sha256"
	"time"
	"unicode/utf8"

	"hush/client/attempt"
	"hush/seal/endtoend"
)

// ClaimsOf lets a test choose how long a claim lasts at most.
func (h *Client) ClaimsOf(last time.Duration) { h.claimTime = last }

// Cheapen lets a test share and open with passphrases that cost nothing. What it shares
// opens only with another cheap client.
func (h *Client) Cheapen() {
	h.derive = func(secret endtoend.LinkSecret, passphrase string) (endtoend.Keys, error) {
		if !utf8.ValidString(passphrase) {
			return endtoend.Keys{}, endtoend.ErrPassphrase
		}
		var p [sha256.Size]byte
		if passphrase != "" {
			p = sha256.Sum256([]byte(passphrase))
		}
		return endtoend.DeriveStretched(secret, p), nil
	}
}

// Hurry lets a test wait less: for the first repeat of a call, and for a message of a
// stream.
func (h *Client) Hurry(first, silence time.Duration) {
	h.repeats.Pace, h.silence = attempt.Pace{First: first, Longest: 20 * first}, silence
}

// Late lets a test set this device's clock forward.
func (h *Client) Late(by time.Duration) { h.now = func() time.Time { return time.Now().Add(by) } }
