package v2

import (
	"strconv"
	"strings"
	"unicode/utf8"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

// v2Secret is the recipient's view. OriginalSize is text because clients expect
// text, and empty until the secret is revealed.
type v2Secret struct {
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

func newV2Secret(v vocabulary, l call.Links, s *hushv1.Secret) v2Secret {
	key := s.GetSecretKey()
	return v2Secret{
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
		Created:        version.Epoch(s.GetCreateTime()),
		Updated:        version.Epoch(s.GetCreateTime()),
		Expiration:     version.Epoch(s.GetExpireTime()),
		Shortid:        short(key, 8),
		IsPreviewed:    s.GetState() == hushv1.State_STATE_VIEWED,
		IsRevealed:     s.GetState() == hushv1.State_STATE_RECEIVED,
	}
}

type v2SecretDetails struct {
	Continue          bool `json:"continue"`
	IsOwner           bool `json:"is_owner"`
	ShowSecret        bool `json:"show_secret"`
	CorrectPassphrase bool `json:"correct_passphrase"`
	DisplayLines      int  `json:"display_lines"`
	OneLiner          bool `json:"one_liner"`
}

// v2GetSecret describes a secret. correct_passphrase means that none is needed;
// only the reveal checks a given one.
func (v vocabulary) v2GetSecret(req *call.Request, res *hushv1.GetSecretResponse) any {
	s := res.GetSecret()
	return envelope(req, newV2Secret(v, req.Links, s), notRevealed(s))
}

// notRevealed returns the details of an answer that describes a secret.
func notRevealed(s *hushv1.Secret) v2SecretDetails {
	return v2SecretDetails{
		IsOwner:           s.GetOwned(),
		CorrectPassphrase: !s.GetHasPassphrase(),
		DisplayLines:      displayLines(""),
	}
}

func (v vocabulary) v2Reveal(req *call.Request, res *hushv1.RevealSecretResponse) any {
	s, text := res.GetSecret(), res.GetValue()
	record := newV2Secret(v, req.Links, s)
	record.SecretValue = &text
	record.OriginalSize = strconv.Itoa(utf8.RuneCountInString(text))
	record.Updated = req.Now.Unix()
	return envelope(req, record, revealed(s, text))
}

// revealed returns the details of an answer that has a secret's text.
func revealed(s *hushv1.Secret, text string) v2SecretDetails {
	return v2SecretDetails{
		Continue:          true,
		IsOwner:           s.GetOwned(),
		ShowSecret:        true,
		CorrectPassphrase: true,
		DisplayLines:      displayLines(text),
		OneLiner:          !strings.Contains(text, "\n"),
	}
}

type v2UnknownStatus struct {
	State string `json:"state"`
}

type v2StatusDetails struct {
	RealTTL int64 `json:"realttl"`
}

func (v vocabulary) v2SecretStatus(req *call.Request, res *hushv1.GetSecretStatusResponse) any {
	status := res.GetStatus()
	if status.GetSecret() == nil {
		return envelope(req, v2UnknownStatus{State: version.StateWord(status.GetState())}, struct{}{})
	}
	s := status.GetSecret()
	return envelope(req, newV2Secret(v, req.Links, s), v2StatusDetails{RealTTL: s.GetTtlLeft().GetSeconds()})
}

// v2SecretStatuses leaves out unknown keys.
func (v vocabulary) v2SecretStatuses(req *call.Request, res *hushv1.ListSecretStatusResponse) any {
	records := make([]v2Secret, 0, len(res.GetStatuses()))
	for _, status := range res.GetStatuses() {
		if status.GetSecret() != nil {
			records = append(records, newV2Secret(v, req.Links, status.GetSecret()))
		}
	}
	return listing(req, records, struct{}{})
}
