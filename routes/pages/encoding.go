package pages

import (
	"net/http"
	"strconv"
	"strings"
)

// The forms in which an asset may be sent.
const (
	brotli   = "br"
	gzipped  = "gzip"
	identity = "identity"
)

// preferred returns the form that a request's header weighs most, out of those
// that exist, the first of equals. It returns identity if the header accepts no
// other: refusing the request would help no browser.
func preferred(header http.Header, exist ...string) string {
	weights := weightsIn(header)
	best, most := identity, weights[identity]
	for _, coding := range exist {
		weight, named := weights[coding]
		if !named {
			weight = weights["*"]
		}
		if weight > most || weight == most && weight > 0 && best == identity {
			best, most = coding, weight
		}
	}
	return best
}

// weightsIn reads the header Accept-Encoding. A coding without a weight has one
// of 1, and one whose weight cannot be read is not accepted.
func weightsIn(header http.Header) map[string]float64 {
	weights := make(map[string]float64)
	for _, line := range header.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(strings.ToLower(line), ",") {
			name, parameter, _ := strings.Cut(part, ";")
			weight := 1.0
			if parameter = strings.TrimSpace(parameter); parameter != "" {
				text, _ := strings.CutPrefix(parameter, "q=")
				var err error
				if weight, err = strconv.ParseFloat(text, 64); err != nil || !(weight >= 0 && weight <= 1) {
					weight = 0
				}
			}
			if name = strings.TrimSpace(name); name != "" {
				weights[name] = weight
			}
		}
	}
	return weights
}
