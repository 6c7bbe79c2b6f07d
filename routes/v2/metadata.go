package v2

import (
	"time"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

// metadataRecord is a receipt with all members that clients of any age read. Unset
// times are null, and the secret key and its links are empty once the secret is
// gone. Recipients depends on the vocabulary. What follows BurnURL are the later names of
// the members before it.
type metadataRecord struct {
	Identifier          string  `json:"identifier"`
	Key                 string  `json:"key"`
	Shortkey            string  `json:"shortkey"`
	Custid              string  `json:"custid"`
	State               string  `json:"state"`
	SecretKey           string  `json:"secret_key,omitempty"`
	SecretIdentifier    string  `json:"secret_identifier,omitempty"`
	SecretShortkey      string  `json:"secret_shortkey"`
	SecretState         *string `json:"secret_state"`
	SecretTTL           int64   `json:"secret_ttl"`
	MetadataTTL         int64   `json:"metadata_ttl"`
	Lifespan            int64   `json:"lifespan"`
	ShareDomain         string  `json:"share_domain"`
	Created             int64   `json:"created"`
	Updated             int64   `json:"updated"`
	Shared              *int64  `json:"shared"`
	Received            *int64  `json:"received"`
	Burned              *int64  `json:"burned"`
	Viewed              *int64  `json:"viewed"`
	Recipients          any     `json:"recipients"`
	ShowRecipients      bool    `json:"show_recipients"`
	Memo                string  `json:"memo"`
	HasPassphrase       bool    `json:"has_passphrase"`
	IsViewed            bool    `json:"is_viewed"`
	IsReceived          bool    `json:"is_received"`
	IsBurned            bool    `json:"is_burned"`
	IsDestroyed         bool    `json:"is_destroyed"`
	IsExpired           bool    `json:"is_expired"`
	IsOrphaned          bool    `json:"is_orphaned"`
	IsTruncated         bool    `json:"is_truncated"`
	CreatedDateUTC      string  `json:"created_date_utc"`
	ExpirationStamp     string  `json:"expiration_stamp"`
	NaturalExpiration   string  `json:"natural_expiration"`
	Expiration          int64   `json:"expiration"`
	ExpirationInSeconds int64   `json:"expiration_in_seconds"`
	SharePath           string  `json:"share_path"`
	BurnPath            string  `json:"burn_path"`
	MetadataPath        string  `json:"metadata_path"`
	ShareURL            string  `json:"share_url"`
	MetadataURL         string  `json:"metadata_url"`
	BurnURL             string  `json:"burn_url"`
	Shortid             string  `json:"shortid"`
	SecretShortid       string  `json:"secret_shortid"`
	OwnerID             *string `json:"owner_id"`
	Previewed           *int64  `json:"previewed"`
	Revealed            *int64  `json:"revealed"`
	IsPreviewed         bool    `json:"is_previewed"`
	IsRevealed          bool    `json:"is_revealed"`
	ReceiptTTL          int64   `json:"receipt_ttl"`
	ReceiptPath         string  `json:"receipt_path"`
	ReceiptURL          string  `json:"receipt_url"`
}

func newMetadataRecord(v vocabulary, l call.Links, m *hushv1.Metadata) metadataRecord {
	ttl := m.GetTtl().GetSeconds()
	lifetime := m.GetExpireTime().GetSeconds() - m.GetCreateTime().GetSeconds()
	record := metadataRecord{
		Identifier:          m.GetMetadataKey(),
		Key:                 m.GetMetadataKey(),
		Shortkey:            short(m.GetMetadataKey(), 8),
		Custid:              version.Custid(m.GetCustid()),
		SecretShortkey:      m.GetSecretShortkey(),
		SecretTTL:           ttl,
		MetadataTTL:         lifetime,
		Lifespan:            lifetime,
		ShareDomain:         m.GetShareDomain(),
		Created:             m.GetCreateTime().GetSeconds(),
		Updated:             m.GetUpdateTime().GetSeconds(),
		Received:            version.EpochOrNull(m.GetReceiveTime()),
		Burned:              version.EpochOrNull(m.GetBurnTime()),
		Viewed:              version.EpochOrNull(m.GetViewTime()),
		Recipients:          v.recipients(m.GetRecipients()),
		ShowRecipients:      len(m.GetRecipients()) > 0,
		Memo:                m.GetMemo(),
		CreatedDateUTC:      utcWords(m.GetCreateTime()),
		ExpirationStamp:     lifetimeWords(ttl),
		NaturalExpiration:   lifetimeWords(ttl),
		Expiration:          m.GetSecretExpireTime().GetSeconds(),
		ExpirationInSeconds: ttl,
	}
	record.setState(v, m)
	record.setLinks(l, m)
	record.setLaterNames(l, m)
	return record
}

func (r *metadataRecord) setState(v vocabulary, m *hushv1.Metadata) {
	state := m.GetState()
	r.State = v.state(state)
	r.IsViewed = state == hushv1.State_STATE_VIEWED
	r.IsReceived = state == hushv1.State_STATE_RECEIVED
	r.IsBurned = state == hushv1.State_STATE_BURNED
	r.IsDestroyed = r.IsReceived || r.IsBurned
	r.IsExpired = state == hushv1.State_STATE_EXPIRED
	if state == hushv1.State_STATE_NEW {
		r.Viewed = nil // this response is the first view
	}
	if version.Waits(state) {
		r.SecretState = new(r.State)
		r.HasPassphrase = m.GetHasPassphrase()
	}
}

func (r *metadataRecord) setLinks(l call.Links, m *hushv1.Metadata) {
	r.MetadataPath = "private/" + r.Key
	r.BurnPath = r.MetadataPath + "/burn"
	r.MetadataURL = l.Base() + "/" + r.MetadataPath
	r.BurnURL = l.Base() + "/" + r.BurnPath
	if !version.Waits(m.GetState()) || m.GetSecretKey() == "" {
		return
	}
	r.SecretKey, r.SecretIdentifier = m.GetSecretKey(), m.GetSecretKey()
	if !isEndToEnd(m) {
		r.SharePath = "secret/" + r.SecretKey
		r.ShareURL = l.Origin(m.GetShareDomain()) + "/" + r.SharePath
	}
}

// setLaterNames copies members to the names that later clients have for them.
func (r *metadataRecord) setLaterNames(l call.Links, m *hushv1.Metadata) {
	r.Shortid, r.SecretShortid = r.Shortkey, r.SecretShortkey
	r.OwnerID = textOrNull(m.GetCustid())
	r.Previewed, r.IsPreviewed = r.Viewed, r.IsViewed
	r.Revealed, r.IsRevealed = r.Received, r.IsReceived
	r.ReceiptTTL = r.MetadataTTL
	r.ReceiptPath = "receipt/" + r.Key
	r.ReceiptURL = l.Base() + "/" + r.ReceiptPath
}

// isEndToEnd reports whether the sender's device encrypted a receipt's secret. The
// service does not know the link of such a secret, so no response shows one.
func isEndToEnd(m *hushv1.Metadata) bool {
	return m.GetEncryption() == hushv1.Encryption_ENCRYPTION_END_TO_END
}

// withoutSecretKey returns the receipt for lists, which must not open secrets.
func (r metadataRecord) withoutSecretKey() metadataRecord {
	r.SecretKey, r.SecretIdentifier, r.SharePath, r.ShareURL = "", "", "", ""
	return r
}

// metadataDetails controls what pages about a receipt show or hide.
type metadataDetails struct {
	Type             string  `json:"type"`
	Title            string  `json:"title"`
	BodyClass        *string `json:"body_class"`
	DisplayLines     int     `json:"display_lines"`
	DisplayFeedback  bool    `json:"display_feedback"`
	NoCache          bool    `json:"no_cache"`
	SecretRealTTL    *int64  `json:"secret_realttl"`
	IsReceived       bool    `json:"is_received"`
	IsBurned         bool    `json:"is_burned"`
	IsDestroyed      bool    `json:"is_destroyed"`
	IsExpired        bool    `json:"is_expired"`
	IsOrphaned       bool    `json:"is_orphaned"`
	ReceivedDate     *string `json:"received_date"`
	ReceivedDateUTC  *string `json:"received_date_utc"`
	BurnedDate       *string `json:"burned_date"`
	BurnedDateUTC    *string `json:"burned_date_utc"`
	MaxViews         int     `json:"maxviews"`
	HasMaxViews      bool    `json:"has_maxviews"`
	ViewCount        int     `json:"view_count"`
	HasPassphrase    bool    `json:"has_passphrase"`
	CanDecrypt       bool    `json:"can_decrypt"`
	SecretValue      *string `json:"secret_value"`
	IsTruncated      bool    `json:"is_truncated"`
	ShowSecret       bool    `json:"show_secret"`
	ShowSecretLink   bool    `json:"show_secret_link"`
	ShowMetadataLink bool    `json:"show_metadata_link"`
	ShowMetadata     bool    `json:"show_metadata"`
	ShowRecipients   bool    `json:"show_recipients"`
	Memo             string  `json:"memo"`
	ShowReceiptLink  bool    `json:"show_receipt_link"`
	ShowReceipt      bool    `json:"show_receipt"`
}

func newMetadataDetails(m *hushv1.Metadata, now time.Time) metadataDetails {
	state := m.GetState()
	isNew := state == hushv1.State_STATE_NEW
	sent := len(m.GetRecipients()) > 0
	details := metadataDetails{
		Type:             "record",
		Title:            "You saved a secret",
		DisplayLines:     displayLines(""),
		NoCache:          true,
		IsReceived:       state == hushv1.State_STATE_RECEIVED,
		IsBurned:         state == hushv1.State_STATE_BURNED,
		IsExpired:        state == hushv1.State_STATE_EXPIRED,
		ShowSecret:       isNew,
		ShowSecretLink:   isNew && !sent && !isEndToEnd(m),
		ShowMetadataLink: isNew,
		ShowMetadata:     state != hushv1.State_STATE_VIEWED,
		Memo:             m.GetMemo(),
	}
	details.IsDestroyed = details.IsReceived || details.IsBurned
	details.ShowRecipients = details.ShowMetadata && sent
	details.ShowReceiptLink, details.ShowReceipt = details.ShowMetadataLink, details.ShowMetadata
	if version.Waits(state) {
		details.SecretRealTTL = version.SecondsOrNull(m.GetSecretTtlLeft())
		details.MaxViews = 1
		details.HasPassphrase = m.GetHasPassphrase()
		details.CanDecrypt = !details.HasPassphrase && !isEndToEnd(m)
	}
	if at := m.GetReceiveTime(); at != nil {
		details.ReceivedDate, details.ReceivedDateUTC = new(agoWords(at.AsTime(), now)), new(utcWords(at))
	}
	if at := m.GetBurnTime(); at != nil {
		details.BurnedDate, details.BurnedDateUTC = new(agoWords(at.AsTime(), now)), new(utcWords(at))
	}
	return details
}
