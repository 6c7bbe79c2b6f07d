package onetime

import (
	"cmp"
	"net/url"
	"time"

	"hush/client"
)

// v2Record is a receipt, of any release. It leaves out the text of the secret, which
// some releases add.
type v2Record struct {
	Key        jsonString `json:"key"`
	Identifier jsonString `json:"identifier"`
	SecretKey  jsonString `json:"secret_key"`
	// State is empty in the oldest release where it returns one receipt.
	State         jsonString `json:"state"`
	SecretTTL     jsonNumber `json:"secret_ttl"`
	Created       jsonNumber `json:"created"`
	CreatedUTC    jsonTime   `json:"created_date_utc"`
	Received      jsonNumber `json:"received"`
	Revealed      jsonNumber `json:"revealed"`
	Burned        jsonNumber `json:"burned"`
	Updated       jsonNumber `json:"updated"`
	Recipients    jsonList   `json:"recipients"`
	ShareDomain   jsonString `json:"share_domain"`
	Memo          jsonString `json:"memo"`
	HasPassphrase *jsonBool  `json:"has_passphrase"`
}

func (r v2Record) key() string { return string(cmp.Or(r.Key, r.Identifier)) }

// state returns what became of the secret. Some releases leave an expired one in the
// state that it had.
func (r v2Record) state(now time.Time) client.State {
	state := stateOf(r.State)
	if state == client.StateWaiting && r.Created > 0 && r.SecretTTL > 0 && !now.Before(r.Created.time().Add(r.SecretTTL.duration())) {
		return client.StateExpired
	}
	return state
}

// receipt returns the receipt at the server's time.
func (r v2Record) receipt(now time.Time) client.Receipt {
	receipt := client.Receipt{
		Key: client.Hide(r.key()), ShortID: client.ShortID(r.key()), State: r.state(now), Encryption: client.EncryptionServer,
		HasPassphrase: isTrue(r.HasPassphrase), Label: client.Plain(string(r.Memo)), Recipients: r.Recipients,
		Domain: bareHost(r.ShareDomain), TTL: r.SecretTTL.duration(), Created: r.Created.time(),
	}
	if receipt.Created.IsZero() {
		receipt.Created = time.Time(r.CreatedUTC)
	}
	if !receipt.Created.IsZero() && receipt.TTL > 0 {
		receipt.Expires = receipt.Created.Add(receipt.TTL)
	}
	receipt.HasPassphrase = receipt.HasPassphrase && receipt.State == client.StateWaiting
	switch receipt.State {
	case client.StateOpened:
		receipt.Ended = cmp.Or(r.Received, r.Revealed, r.Updated).time()
	case client.StateBurned:
		receipt.Ended = cmp.Or(r.Burned, r.Updated).time()
	case client.StateExpired:
		receipt.Ended = receipt.Expires
	default:
	}
	return receipt
}

// bareHost returns the host of a domain that the oldest release writes as the URL of
// its pages.
func bareHost(domain jsonString) string {
	text := string(domain)
	if at, err := url.Parse(text); err == nil && at.Host != "" {
		text = at.Host
	}
	return client.Plain(text)
}

// v2Found is the answer with one receipt.
type v2Found struct {
	Record  v2Record
	Details v2Details
}

// v2Details are where the oldest release has what became of a secret: in flags that
// are null while it waits. They have the text of the secret too, which is left out.
type v2Details struct {
	IsReceived    *jsonBool `json:"is_received"`
	IsBurned      *jsonBool `json:"is_burned"`
	IsDestroyed   *jsonBool `json:"is_destroyed"`
	ReceivedUTC   jsonTime  `json:"received_date_utc"`
	BurnedUTC     jsonTime  `json:"burned_date_utc"`
	HasPassphrase *jsonBool `json:"has_passphrase"`
	IsTruncated   *jsonBool `json:"is_truncated"`
}

// receipt returns the receipt at the server's time.
func (f v2Found) receipt(now time.Time) client.Receipt {
	receipt := f.Record.receipt(now)
	if f.Record.HasPassphrase == nil { // not known of a secret that is gone
		receipt.HasPassphrase = isTrue(f.Details.HasPassphrase)
	}
	if f.Record.State != "" {
		return receipt
	}
	switch d := f.Details; {
	case d.IsDestroyed == nil && d.IsReceived == nil && d.IsBurned == nil:
		receipt.State = client.StateWaiting
	case isTrue(d.IsReceived):
		receipt.State, receipt.Ended = client.StateOpened, time.Time(d.ReceivedUTC)
	case isTrue(d.IsBurned):
		receipt.State, receipt.Ended = client.StateBurned, time.Time(d.BurnedUTC)
	default:
		receipt.State = client.StateExpired
	}
	return receipt
}

// v2Concealed is the answer to a request to share. Later releases call a receipt so.
type v2Concealed struct {
	Record struct {
		Metadata *v2Record
		Receipt  *v2Record
		Secret   struct {
			Key           jsonString `json:"key"`
			Identifier    jsonString `json:"identifier"`
			HasPassphrase *jsonBool  `json:"has_passphrase"`
			IsTruncated   *jsonBool  `json:"is_truncated"`
		}
		ShareDomain jsonString `json:"share_domain"`
	}
}

// created returns what was created. It has just begun to wait, whatever the clocks of
// the server and of a gateway say.
func (c v2Concealed) created() created {
	record := cmp.Or(c.Record.Metadata, c.Record.Receipt, &v2Record{})
	secret := c.Record.Secret
	made := created{
		key: string(cmp.Or(secret.Key, secret.Identifier)), receiptKey: record.key(), receipt: record.receipt(time.Time{}),
		hasPassphrase: cmp.Or(secret.HasPassphrase, record.HasPassphrase), isTruncated: secret.IsTruncated,
		domain: string(cmp.Or(c.Record.ShareDomain, record.ShareDomain)),
	}
	made.receipt.HasPassphrase = isTrue(made.hasPassphrase)
	return made
}

// v2Burned is the answer to a burn: a receipt, or one inside.
type v2Burned struct {
	Record struct {
		v2Record

		Metadata *v2Record
		Receipt  *v2Record
	}
}

func (b v2Burned) record() v2Record {
	return *cmp.Or(b.Record.Metadata, b.Record.Receipt, &b.Record.v2Record)
}

// v2Looked is the answer that describes a secret.
type v2Looked struct {
	Record struct {
		HasPassphrase *jsonBool  `json:"has_passphrase"`
		Created       jsonNumber `json:"created"`
		Lifespan      jsonNumber `json:"lifespan"`
		SecretTTL     jsonNumber `json:"secret_ttl"`
		Expiration    jsonNumber `json:"expiration"`
	}
}

// expires returns when the secret expires; the zero time where the server does not
// say.
func (l v2Looked) expires() time.Time {
	record := l.Record
	if lifetime := cmp.Or(record.Lifespan, record.SecretTTL); record.Expiration <= 0 && record.Created > 0 && lifetime > 0 {
		return record.Created.time().Add(lifetime.duration())
	}
	return record.Expiration.time()
}
