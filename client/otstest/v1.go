package otstest

import (
	"net/http"
	"slices"
	"strconv"
)

// version1 serves v1.
type version1 struct{ *store }

// routes are the paths of v1. A GET of a secret is not among them.
func (s version1) routes() *http.ServeMux {
	mux := http.NewServeMux()
	handle := func(pattern string, needsAccount bool, serve func(http.ResponseWriter, *request)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, needsAccount, serve) })
	}
	handle("GET /api/v1/status", false, s.status)
	handle("GET /api/v1/authcheck", true, s.status)
	handle("POST /api/v1/share", false, s.share)
	handle("POST /api/v1/secret/{key}", false, s.open)
	for _, name := range s.options.Release.receiptNames() {
		handle("GET /api/v1/"+name+"/recent", true, s.recent)
		handle("GET /api/v1/"+name+"/{key}", false, s.receipt)
		handle("POST /api/v1/"+name+"/{key}", false, s.receipt)
	}
	handle("POST /api/v1/private/{key}/burn", false, s.end)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusNotFound, object{"error": "Not Found"})
	})
	return mux
}

// receiptNames are the words for receipts in paths.
func (r Release) receiptNames() []string {
	names := []string{"private", "metadata", "receipt"}
	if r.isREF() || r == Release0205 {
		return names[:2]
	}
	return names
}

func (s version1) serve(w http.ResponseWriter, r *http.Request, needsAccount bool, serve func(http.ResponseWriter, *request)) {
	call := &request{http: r, caller: s.caller(r), key: r.PathValue("key")}
	if call.caller.isWrong || needsAccount && call.caller.custid == "" {
		s.fail(w, object{"message": "Not authorized"}, http.StatusUnauthorized)
		return
	}
	if s.options.Release.isNewest() && call.key != "" && len(call.key) < 20 {
		write(w, http.StatusNotFound, object{"error": "Not Found"})
		return
	}
	var err error
	if call.params, err = readParams(r, s.options.Release.isNewest()); err != nil {
		s.fail(w, object{"message": textUnexpected}, http.StatusBadRequest)
		return
	}
	serve(w, call)
}

// fail writes an error. The newest release says what the status means.
func (s version1) fail(w http.ResponseWriter, body object, meant int) {
	if s.options.Release.isNewest() {
		w.Header().Set("X-OTS-Intended-Status", strconv.Itoa(meant))
		delete(body, "shrimp")
	}
	write(w, http.StatusNotFound, body)
}

func (s version1) refuse(w http.ResponseWriter, fault *refused) {
	switch {
	case fault.kind == inForm:
		s.fail(w, object{"shrimp": "shrimp", "message": fault.text}, http.StatusBadRequest)
	case fault.kind == isLimited && s.options.Release.isNewest():
		s.fail(w, object{"message": "Rate limit exceeded. Please try again later."}, http.StatusBadRequest)
	default:
		s.fail(w, object{"message": fault.text}, http.StatusBadRequest)
	}
}

func (s version1) unknown(w http.ResponseWriter, key string) {
	write(w, http.StatusNotFound, object{"secret_key": key, "message": textUnknown})
}

func (s version1) status(w http.ResponseWriter, _ *request) {
	write(w, http.StatusOK, object{"status": "nominal", "locale": "en"})
}

// record is a receipt, as it is in lists.
func (s version1) record(held *secret) object {
	custid, recipients := held.custid, []string{}
	if custid == "" {
		custid = "anon"
	}
	if held.recipients != "" {
		recipients = append(recipients, held.recipients)
	}
	record := object{
		"custid": custid, "metadata_key": held.receiptKey, "ttl": held.ttl, "metadata_ttl": s.left(held, 2), "secret_ttl": nil,
		"state": held.state, "updated": held.updated.Unix(), "created": held.created.Unix(), "recipient": recipients,
		"share_domain": held.domain,
	}
	if held.state == "received" {
		delete(record, "secret_ttl")
		record["received"] = held.ended.Unix()
	}
	if s.options.Release.isNewest() {
		record = record.with(object{"identifier": held.receiptKey, "recipients": recipients, "receipt_ttl": record["metadata_ttl"]})
	}
	return record
}

// whole is a receipt, as it is alone.
func (s version1) whole(held *secret) object {
	record := s.record(held)
	switch held.state {
	case "received":
	case "burned", "expired":
		record["secret_key"] = ""
	default:
		record["secret_key"] = held.key
		if s.exists(held) {
			record = record.with(object{"secret_ttl": s.left(held, 1), "passphrase_required": held.passphrase != ""})
		}
	}
	return record
}

func (s version1) share(w http.ResponseWriter, call *request) {
	held, fault := s.conceal(call.caller.custid, call.params)
	if fault != nil {
		s.refuse(w, fault)
		return
	}
	write(w, http.StatusOK, s.whole(held))
}

// open has one answer for a secret that is gone and for a wrong passphrase.
func (s version1) open(w http.ResponseWriter, call *request) {
	held := s.secrets[call.key]
	passphrase, _ := call.params.text("passphrase")
	if held == nil || !s.exists(held) {
		s.unknown(w, call.key)
		return
	}
	if fault := s.guess(held, passphrase); fault != nil {
		if fault.kind == isLimited {
			s.refuse(w, fault)
			return
		}
		s.unknown(w, call.key)
		return
	}
	text := s.reveal(held)
	write(w, http.StatusOK, object{"value": text, "secret_key": call.key, "share_domain": "http://" + call.http.Host})
}

// receipt has the text of the secret the first time.
func (s version1) receipt(w http.ResponseWriter, call *request) {
	held, isFirst := s.found(call.key)
	if held == nil {
		s.unknown(w, call.key)
		return
	}
	record := s.whole(held)
	if isFirst && held.passphrase == "" && s.exists(held) {
		record["value"] = held.text
	}
	write(w, http.StatusOK, record)
}

func (s version1) recent(w http.ResponseWriter, call *request) {
	records := []object{}
	for _, held := range slices.Backward(s.order) {
		if held.custid == call.caller.custid && s.left(held, 2) > 0 {
			records = append(records, s.record(held))
		}
	}
	write(w, http.StatusOK, records)
}

// end describes the secret as it was before.
func (s version1) end(w http.ResponseWriter, call *request) {
	held := s.receipts[call.key]
	if held == nil || !s.exists(held) {
		s.unknown(w, call.key)
		return
	}
	if passphrase, _ := call.params.text("passphrase"); held.passphrase != "" && passphrase != held.passphrase {
		text := textPassphrase
		if s.options.Release == Release02211 {
			text = "Incorrect passphrase"
		}
		s.refuse(w, &refused{text, inForm})
		return
	}
	stale := s.whole(held)
	stale["secret_ttl"] = nil
	delete(stale, "passphrase_required")
	s.burn(held)
	write(w, http.StatusOK, object{"state": stale, "secret_shortkey": held.key[:6]})
}
