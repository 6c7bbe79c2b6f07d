package main

import (
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"
)

// member is a name in the responses of a version with its types in JSON, as in
// integer|null.
type member struct{ name, types string }

// describeMembers adds descriptions to the members of a schema and of the
// objects in it.
func describeMembers(schema *yaml.Node, texts map[member]string) {
	for _, p := range pairs(at(schema, "properties")) {
		if text := texts[member{p.name, typesOf(p.value)}]; text != "" {
			set(p.value, "description", text)
		}
		describeMembers(p.value, texts)
	}
	if items := at(schema, "items"); items != nil {
		describeMembers(items, texts)
	}
}

func typesOf(schema *yaml.Node) string {
	types := at(schema, "type")
	if types == nil {
		return ""
	}
	var all []string
	for _, one := range types.Content {
		all = append(all, one.Value)
	}
	return types.Value + strings.Join(all, "|")
}

// memberTexts returns what members of the responses of a version mean, where
// the name does not say it all.
func memberTexts(version string) map[member]string {
	switch version {
	case "V1":
		return v1Texts()
	case "V2":
		return v2Texts()
	default:
		return v3Texts()
	}
}

const (
	stateText       = "`new`, `viewed` (the receipt was opened), `received` (the secret was revealed), `burned` or `expired`."
	laterStateText  = "`new`, `previewed` (the receipt was opened), `revealed`, `burned` or `expired`."
	custidText      = "The account's e-mail address, or `anon`."
	createdText     = "Time of creation, in seconds since 1970."
	secretValueText = "The text of the secret, only where this response reveals or generates it."
	updatedText     = "Time of the last change, in seconds since 1970."
)

func v1Texts() map[member]string {
	return map[member]string{
		{"created", "integer"}:             createdText,
		{"custid", "string"}:               custidText,
		{"has_passphrase", "boolean"}:      "The same as `passphrase_required`.",
		{"identifier", "string"}:           "The same as `metadata_key`.",
		{"locale", "string"}:               "The caller's language, as in `en` or `pt_BR`.",
		{"metadata_key", "string"}:         "The key of the receipt.",
		{"metadata_ttl", "integer"}:        "Seconds until the receipt expires.",
		{"metadata_url", "string"}:         "The page of the receipt.",
		{"passphrase_required", "boolean"}: "Whether the secret has a passphrase. Omitted once the secret is gone.",
		{"received", "integer"}:            "Time of the reveal, in seconds since 1970. Omitted in other states.",
		{"receipt_ttl", "integer"}:         "The same as `metadata_ttl`.",
		{"receipt_url", "string"}:          "The page of the receipt, by its later name.",
		{"recipient", "array"}:             "The recipients' addresses, obscured.",
		{"recipients", "array"}:            "The same as `recipient`.",
		{"secret_identifier", "string"}:    "The same as `secret_key`.",
		{"secret_value", "string"}:         "The same as `value`.",
		{"secret_key", "string"}:           "The key of the secret. Omitted in lists, and once the secret is gone.",
		{"secret_shortkey", "string"}:      "The first 6 characters of the secret's key.",
		{"secret_ttl", "integer"}:          "Seconds until the secret expires. Omitted once the secret is gone.",
		{"state", "string"}:                stateText,
		{"status", "string"}:               "`nominal` while the service is up.",
		{"ttl", "integer"}:                 "The secret's lifetime as granted, in seconds.",
		{"updated", "integer"}:             updatedText,
		{"value", "string"}:                "The text of the secret.",
	}
}

func v2Texts() map[member]string {
	return map[member]string{
		{"apitoken", "string"}:               "The API token.",
		{"burn_url", "string"}:               "The page that burns the secret.",
		{"burned", "integer|null"}:           "When it was burned, in seconds since 1970; null if it was not.",
		{"correct_passphrase", "boolean"}:    "Whether a reveal needs no passphrase, or has just succeeded.",
		{"count", "integer"}:                 "The number of records.",
		{"created", "integer"}:               createdText,
		{"custid", "string"}:                 custidText,
		{"domainid", "string"}:               "The id of the domain, which paths take in place of its name.",
		{"expiration", "integer"}:            "When the secret expires, in seconds since 1970.",
		{"expiration_in_seconds", "integer"}: "The secret's lifetime as granted, in seconds.",
		{"has_passphrase", "boolean"}:        "Whether a passphrase is needed; false once the secret is gone.",
		{"identifier", "string"}:             "The same as the record's key, id or address.",
		{"is_destroyed", "boolean"}:          "Whether the secret was revealed or burned.",
		{"is_owner", "boolean"}:              "Whether the caller's account created the secret.",
		{"lifespan", "integer"}:              "The lifetime as granted, in seconds.",
		{"memo", "string"}:                   "The sender's note.",
		{"metadata_ttl", "integer"}:          "The receipt's lifetime, in seconds.",
		{"metadata_url", "string"}:           "The page of the receipt.",
		{"original_size", "string"}:          "The number of characters, once revealed; empty before.",
		{"realttl", "integer"}:               "Seconds until the secret expires.",
		{"received", "integer|null"}:         "When it was revealed, in seconds since 1970; null if it was not.",
		{"recipient", "array"}:               "The recipients' addresses, obscured.",
		{"recipients", ""}:                   "The recipients' addresses, obscured: a text with commas between them; below `guest` and `receipt` a list, or null for none.",
		{"owner_id", "string|null"}:          "The account's e-mail address; null if no account created the secret.",
		{"previewed", "integer|null"}:        "The same as `viewed`.",
		{"is_previewed", "boolean"}:          "The same as `is_viewed` of a receipt; false of a secret.",
		{"receipt_ttl", "integer"}:           "The same as `metadata_ttl`.",
		{"receipt_url", "string"}:            "The page of the receipt, by its later name.",
		{"revealed", "integer|null"}:         "The same as `received`.",
		{"secret_shortid", "string"}:         "The same as `secret_shortkey`.",
		{"shortid", "string"}:                "The same as `shortkey`.",
		{"show_receipt", "boolean"}:          "The same as `show_metadata`.",
		{"show_receipt_link", "boolean"}:     "The same as `show_metadata_link`.",
		{"secret_identifier", "string"}:      "The same as `secret_key`.",
		{"secret_key", "string"}:             "The key of the secret. Omitted in lists of receipts, and once the secret is gone.",
		{"secret_realttl", "integer|null"}:   "Seconds until the secret expires; null once it is gone.",
		{"secret_shortkey", "string"}:        "The first 6 characters of the secret's key.",
		{"secret_state", "string|null"}:      "The state of the secret; null once it is gone.",
		{"secret_ttl", "integer"}:            "The secret's lifetime as granted, in seconds.",
		{"secret_value", "string"}:           secretValueText,
		{"secret_value", "string|null"}:      secretValueText,
		{"share_url", "string"}:              "The link to the secret; empty in lists, and once the secret is gone.",
		{"shortkey", "string"}:               "The first 8 characters of the key.",
		{"shrimp", "string"}:                 "The session's CSRF token; random for callers without a session.",
		{"state", "string"}:                  stateText + " Below `guest` and `receipt` the words are `previewed` and `revealed`.",
		{"txt_validation_host", "string"}:    "The name of the TXT record that verifies the domain, below its base domain.",
		{"txt_validation_value", "string"}:   "The value of that TXT record.",
		{"updated", "integer"}:               updatedText,
		{"viewed", "integer|null"}:           "When the receipt was first opened, in seconds since 1970; null if it was not.",
	}
}

// v3Texts describes what version 3 has under names of its own, and what it shares with
// version 2.
func v3Texts() map[member]string {
	texts := v2Texts()
	maps.Copy(texts, map[member]string{
		{"has_passphrase", "boolean|null"}:   "Whether a passphrase is needed; null once the secret is gone.",
		{"is_destroyed", "boolean"}:          "Whether the secret was revealed or burned, or has expired.",
		{"is_previewed", "boolean"}:          "Whether the receipt was opened and the secret still waits; false of a secret.",
		{"memo", "string|null"}:              "The sender's note.",
		{"previewed", "integer|null"}:        "When the receipt was first opened, in seconds since 1970; null if it was not.",
		{"receipt_ttl", "integer"}:           "The receipt's lifetime, in seconds.",
		{"receipt_url", "string"}:            "The page of the receipt.",
		{"recipients", "array|null"}:         "The recipients' addresses, obscured; null for none.",
		{"revealed", "integer|null"}:         "When the secret was revealed, in seconds since 1970; null if it was not.",
		{"secret_identifier", "string|null"}: "The key of the secret; null in lists of an account, and once the secret is gone.",
		{"secret_shortid", "string"}:         "The first 6 characters of the secret's key.",
		{"share_domain", "string|null"}:      "The custom domain of the secret's link; null for the service's own host.",
		{"share_url", "string|null"}:         "The link to the secret; null once the secret is gone.",
		{"shortid", "string"}:                "The first 8 characters of the key.",
		{"show_receipt", "boolean"}:          "Whether a page shows the receipt.",
		{"show_receipt_link", "boolean"}:     "Whether a page shows the receipt's link: in the first answer only.",
		{"state", "string"}:                  laterStateText,
	})
	return texts
}
