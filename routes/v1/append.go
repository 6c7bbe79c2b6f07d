package v1

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// smallAnswer has room for most receipts, and for an opened secret besides its
// value.
const smallAnswer = 896

func (a revealAnswer) AppendJSON(b []byte) []byte {
	b = appendText(append(slices.Grow(b, len(a.Value)+smallAnswer), `{"value":`...), a.Value)
	b = appendText(append(b, `,"secret_key":`...), a.SecretKey)
	b = appendText(append(b, `,"share_domain":`...), a.ShareDomain)
	return append(b, '}')
}

func (a receiptAnswer) AppendJSON(b []byte) []byte {
	b = appendText(append(slices.Grow(b, smallAnswer), `{"custid":`...), a.Custid)
	b = appendText(append(b, `,"metadata_key":`...), a.MetadataKey)
	if a.SecretKey != "" {
		b = appendText(append(b, `,"secret_key":`...), a.SecretKey)
	}
	b = strconv.AppendInt(append(b, `,"ttl":`...), a.TTL, 10)
	b = strconv.AppendInt(append(b, `,"metadata_ttl":`...), a.MetadataTTL, 10)
	if a.SecretTTL != nil {
		b = strconv.AppendInt(append(b, `,"secret_ttl":`...), *a.SecretTTL, 10)
	}
	b = appendText(append(b, `,"state":`...), a.State)
	b = strconv.AppendInt(append(b, `,"updated":`...), a.Updated, 10)
	b = strconv.AppendInt(append(b, `,"created":`...), a.Created, 10)
	if a.Received != nil {
		b = strconv.AppendInt(append(b, `,"received":`...), *a.Received, 10)
	}
	b = appendTexts(append(b, `,"recipient":`...), a.Recipient)
	b = appendText(append(b, `,"share_domain":`...), a.ShareDomain)
	if a.Value != nil {
		b = appendText(append(b, `,"value":`...), *a.Value)
	}
	if a.PassphraseRequired != nil {
		b = strconv.AppendBool(append(b, `,"passphrase_required":`...), *a.PassphraseRequired)
	}
	b = appendText(append(b, `,"metadata_url":`...), a.MetadataURL)
	b = appendText(append(b, `,"receipt_url":`...), a.ReceiptURL)
	b = appendText(append(b, `,"identifier":`...), a.Identifier)
	if a.SecretIdentifier != "" {
		b = appendText(append(b, `,"secret_identifier":`...), a.SecretIdentifier)
	}
	b = strconv.AppendInt(append(b, `,"receipt_ttl":`...), a.ReceiptTTL, 10)
	b = appendTexts(append(b, `,"recipients":`...), a.Recipients)
	if a.SecretValue != nil {
		b = appendText(append(b, `,"secret_value":`...), *a.SecretValue)
	}
	if a.HasPassphrase != nil {
		b = strconv.AppendBool(append(b, `,"has_passphrase":`...), *a.HasPassphrase)
	}
	return append(b, '}')
}

func appendTexts(b []byte, texts []string) []byte {
	if texts == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, text := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, text)
	}
	return append(b, ']')
}

// appendText appends a text in quotes. Invalid UTF-8 is replaced, and the two
// line separators of Unicode, which scripts once could not have in a text, are
// escaped.
func appendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done := 0
	for i := 0; i < len(text); {
		c := text[i]
		if ' ' <= c && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		size := 1
		var escape string
		switch c {
		case '"', '\\':
			escape = `\` + text[i:i+1]
		case '\b':
			escape = `\b`
		case '\f':
			escape = `\f`
		case '\n':
			escape = `\n`
		case '\r':
			escape = `\r`
		case '\t':
			escape = `\t`
		default:
			if c < ' ' {
				escape = `\u00` + hex[c>>4:c>>4+1] + hex[c&15:c&15+1]
				break
			}
			escape, size = escapeRune(text[i:])
		}
		if escape != "" {
			b = append(append(b, text[done:i]...), escape...)
			done = i + size
		}
		i += size
	}
	return append(append(b, text[done:]...), '"')
}

// escapeRune returns the escape of the character at the beginning of a text, or
// nothing for one that stays, and its size.
func escapeRune(text string) (escape string, size int) {
	switch char, size := utf8.DecodeRuneInString(text); {
	case char == utf8.RuneError && size == 1:
		return `\ufffd`, size
	case char == '\u2028':
		return `\u2028`, size
	case char == '\u2029':
		return `\u2029`, size
	default:
		return "", size
	}
}
