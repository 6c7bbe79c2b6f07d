package chain

import (
	"errors"
	"maps"
	"net/http"
	"strings"

	"connectrpc.com/connect"
)

// The maximum bytes of an error. JSON writes up to six bytes for one, and
// details twice. gRPC writes the message twice, with up to three bytes for one.
// In every protocol the error stays below 8 KiB.
const (
	maxErrorText    = 512
	maxErrorDetails = 512
)

// light returns err with a message and details of bounded size. It leaves out a
// detail that does not fit.
func light(err *connect.Error) *connect.Error {
	var fit []*connect.ErrorDetail
	left, details := maxErrorDetails, err.Details()
	for _, detail := range details {
		if size := len(detail.Type()) + len(detail.Bytes()); size <= left {
			fit = append(fit, detail)
			left -= size
		}
	}
	if len(fit) == len(details) && len(err.Message()) <= maxErrorText {
		return err
	}
	lighter := connect.NewError(err.Code(), errors.New(shortened(err.Message())))
	maps.Copy(lighter.Meta(), err.Meta())
	for _, detail := range fit {
		lighter.AddDetail(detail)
	}
	return lighter
}

// shortened truncates a text to the size limit of errors, at a character
// boundary.
func shortened(text string) string {
	const more = "..."
	if len(text) <= maxErrorText {
		return text
	}
	return strings.ToValidUTF8(text[:maxErrorText-len(more)], "") + more
}

// maxProtocolText is longer than any legitimate protocol header or query
// parameter.
const maxProtocolText = 256

// protocolHeaders and protocolParams are the ones that connect's own errors quote.
var (
	protocolHeaders = [7]string{
		"Content-Type", "Content-Encoding", "Grpc-Encoding", "Connect-Content-Encoding",
		"Connect-Protocol-Version", "Connect-Timeout-Ms", "Grpc-Timeout",
	}
	protocolParams = [4]string{"encoding", "compression", "connect", "base64"}
)

// brief refuses requests whose protocol headers or parameters are so long that
// an error quoting them would be too large.
func brief(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		longest := 0
		for _, name := range protocolHeaders {
			for _, value := range r.Header[name] {
				longest = max(longest, len(value))
			}
		}
		if r.Method == http.MethodGet && r.URL.RawQuery != "" {
			query := r.URL.Query()
			for _, name := range protocolParams {
				longest = max(longest, len(query.Get(name)))
			}
		}
		if longest > maxProtocolText {
			refuseCall(w, r, http.StatusBadRequest, connect.CodeInvalidArgument, "a protocol header or parameter is too long")
			return
		}
		next.ServeHTTP(w, r)
	})
}
