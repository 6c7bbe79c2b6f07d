package people

import (
	"time"

	"hush/client"
)

// receiptJSON is a receipt as programs read it. Its names are stable; a time that is
// unknown is null.
type receiptJSON struct {
	// Receipt is the key of the receipt, and only "hush list" prints it.
	Receipt       string      `json:"receipt,omitempty"`
	ShortID       string      `json:"short_id"`
	State         string      `json:"state"`
	Delivery      string      `json:"delivery"`
	Final         bool        `json:"final"`
	HasPassphrase bool        `json:"has_passphrase"`
	LockedForGood bool        `json:"locked_for_good"`
	Encryption    string      `json:"encryption"`
	Label         string      `json:"label"`
	Recipients    []string    `json:"recipients"`
	Domain        string      `json:"domain"`
	TTL           int64       `json:"ttl"`
	Created       *time.Time  `json:"created"`
	Expires       *time.Time  `json:"expires"`
	Ended         *time.Time  `json:"ended"`
	Events        []eventJSON `json:"events"`
	Mails         []mailJSON  `json:"mails"`
	File          *fileJSON   `json:"file,omitempty"`
}

// fileJSON is how far a file is. Its numbers are those of what is encrypted.
type fileJSON struct {
	Size     int64 `json:"size"`
	Parts    int   `json:"parts"`
	Arrived  int   `json:"arrived"`
	Fetched  int   `json:"fetched"`
	Complete bool  `json:"complete"`
}

type eventJSON struct {
	Kind    string     `json:"kind"`
	Time    *time.Time `json:"time"`
	Network string     `json:"network"`
	Count   int        `json:"count"`
}

type mailJSON struct {
	Recipient string `json:"recipient"`
	State     string `json:"state"`
}

func newReceiptJSON(r client.Receipt) receiptJSON {
	object := receiptJSON{
		ShortID: r.ShortID, State: r.State.String(), Delivery: r.Delivery.String(), Final: r.IsFinal(),
		HasPassphrase: r.HasPassphrase, LockedForGood: r.LockedForGood, Encryption: encryptionJSON(r.Encryption),
		Label: r.Label, Recipients: append([]string{}, r.Recipients...), Domain: r.Domain, TTL: int64(r.TTL / time.Second),
		Created: timeJSON(r.Created), Expires: timeJSON(r.Expires), Ended: timeJSON(r.Ended),
		Events: make([]eventJSON, len(r.Events)), Mails: make([]mailJSON, len(r.Mails)),
	}
	if f := r.File; f != nil {
		object.File = &fileJSON{Size: f.Size, Parts: f.Parts, Arrived: f.Arrived, Fetched: f.Fetched, Complete: f.Complete}
	}
	for i, e := range r.Events {
		object.Events[i] = eventJSON{Kind: e.Kind, Time: timeJSON(e.Time), Network: e.Network, Count: e.Count}
	}
	for i, m := range r.Mails {
		object.Mails[i] = mailJSON{Recipient: m.Recipient, State: m.State}
	}
	return object
}

// encryptionJSON is "unknown" where the server does not say.
func encryptionJSON(e client.Encryption) string {
	if e == client.EncryptionDefault {
		return "unknown"
	}
	return e.String()
}

func timeJSON(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}
