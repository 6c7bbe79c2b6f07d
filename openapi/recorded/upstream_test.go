package recorded_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"hush/openapi/recorded"
)

// The members of upstream's version 3, as its own pages validate them: the types that a
// member may have, and a question mark for one that may be absent. A list has the type
// of its items behind it. For texts that are words, words has them.
const (
	receiptMembers = `identifier string; key string; shortid string; state receipt-state; owner_id string|null?
		created number; updated number; shared number|null; previewed number|null; revealed number|null; burned number|null
		secret_ttl number; receipt_ttl number; lifespan number; secret_shortid string?; secret_identifier string|null?
		recipients addresses|null; recipient_name string|null?; share_domain string|null?; has_passphrase boolean|null
		is_previewed boolean; is_revealed boolean; is_burned boolean; is_destroyed boolean; is_expired boolean; is_orphaned boolean
		memo string|null?; kind kind|null?; source source|null?`
	wholeReceiptMembers = receiptMembers + `; secret_state secret-state|null?; natural_expiration string; expiration number|null
		expiration_in_seconds number; burn_path string; receipt_path string; receipt_url string; burn_url string
		share_path string|null; share_url string|null`
	receiptDetailsMembers = `type record; display_lines number; no_cache boolean; secret_realttl number|null?; view_count number|null?
		first_access number|null?; last_access number|null?; has_passphrase boolean|null; can_decrypt boolean|null
		secret_value string|null?; show_secret boolean; show_secret_link boolean; show_receipt_link boolean; show_receipt boolean
		show_recipients boolean; is_orphaned boolean|null?; is_expired boolean|null?`
	listedReceiptMembers = receiptMembers + `; show_recipients boolean`
	listDetailsMembers   = `type string; scope string|null?; scope_label string|null?; since number; now number; has_items boolean
		revealed_receipts list?; pending_receipts list?`
	secretMembers = `identifier string; key string; shortid string; state secret-state; has_passphrase boolean; verification boolean
		is_previewed boolean; is_revealed boolean; secret_value string?`
	wholeSecretMembers   = secretMembers + `; secret_ttl number; lifespan number; created number; updated number`
	secretDetailsMembers = `continue boolean; is_owner boolean; show_secret boolean; correct_passphrase boolean; display_lines number
		one_liner boolean|null`
	statusMembers  = `status string; locale string`
	versionMembers = `version list; locale string`
	localesMembers = `locales list; default_locale string; locale string`
)

// words are the texts that a member of a type may have.
func words(kind string) []string {
	return map[string][]string{
		"receipt-state": {"new", "shared", "previewed", "revealed", "burned", "expired", "orphaned"},
		"secret-state":  {"new", "previewed", "revealed", "burned"},
		"kind":          {"generate", "conceal", ""},
		"source":        {"standard", "incoming"},
		"record":        {"record"},
	}[kind]
}

// isLater reports whether a path of version 2 came with the vocabulary of version 3.
func isLater(path string) bool {
	return strings.HasPrefix(path, "/api/v2/guest/") || strings.HasPrefix(path, "/api/v2/receipt/")
}

// Recorded answers of version 3 have upstream's members, with its types and nulls, and no
// others. Those of version 2 that came with its vocabulary have them among others.
func TestAnswersHaveUpstreamsMembers(t *testing.T) {
	t.Parallel()
	all, err := recorded.Read(os.DirFS("../.."))
	if err != nil {
		t.Fatalf("Read(): got error %v", err)
	}
	met := map[string]int{}
	for _, e := range all {
		isV3 := strings.HasPrefix(e.Path(), "/api/v3/")
		if e.Method == http.MethodOptions || e.Status != http.StatusOK || !e.Answer.HoldsJSON() || !isV3 && !isLater(e.Path()) {
			continue
		}
		var answer map[string]any
		if err := json.Unmarshal([]byte(e.Answer.Body), &answer); err != nil {
			t.Errorf("%s %s: got %v, want an object", e.Method, e.Target, err)
			continue
		}
		c := &members{t: t, about: e.Method + " " + e.Target, isExact: isV3}
		met[c.answer(e, answer)]++
	}
	for _, form := range []string{"receipt", "receipts", "secret", "secrets", "created", "status", "version", "locales"} {
		if met[form] == 0 {
			t.Errorf("got no answer of the form %s, want every form recorded", form)
		}
	}
}

// members compares objects of one answer.
type members struct {
	t       *testing.T
	about   string
	isExact bool
}

// answer checks an answer by the path that it is for, and returns the name of its form.
func (c *members) answer(e recorded.Exchange, answer map[string]any) string {
	path, record := e.Path(), objectIn(answer, "record")
	switch last := path[strings.LastIndex(path, "/")+1:]; {
	case path == "/api/v3/status":
		c.check("answer", answer, statusMembers)
		return "status"
	case last == "version":
		c.check("answer", answer, versionMembers)
		return "version"
	case last == "supported-locales":
		c.check("answer", answer, localesMembers)
		return "locales"
	case last == "feedback":
		return "feedback"
	case last == "conceal", last == "generate":
		c.check("record.receipt", objectIn(record, "receipt"), receiptMembers)
		c.check("record.secret", objectIn(record, "secret"), wholeSecretMembers)
		c.check("record", record, `receipt object; secret object; share_domain string|null`)
		return "created"
	case last == "recent", last == "receipts":
		for _, one := range listIn(answer, "records") {
			c.check("records", one, listedReceiptMembers)
		}
		details := objectIn(answer, "details")
		c.check("details", details, listDetailsMembers)
		for _, one := range slices.Concat(listIn(details, "revealed_receipts"), listIn(details, "pending_receipts")) {
			c.check("details", one, listedReceiptMembers)
		}
		return "receipts"
	case strings.Contains(path, "/secret/") && answer["records"] != nil:
		for _, one := range listIn(answer, "records") {
			c.check("records", one, secretMembers)
		}
		return "secrets"
	case strings.Contains(path, "/secret/"):
		c.secret(last, record, objectIn(answer, "details"))
		return "secret"
	default:
		c.check("record", record, wholeReceiptMembers)
		c.check("details", objectIn(answer, "details"), receiptDetailsMembers)
		return "receipt"
	}
}

// secret checks the answer about one secret. Of an unknown one, a status has only that
// it is so.
func (c *members) secret(last string, record, details map[string]any) {
	if last == "status" && record["state"] == "unknown" {
		return
	}
	c.check("record", record, wholeSecretMembers)
	if last != "status" {
		c.check("details", details, secretDetailsMembers)
	}
}

func (c *members) check(where string, got map[string]any, want string) {
	c.t.Helper()
	known := map[string]bool{}
	for _, member := range strings.FieldsFunc(want, func(r rune) bool { return r == ';' || r == '\n' }) {
		name, types, _ := strings.Cut(strings.TrimSpace(member), " ")
		known[name] = true
		value, isThere := got[name]
		switch {
		case !isThere && strings.HasSuffix(types, "?"):
		case !isThere:
			c.t.Errorf("%s: got no %s.%s, want %s", c.about, where, name, types)
		case !fits(value, strings.TrimSuffix(types, "?")):
			c.t.Errorf("%s: got %s.%s %v, want %s", c.about, where, name, value, types)
		}
	}
	if !c.isExact {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !known[name] {
			c.t.Errorf("%s: got %s.%s, want only what upstream has", c.about, where, name)
		}
	}
}

// fits reports whether a value has one of the types.
func fits(value any, types string) bool {
	return slices.ContainsFunc(strings.Split(types, "|"), func(kind string) bool {
		switch value := value.(type) {
		case nil:
			return kind == "null"
		case bool:
			return kind == "boolean"
		case float64:
			return kind == "number"
		case string:
			return kind == "string" || slices.Contains(words(kind), value)
		case map[string]any:
			return kind == "object"
		case []any:
			isAddress := func(item any) bool { text, isText := item.(string); return isText && text != "" }
			return kind == "list" || kind == "addresses" && len(value) > 0 && !slices.ContainsFunc(value, func(item any) bool { return !isAddress(item) })
		default:
			return false
		}
	})
}

func objectIn(value map[string]any, name string) map[string]any {
	found, _ := value[name].(map[string]any)
	return found
}

func listIn(value map[string]any, name string) []map[string]any {
	list, _ := value[name].([]any)
	var all []map[string]any
	for _, item := range list {
		one, _ := item.(map[string]any)
		all = append(all, one)
	}
	return all
}
