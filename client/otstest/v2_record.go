package otstest

import "time"

// shapes are the records of v2. The types of their members depend on the release, and
// on whether a record was just created or comes from the store.
type shapes struct{ *store }

// number returns a number as a release writes it: one of a stored record is a text.
func (s shapes) number(n int64, isStored bool) any {
	if isStored && !s.options.Release.isNewest() {
		return itoa(n)
	}
	return n
}

// word returns a state in the words of the release.
func (s shapes) word(state string) string {
	newest := map[string]string{"viewed": "previewed", "received": "revealed"}
	if word, ok := newest[state]; ok && s.options.Release.isNewest() {
		return word
	}
	return state
}

// stamp returns a time as a release writes it; null for none.
func (s shapes) stamp(at time.Time, isStored bool) any {
	switch {
	case at.IsZero():
		return nil
	case s.options.Release.isNewest():
		return float64(at.Unix()) + 0.25
	default:
		return s.number(at.Unix(), isStored)
	}
}

// lifetime returns a lifetime as a release writes it: the oldest has a fraction.
func (s shapes) lifetime(seconds int64, isStored bool) any {
	switch {
	case s.options.Release.isREF() && isStored:
		return itoa(seconds) + ".0"
	case s.options.Release.isREF():
		return fraction(seconds)
	default:
		return s.number(seconds, isStored)
	}
}

// fraction is a number that is written with a fraction.
type fraction int64

// MarshalJSON implements json.Marshaler.
func (f fraction) MarshalJSON() ([]byte, error) {
	return []byte(itoa(int64(f)) + ".0"), nil
}

// record is a receipt as lists and the answers of actions have it. One that was
// just created has other types than one from the store.
func (s shapes) record(held *secret, isStored bool) object {
	custid := held.custid
	if custid == "" {
		custid = "anon"
	}
	record := object{
		"key": held.receiptKey, "custid": custid, "state": s.word(held.state), "secret_shortkey": held.key[:6],
		"secret_ttl": s.lifetime(held.ttl, isStored), "share_domain": s.optional(held.domain, isStored),
		"created": s.stamp(held.created, isStored), "updated": s.stamp(held.updated, isStored),
		"recipients": s.optional(held.recipients, isStored), "shortkey": held.receiptKey[:8], "show_recipients": held.recipients != "",
		"is_received": held.state == "received", "is_burned": held.state == "burned",
		"is_destroyed": held.state == "received" || held.state == "burned", "is_truncated": false,
	}
	if s.options.Release.isREF() {
		return record
	}
	record = record.with(object{
		"identifier": held.receiptKey, "metadata_ttl": s.number(2*held.ttl, isStored), "lifespan": s.number(2*held.ttl, isStored),
		"shared": nil, "received": nil, "burned": nil, "viewed": s.stamp(held.viewed, isStored),
		"is_viewed": held.state == "viewed", "is_expired": held.state == "expired", "is_orphaned": false,
	})
	switch held.state {
	case "received":
		record["received"] = s.stamp(held.ended, isStored)
	case "burned":
		record["burned"] = s.stamp(held.ended, isStored)
	}
	if s.options.Release == Release02211 || s.options.Release.isNewest() {
		record = record.with(object{"memo": nil, "has_passphrase": held.passphrase != ""})
	}
	return record
}

// optional returns a text that may be empty.
func (s shapes) optional(text string, isStored bool) any {
	if text == "" && !isStored {
		return nil
	}
	return text
}

// secret is a secret, from 0.19.
func (s shapes) secret(held *secret, isStored bool) object {
	state := "new"
	if held.isSeen {
		state = "viewed"
	}
	record := object{
		"identifier": held.key, "key": held.key, "state": s.word(state), "secret_ttl": s.number(held.ttl, isStored),
		"lifespan": s.number(held.ttl, isStored), "shortkey": held.key[:8], "has_passphrase": held.passphrase != "",
		"verification": false, "is_truncated": held.cut, "created": s.stamp(held.created, isStored), "updated": s.stamp(held.updated, isStored),
	}
	switch s.options.Release {
	case Release0205:
		record["original_size"] = s.number(int64(held.size), isStored)
	case Release02211:
		record["is_truncated"] = false // the answer to a share does not say; see opened
	case Release0266:
		delete(record, "key")
	default:
	}
	return record
}

// alone is a receipt that was asked for, from 0.19.
func (s shapes) alone(held *secret, isFirst bool, call *request) object {
	base := "http://" + call.http.Host
	record := s.record(held, true).with(object{
		"secret_state": nil, "natural_expiration": "60 minutes", "expiration": held.created.Unix() + held.ttl,
		"expiration_in_seconds": s.number(held.ttl, true), "metadata_path": "private/" + held.receiptKey,
		"metadata_url": base + "/private/" + held.receiptKey, "burn_url": base + "/private/" + held.receiptKey + "/burn",
	})
	if s.exists(held) {
		record["secret_state"] = s.word("new")
		if isFirst && held.passphrase == "" {
			record["secret_key"] = held.key
			record["share_url"] = base + "/secret/" + held.key
		}
	}
	return record
}

// aloneREF is a receipt that was asked for, in the oldest release. It says nothing
// of its state, and has times as texts.
func (s shapes) aloneREF(held *secret, call *request) object {
	base := "http://" + call.http.Host
	record := object{
		"key": held.receiptKey, "shortkey": held.receiptKey[:6], "secret_key": held.key, "secret_shortkey": held.key[:6],
		"recipients": held.recipients, "created_date_utc": utc(held.created), "expiration_stamp": itoa(held.ttl/60) + " minutes",
		"share_path": "secret/" + held.key, "burn_path": "private/" + held.receiptKey + "/burn", "metadata_path": "private/" + held.receiptKey,
		"share_url": base + "/secret/" + held.key, "share_domain": base,
	}
	if held.domain != "" {
		record["share_domain"] = "https://" + held.domain
	}
	if held.isGone {
		record["secret_key"] = ""
	}
	return record
}

// utc formats a time as pages do.
func utc(at time.Time) string { return at.UTC().Format("2006-01-02@15:04:05 UTC") }

// details have the text of the secret: in the older releases each time, later the
// first time, and not at all in the newest.
func (s shapes) details(held *secret, isFirst bool) object {
	exists := s.exists(held)
	details := object{
		"type": "record", "no_cache": true, "secret_value": nil, "is_truncated": nil, "has_passphrase": nil, "can_decrypt": nil,
		"show_secret": isFirst, "display_lines": 4,
	}
	if exists {
		details = details.with(object{
			"has_passphrase": held.passphrase != "", "can_decrypt": held.passphrase == "", "is_truncated": held.cut,
			"secret_realttl": s.left(held, 1),
		})
	}
	if exists && held.passphrase == "" && s.leaks(isFirst) {
		details["secret_value"] = held.text
	}
	if !s.options.Release.isREF() {
		return details
	}
	details = details.with(object{
		"title": "You saved a secret", "is_received": nil, "is_burned": nil, "is_destroyed": nil, "received_date_utc": nil, "burned_date_utc": nil,
	})
	if !exists {
		epoch := utc(time.Unix(0, 0))
		details = details.with(object{
			"is_received": held.state == "received", "is_burned": held.state == "burned",
			"is_destroyed": held.state == "received" || held.state == "burned", "received_date_utc": epoch, "burned_date_utc": epoch,
		})
	}
	switch held.state {
	case "received":
		details["received_date_utc"] = utc(held.ended)
	case "burned":
		details["burned_date_utc"] = utc(held.ended)
	}
	return details
}

// leaks reports whether a receipt has the text of its secret.
func (s shapes) leaks(isFirst bool) bool {
	switch s.options.Release {
	case Release0266:
		return false
	case Release02211:
		return isFirst
	default:
		return true
	}
}
