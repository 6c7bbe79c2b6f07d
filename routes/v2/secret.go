package v2

import (
	"strconv"
	"strings"
	"unicode/utf8"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

// secretRecord is the recipient's view. OriginalSize is text because clients expect
// text, and empty until the secret is revealed.
type secretRecord struct {
	Identifier     string  `json:"identifier"`
	Key            string  `json:"key"`
	SecretKey      string  `json:"secret_key"`
	Shortkey       string  `json:"shortkey"`
	SecretShortkey string  `json:"secret_shortkey"`
	State          string  `json:"state"`
	SecretTTL      int64   `json:"secret_ttl"`
	Lifespan       int64   `json:"lifespan"`
	OriginalSize   string  `json:"original_size"`
	HasPassphrase  bool    `json:"has_passphrase"`
	Verification   bool    `json:"verification"`
	IsTruncated    bool    `json:"is_truncated"`
	IsOwner        bool    `json:"is_owner"`
	ShareDomain    string  `json:"share_domain"`
	Created        int64   `json:"created"`
	Updated        int64   `json:"updated"`
	Expiration     int64   `json:"expiration"`
	SecretValue    *string `json:"secret_value,omitempty"`
	Shortid        string  `json:"shortid"`
	IsPreviewed    bool    `json:"is_previewed"`
	IsRevealed     bool    `json:"is_revealed"`
}

func newSecretRecord(v vocabulary, l call.Links, s *hushv1.Secret) secretRecord {
	key := s.GetSecretKey()
	return secretRecord{
		Identifier:     key,
		Key:            key,
		SecretKey:      key,
		Shortkey:       short(key, 8),
		SecretShortkey: short(key, 6),
		State:          v.state(s.GetState()),
		SecretTTL:      s.GetTtl().GetSeconds(),
		Lifespan:       s.GetTtl().GetSeconds(),
		HasPassphrase:  s.GetHasPassphrase(),
		Verification:   s.GetVerification(),
		IsOwner:        s.GetOwned(),
		ShareDomain:    l.Origin(s.GetShareDomain()),
		Created:        s.GetCreateTime().GetSeconds(),
		Updated:        s.GetCreateTime().GetSeconds(),
		Expiration:     s.GetExpireTime().GetSeconds(),
		Shortid:        short(key, 8),
		IsPreviewed:    s.GetState() == hushv1.State_STATE_VIEWED,
		IsRevealed:     s.GetState() == hushv1.State_STATE_RECEIVED,
	}
}

type secretDetails struct {
	Continue          bool `json:"continue"`
	IsOwner           bool `json:"is_owner"`
	ShowSecret        bool `json:"show_secret"`
	CorrectPassphrase bool `json:"correct_passphrase"`
	DisplayLines      int  `json:"display_lines"`
	OneLiner          bool `json:"one_liner"`
}

// encodeGetSecret describes a secret. correct_passphrase means that none is needed;
// only the reveal checks a given one.
func (v vocabulary) encodeGetSecret(req *call.Request, res *hushv1.GetSecretResponse) any {
	s := res.GetSecret()
	return newEnvelope(req, newSecretRecord(v, req.Links, s), notRevealed(s))
}

// notRevealed returns the details of an answer that describes a secret.
func notRevealed(s *hushv1.Secret) secretDetails {
	return secretDetails{
		IsOwner:           s.GetOwned(),
		CorrectPassphrase: !s.GetHasPassphrase(),
		DisplayLines:      displayLines(""),
	}
}

func (v vocabulary) encodeReveal(req *call.Request, res *hushv1.RevealSecretResponse) any {
	s, text := res.GetSecret(), res.GetValue()
	record := newSecretRecord(v, req.Links, s)
	record.SecretValue = &text
	record.OriginalSize = strconv.Itoa(utf8.RuneCountInString(text))
	record.Updated = req.Now.Unix()
	return newEnvelope(req, record, revealed(s, text))
}

// revealed returns the details of an answer that has a secret's text.
func revealed(s *hushv1.Secret, text string) secretDetails {
	return secretDetails{
		Continue:          true,
		IsOwner:           s.GetOwned(),
		ShowSecret:        true,
		CorrectPassphrase: true,
		DisplayLines:      displayLines(text),
		OneLiner:          !strings.Contains(text, "\n"),
	}
}

type unknownStatus struct {
	State string `json:"state"`
}

type statusDetails struct {
	RealTTL int64 `json:"realttl"`
}

func (v vocabulary) encodeSecretStatus(req *call.Request, res *hushv1.GetSecretStatusResponse) any {
	status := res.GetStatus()
	if status.GetSecret() == nil {
		return newEnvelope(req, unknownStatus{State: version.StateWord(status.GetState())}, struct{}{})
	}
	s := status.GetSecret()
	return newEnvelope(req, newSecretRecord(v, req.Links, s), statusDetails{RealTTL: s.GetTtlLeft().GetSeconds()})
}

// encodeSecretStatuses leaves out unknown keys.
func (v vocabulary) encodeSecretStatuses(req *call.Request, res *hushv1.ListSecretStatusResponse) any {
	records := make([]secretRecord, 0, len(res.GetStatuses()))
	for _, status := range res.GetStatuses() {
		if status.GetSecret() != nil {
			records = append(records, newSecretRecord(v, req.Links, status.GetSecret()))
		}
	}
	return newListEnvelope(req, records, struct{}{})
}
