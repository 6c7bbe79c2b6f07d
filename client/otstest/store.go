package otstest

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// store holds the secrets of a server, whose release says what becomes of them.
type store struct {
	options Options

	mu       sync.Mutex
	secrets  map[string]*secret // by key
	receipts map[string]*secret // by the key of the receipt
	order    []*secret
	guesses  map[string]int // wrong passphrases, by caller or secret
}

// secret is a secret with its receipt.
type secret struct {
	key, receiptKey, custid, text, passphrase string
	// size is how many characters the text had before it was cut.
	size int
	cut  bool
	// state is that of the receipt; isSeen is that of the secret, from 0.19.
	state              string
	isSeen, isGone     bool
	ttl                int64
	created, updated   time.Time
	viewed, ended      time.Time
	recipients, domain string
	allRecipients      []string
}

// exists reports whether a secret can still be revealed.
func (s *store) exists(held *secret) bool {
	return !held.isGone && s.options.Now().Before(held.created.Add(time.Duration(held.ttl)*time.Second))
}

// left returns the seconds until a time of the secret, which is a number of its
// lifetimes.
func (s *store) left(held *secret, lifetimes int64) int64 {
	end := held.created.Add(time.Duration(lifetimes*held.ttl) * time.Second)
	return max(int64(end.Sub(s.options.Now())/time.Second), 0)
}

// refused is an error of a form, or one of the server.
type refused struct {
	text string
	// kind is one of the kinds below.
	kind refusal
}

type refusal int

const (
	// inForm is an error in what was sent.
	inForm refusal = iota
	// inServer is a failure of the server.
	inServer
	// isUnknown is an unknown secret or receipt.
	isUnknown
	// isUnknownDomain is an unknown domain.
	isUnknownDomain
	// isLimited is a caller who called too often.
	isLimited
	// isUndone is a burn that was not carried out.
	isUndone
)

const (
	textUnknown    = "Unknown secret"
	textUnexpected = "An unexpected error occurred :["
	textPassphrase = "Double check that passphrase"
	textLimited    = "Cripes! You have been rate limited."
)

const week = 7 * 24 * 60 * 60

// conceal stores a secret. custid is empty for a caller without an account.
func (s *store) conceal(custid string, p params) (*secret, *refused) {
	text, isText := p.text("secret")
	switch {
	case !isText:
		return nil, &refused{textUnexpected, inServer}
	case text == "":
		return nil, &refused{"You did not provide anything to share", inForm}
	case s.options.Release.isNewest() && len(text) > 10_000:
		return nil, &refused{"Secret value exceeds the limit of 10000 bytes", inForm}
	}
	passphrase, _ := p.text("passphrase")
	if fault := s.checkPassphrase(passphrase); fault != nil {
		return nil, fault
	}
	recipients := mailable(p.list("recipient"))
	if len(recipients) > 0 && custid == "" {
		return nil, &refused{"An account is required to send emails.", inForm}
	}
	domain, _ := p.text("share_domain")
	if fault := s.checkDomain(custid, domain); fault != nil {
		return nil, fault
	}
	if s.options.DropPassphrase {
		passphrase = ""
	}
	now := s.options.Now()
	held := &secret{
		key: s.newKey(), receiptKey: s.newKey(), custid: custid, passphrase: passphrase, state: "new",
		ttl: s.ttl(custid, p), created: now, updated: now, domain: domain, allRecipients: recipients,
	}
	held.text, held.cut, held.size = s.cut(custid, text)
	if len(recipients) > 0 {
		held.recipients = obscure(recipients[0])
	}
	s.secrets[held.key], s.receipts[held.receiptKey] = held, held
	s.order = append(s.order, held)
	return held, nil
}

func (s *store) checkPassphrase(passphrase string) *refused {
	least := map[Release]int{Release02211: 8, Release0266: 4}[s.options.Release]
	if passphrase != "" && utf8.RuneCountInString(passphrase) < least {
		return &refused{fmt.Sprintf("Passphrase must be at least %d characters long", least), inForm}
	}
	return nil
}

func (s *store) checkDomain(custid, domain string) *refused {
	if domain == "" || custid != "" && slices.Contains(s.options.Domains, domain) {
		return nil
	}
	if s.options.Release.isREF() {
		return &refused{"Domain not found " + domain, isUnknownDomain}
	}
	return &refused{"Unknown domain: " + domain, inForm}
}

// ttl returns the lifetime that the server grants, as each release counts it.
func (s *store) ttl(custid string, p params) int64 {
	longest := int64(week)
	if custid != "" {
		longest = 2 * week
	}
	asked, isNumber := p.number("ttl")
	switch {
	case s.options.Release.isREF():
		if !isNumber || asked <= 0 {
			return longest
		}
		if asked < 60 {
			asked = 300
		}
	case !isNumber && !p.has("ttl"):
		asked = week
	case s.options.Release.isNewest():
		asked = max(asked, 60)
	default:
		asked = max(asked, 300)
	}
	return min(asked, longest)
}

// cut returns what the server keeps of a text.
func (s *store) cut(custid, text string) (kept string, isCut bool, size int) {
	size, most := utf8.RuneCountInString(text), s.options.TextMax
	if most == 0 && custid == "" {
		most = 100_000
	} else if most == 0 {
		most = 1_000_000
	}
	if s.options.Release == Release02211 {
		most += most / 10 // it draws the place of the cut, up to a fifth above the limit
	}
	if s.options.Release.isNewest() || size <= most {
		return text, false, size
	}
	return string([]rune(text)[:most]), true, size
}

// newKey returns a key as long as those of the release.
func (s *store) newKey() string {
	length := 31
	if s.options.Release.isNewest() {
		length = 63
	}
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	key := make([]byte, length)
	_, _ = rand.Read(key) // never fails
	for i := range key {
		key[i] = digits[int(key[i])%len(digits)]
	}
	return string(key)
}

// address is what counts as an address of a recipient: the last label has at most
// four letters. Others are left out without a word.
var address = regexp.MustCompile(`[\w.+-]+@[\w.-]+\.[A-Za-z]{2,4}\b`)

func mailable(recipients []string) []string {
	found := []string{}
	for _, recipient := range recipients {
		if match := address.FindString(recipient); match != "" && strings.HasSuffix(recipient, match) {
			found = append(found, match)
		}
	}
	return found
}

// obscure returns an address as receipts show it.
func obscure(recipient string) string {
	local, host, _ := strings.Cut(recipient, "@")
	label := host[strings.LastIndex(host, "."):]
	return local[:min(2, len(local))] + "*****@" + host[:1] + "*****" + label
}

// guess checks a passphrase. Wrong ones are counted: the oldest releases count them
// by caller, and the newest by secret.
func (s *store) guess(held *secret, passphrase string) *refused {
	if held.passphrase == "" || held.passphrase == passphrase {
		return nil
	}
	counter := ""
	if s.options.Release.isNewest() {
		counter = held.key
	}
	s.guesses[counter]++
	if s.guesses[counter] > 5 {
		return &refused{textLimited, isLimited}
	}
	return &refused{textPassphrase, inForm}
}

// reveal ends a secret and returns its text.
func (s *store) reveal(held *secret) string {
	held.isGone, held.state = true, "received"
	held.ended, held.updated = s.options.Now(), s.options.Now()
	return held.text
}

func (s *store) burn(held *secret) {
	held.isGone, held.state = true, "burned"
	held.ended, held.updated = s.options.Now(), s.options.Now()
}

// found returns a receipt as it is after someone fetched it, and whether this was
// the first time.
func (s *store) found(key string) (held *secret, isFirst bool) {
	held = s.receipts[key]
	if held == nil || s.left(held, 2) == 0 {
		return nil, false
	}
	if isFirst = held.state == "new"; isFirst {
		held.state, held.viewed = "viewed", s.options.Now()
	}
	if held.state == "viewed" && !s.exists(held) && !s.options.Release.isREF() {
		held.state = "expired"
	}
	return held, isFirst
}
