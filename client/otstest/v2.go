package otstest

import (
	"errors"
	"net/http"
)

// access is who may call.
type access int

const (
	// public: everyone, and credentials are not looked at.
	public access = iota
	// guests: everyone, where routes of guests are not switched off.
	guests
	// accounts: callers with an account.
	accounts
)

// version2 serves v2.
type version2 struct{ shapes }

// routes are the paths of v2.
func (s version2) routes() *http.ServeMux {
	mux := http.NewServeMux()
	handle := func(pattern string, who access, serve func(http.ResponseWriter, *request)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, who, serve) })
	}
	version, reveal := public, "POST /api/v2/secret/{key}/reveal"
	if s.options.Release.isNewest() {
		version = accounts
	} else {
		handle("GET /api/v2/authcheck", accounts, s.authcheck)
	}
	if s.options.Release.isREF() {
		reveal = "POST /api/v2/secret/{key}"
	}
	handle("GET /api/v2/status", public, s.status)
	handle("GET /api/v2/version", version, s.version)
	handle("GET /api/v2/supported-locales", public, s.locales)
	handle("POST /api/v2/secret/conceal", guests, s.share)
	handle("GET /api/v2/secret/{key}", guests, s.look)
	handle(reveal, guests, s.open)
	for _, name := range s.options.Release.receiptNames() {
		if name == "metadata" {
			continue
		}
		handle("GET /api/v2/"+name+"/recent", accounts, s.recent)
		handle("GET /api/v2/"+name+"/{key}", guests, s.receipt)
		handle("POST /api/v2/"+name+"/{key}/burn", guests, s.end)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusNotFound, object{"message": "Not Found"})
	})
	return mux
}

func (s version2) serve(w http.ResponseWriter, r *http.Request, who access, serve func(http.ResponseWriter, *request)) {
	call := &request{http: r, key: r.PathValue("key")}
	if who != public {
		call.caller = s.caller(r)
	}
	if call.caller.isWrong || who == accounts && call.caller.custid == "" {
		s.unauthorized(w)
		return
	}
	if who == guests && s.options.NoGuests && s.options.Release.isNewest() && call.caller.custid == "" {
		write(w, http.StatusForbidden, object{"error": "Guest access is disabled", "error_type": "GuestRoutesDisabled", "code": "GUEST_ROUTES_DISABLED"})
		return
	}
	var err error
	if call.params, err = readParams(r, r.Method == http.MethodPost); err != nil {
		if errors.Is(err, errJSON) {
			write(w, http.StatusBadRequest, object{"error": "Failed to parse body as JSON"})
			return
		}
		s.refuse(w, call, &refused{textUnexpected, inServer})
		return
	}
	serve(w, call)
}

func (s version2) unauthorized(w http.ResponseWriter) {
	if s.options.Release.isNewest() {
		write(w, http.StatusUnauthorized, object{"error": "Not authorized", "error_type": "Unauthorized"})
		return
	}
	write(w, http.StatusForbidden, object{"message": "Not authorized"})
}

// refuse writes an error with the status that the release has for it.
func (s version2) refuse(w http.ResponseWriter, call *request, fault *refused) {
	if s.options.Release.isNewest() {
		s.refuseNewest(w, fault)
		return
	}
	form, failure := http.StatusUnprocessableEntity, http.StatusInternalServerError
	body := object{"message": fault.text, "success": false}
	if s.options.Release.isREF() {
		form, failure = http.StatusBadRequest, http.StatusBadRequest
	} else {
		body["shrimp"] = "shrimp"
	}
	switch fault.kind {
	case inForm:
		body["shrimp"] = "shrimp"
		write(w, form, body)
	case isUnknown:
		write(w, http.StatusNotFound, object{"secret_key": call.key, "message": textUnknown})
	case isUnknownDomain:
		write(w, http.StatusNotFound, object{"message": fault.text})
	case isLimited:
		write(w, http.StatusTooManyRequests, object{"message": fault.text, "success": false})
	default: // inServer, isUndone
		write(w, failure, body)
	}
}

func (s version2) refuseNewest(w http.ResponseWriter, fault *refused) {
	switch fault.kind {
	case isUnknown:
		write(w, http.StatusNotFound, object{"error": "Secret not found", "error_type": "RecordNotFound", "request_id": "1"})
	case isLimited:
		write(w, http.StatusTooManyRequests, object{
			"error": "Too many attempts", "error_type": "LimitExceeded", "retry_after": 1800, "attempts": 6, "max_attempts": 5,
		})
	case inServer:
		write(w, http.StatusInternalServerError, object{"error": fault.text, "error_type": "ServerError", "request_id": "1"})
	default:
		write(w, http.StatusUnprocessableEntity, object{"error": fault.text, "error_type": "FormError", "request_id": "1"})
	}
}

func (s version2) status(w http.ResponseWriter, _ *request) {
	s.cookie(w)
	status := object{"status": "nominal", "locale": "en"}
	if s.options.Release.isNewest() {
		status["success"] = true
	}
	write(w, http.StatusOK, status)
}

// cookie makes a session, as the older releases do for each public call.
func (s version2) cookie(w http.ResponseWriter) {
	if !s.options.Release.isNewest() {
		http.SetCookie(w, &http.Cookie{Name: "sess", Value: "session", Path: "/"}) //nolint:gosec // as those releases write it
	}
}

func (s version2) version(w http.ResponseWriter, _ *request) {
	s.cookie(w)
	version := map[Release][]string{
		ReleaseREF: {"0", "18", "4"}, Release0205: {"0", "20", "5"}, Release02211: {"0", "22", "11"}, Release0266: {"0", "26", "6"},
	}
	write(w, http.StatusOK, object{"version": version[s.options.Release], "locale": "en"})
}

func (s version2) locales(w http.ResponseWriter, _ *request) {
	s.cookie(w)
	write(w, http.StatusOK, object{"locales": []string{"en"}, "default_locale": "en", "locale": "en"})
}

func (s version2) authcheck(w http.ResponseWriter, call *request) {
	write(w, http.StatusOK, object{
		"record":  object{"custid": call.caller.custid, "role": "customer", "verified": "true", "created": "1795236735"},
		"details": object{"authenticated": true},
	})
}

// share takes what is wrapped from 0.19, and only what is flat before.
func (s version2) share(w http.ResponseWriter, call *request) {
	p := call.params
	if !s.options.Release.isREF() {
		wrapped, ok := p["secret"].(map[string]any)
		if !ok {
			s.refuse(w, call, &refused{"Incorrect payload format", inForm})
			return
		}
		p = wrapped
	}
	held, fault := s.conceal(call.caller.custid, p)
	if fault != nil {
		s.refuse(w, call, fault)
		return
	}
	record := object{"metadata": s.record(held, false), "secret": s.secret(held, false), "share_domain": orNull(held.domain)}
	kind := "conceal"
	switch {
	case s.options.Release.isREF():
		record["secret"], kind = object{}, "share"
	case s.options.Release.isNewest():
		record["receipt"] = record["metadata"]
	}
	write(w, http.StatusOK, s.success(call).with(object{
		"record":  record,
		"details": object{"kind": kind, "recipient": held.allRecipients, "recipient_safe": []string{held.recipients}},
	}))
}

// success is what the answers of actions begin with.
func (s version2) success(call *request) object {
	custid := call.caller.custid
	if custid == "" {
		custid = "anon"
	}
	return object{"success": true, "shrimp": "shrimp", "custid": custid}
}

// look describes a secret, and reveals it if it is asked to continue. A wrong
// passphrase counts, a missing one too.
func (s version2) look(w http.ResponseWriter, call *request) {
	held := s.secrets[call.key]
	if held == nil || !s.exists(held) {
		s.refuse(w, call, &refused{textUnknown, isUnknown})
		return
	}
	passphrase, _ := call.params.text("passphrase")
	fault := s.guess(held, passphrase)
	if fault != nil && fault.kind == isLimited {
		s.refuse(w, call, fault)
		return
	}
	if call.params.isTrue("continue", true) && fault == nil {
		s.opened(w, held)
		return
	}
	held.isSeen = !s.options.Release.isREF()
	write(w, http.StatusOK, object{
		"success": true, "record": s.lookRecord(held, call),
		"details": object{"continue": false, "show_secret": false, "correct_passphrase": fault == nil, "is_owner": false, "display_lines": 4, "one_liner": nil},
	})
}

func (s version2) lookRecord(held *secret, call *request) object {
	if s.options.Release.isREF() {
		return object{
			"key": held.key, "secret_key": held.key, "secret_shortkey": held.key[:6], "is_truncated": nil, "original_size": nil,
			"verification": false, "share_domain": "http://" + call.http.Host, "is_owner": false, "has_passphrase": held.passphrase != "",
		}
	}
	return s.secret(held, true)
}

// open reveals a secret if it is asked to continue.
func (s version2) open(w http.ResponseWriter, call *request) {
	held := s.secrets[call.key]
	if held == nil || !s.exists(held) {
		s.refuse(w, call, &refused{textUnknown, isUnknown})
		return
	}
	passphrase, _ := call.params.text("passphrase")
	if fault := s.guess(held, passphrase); fault != nil {
		s.refuse(w, call, fault)
		return
	}
	if !call.params.isTrue("continue", false) {
		write(w, http.StatusOK, object{"success": true, "record": s.lookRecord(held, call), "details": object{"show_secret": false}})
		return
	}
	s.opened(w, held)
}

// opened ends a secret and writes its text. That the passphrase was right is not
// said of a secret without one.
func (s version2) opened(w http.ResponseWriter, held *secret) {
	text := s.reveal(held)
	record := s.secret(held, true).with(object{"secret_value": text, "state": s.word("received"), "is_truncated": held.cut})
	if s.options.Release.isREF() {
		record = object{
			"key": held.key, "secret_key": held.key, "secret_shortkey": held.key[:6], "is_truncated": held.cut, "original_size": s.number(int64(held.size), true),
			"verification": false, "is_owner": false, "has_passphrase": held.passphrase != "", "secret_value": text,
		}
	}
	write(w, http.StatusOK, object{
		"success": true, "record": record,
		"details": object{"continue": true, "show_secret": true, "correct_passphrase": held.passphrase != "", "display_lines": 4, "one_liner": true},
	})
}

func (s version2) receipt(w http.ResponseWriter, call *request) {
	held, isFirst := s.found(call.key)
	if held == nil {
		s.refuse(w, call, &refused{textUnknown, isUnknown})
		return
	}
	record := s.alone(held, isFirst, call)
	if s.options.Release.isREF() {
		record = s.aloneREF(held, call)
	}
	write(w, http.StatusOK, object{"success": true, "record": record, "details": s.details(held, isFirst)})
}

// recent is a list, oldest first.
func (s version2) recent(w http.ResponseWriter, call *request) {
	records := []object{}
	for _, held := range s.order {
		if held.custid == call.caller.custid && s.left(held, 2) > 0 {
			records = append(records, s.record(held, true))
		}
	}
	write(w, http.StatusOK, s.success(call).with(object{
		"count": len(records), "records": records, "details": object{"type": "list", "has_items": len(records) > 0},
	}))
}

// end describes the secret as it was before. The oldest release takes only the
// text true for a confirmation.
func (s version2) end(w http.ResponseWriter, call *request) {
	held := s.receipts[call.key]
	if held == nil {
		s.refuse(w, call, &refused{textUnknown, isUnknown})
		return
	}
	passphrase, _ := call.params.text("passphrase")
	if held.passphrase != "" && passphrase != held.passphrase && s.exists(held) {
		s.refuse(w, call, &refused{textPassphrase, inForm})
		return
	}
	if !s.exists(held) || !call.params.isTrue("continue", s.options.Release.isREF()) {
		s.refuse(w, call, &refused{"Secret could not be burned.", isUndone})
		return
	}
	stale := s.record(held, true)
	s.burn(held)
	body := s.success(call).with(object{"record": stale, "details": object{"type": "record", "title": "Secret burned"}})
	if s.options.Release.isREF() {
		body["record"], body["details"] = object{"metadata": stale}, object{}
	}
	write(w, http.StatusOK, body)
}
