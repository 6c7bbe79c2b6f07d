package chain

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"connectrpc.com/connect"
)

// spoken makes a service respond in the protocol that called where connect would
// respond with a status alone: to an unknown procedure, and to a method, a type or a
// version of HTTP that it does not take. It also leaves out the encoding of a response
// that has none: connect writes an empty one beside its refusal of an unknown encoding,
// which clients refuse in turn.
func spoken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		speaker := &speaker{ResponseWriter: w}
		next.ServeHTTP(speaker, r)
		speaker.tidy()
		if speaker.refused != 0 {
			refuseCall(w, r, speaker.refused, connect.CodeUnimplemented, refusalText(r, speaker.refused))
		}
	})
}

// speaker holds back a response that is a status alone.
type speaker struct {
	http.ResponseWriter

	began   bool
	refused int // the status of the response that was held back, or 0
}

// Unwrap is for http.ResponseController.
func (s *speaker) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (s *speaker) WriteHeader(status int) {
	if !s.began && isBare(status, s.Header().Get("Content-Type")) {
		s.refused = status
		return
	}
	s.tidy()
	s.began = true
	s.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (s *speaker) Write(p []byte) (int, error) {
	if s.refused != 0 {
		return len(p), nil
	}
	s.tidy()
	s.began = true
	return s.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (s *speaker) Flush() {
	if s.refused != 0 {
		return
	}
	s.tidy()
	s.began = true
	if flusher, ok := s.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
}

func (s *speaker) tidy() {
	if s.began {
		return
	}
	header := s.Header()
	for _, name := range []string{"Grpc-Encoding", "Connect-Content-Encoding"} {
		if values := header[name]; len(values) == 1 && values[0] == "" {
			delete(header, name)
		}
	}
}

// isBare reports whether a response of connect says nothing but its status. The text of
// an unknown procedure is that of http.NotFound.
func isBare(status int, contentType string) bool {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType, http.StatusHTTPVersionNotSupported:
		return contentType == ""
	case http.StatusNotFound:
		return strings.HasPrefix(contentType, "text/plain")
	default:
		return false
	}
}

// refusalText says why a call was refused with a status. It repeats nothing of the
// request.
func refusalText(r *http.Request, status int) string {
	switch {
	case status == http.StatusNotFound:
		return textUnknownProcedure
	case status == http.StatusMethodNotAllowed && r.Method == http.MethodGet:
		return "this procedure is called with POST: a GET must change nothing"
	case status == http.StatusMethodNotAllowed:
		return "procedures are called with POST"
	case status == http.StatusHTTPVersionNotSupported:
		return "this stream needs HTTP/2"
	case r.Method == http.MethodGet && (r.ContentLength != 0 || len(r.TransferEncoding) > 0):
		return "a GET has no body: its message is the parameter message"
	case r.Method == http.MethodGet:
		return "a GET needs the parameters message and encoding, which is json or proto"
	case strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc-web-text"):
		return "gRPC-Web is served in its binary form only: application/grpc-web+proto"
	default:
		return "the Content-Type must be application/json or application/proto, or one of gRPC or gRPC-Web"
	}
}

// refuseCall responds to a call with a code, in the protocol that the call is in. The
// status is for Connect and for what is in no known protocol: those of the others are
// their own.
func refuseCall(w http.ResponseWriter, r *http.Request, status int, code connect.Code, text string) {
	refusals := connect.NewErrorWriter()
	contentType := r.Header.Get("Content-Type")
	if r.Method == http.MethodPost && len(contentType) <= maxProtocolText && isFramed(contentType) && refusals.IsSupported(r) {
		_ = refusals.Write(w, r, connect.NewError(code, errors.New(text)))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	body, err := json.Marshal(struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}{code.String(), text})
	if err == nil {
		_, _ = w.Write(body) // if the client is gone, the response is lost
	}
}

// isFramed reports whether a type is one of gRPC, gRPC-Web or a Connect stream, in which
// errors have no HTTP status.
func isFramed(contentType string) bool {
	protocol, _, _ := strings.Cut(contentType, "+")
	return protocol == "application/grpc" || protocol == "application/grpc-web" || protocol == "application/connect"
}

// RefuseUnknownCall responds to a request whose path looks like that of a procedure, and
// which no service serves, as services respond to an unknown procedure. It reports
// whether it did.
func RefuseUnknownCall(w http.ResponseWriter, r *http.Request) bool {
	if !isProcedure(r.URL.Path) {
		return false
	}
	NoStore(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuseCall(w, r, http.StatusNotFound, connect.CodeUnimplemented, refusalText(r, http.StatusNotFound))
	})).ServeHTTP(w, r)
	return true
}

// isProcedure reports whether a path has the form of a procedure's, as in
// /package.v1.Service/Method.
func isProcedure(path string) bool {
	service, method, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return strings.Index(service, ".") > 0 && method != "" && 'A' <= method[0] && method[0] <= 'Z' && !strings.Contains(method, "/")
}
