package params

import (
	"bytes"
	"io"
	"mime/multipart"
	"strings"

	"hush/routes/refusal"
)

// parseMultipart parses a multipart body. A file is a value like any other.
// Parts are used undecoded: a part in base64 or quoted-printable is refused,
// because it is unclear which bytes it means.
func (n Names) parseMultipart(body []byte, boundary string) (source, error) {
	s := make(source)
	if len(body) == 0 {
		return s, nil
	}
	if boundary == "" {
		return nil, errNotMultipart()
	}
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for count := 0; ; count++ {
		part, err := reader.NextRawPart()
		if err == io.EOF { // unwrapped: a truncated body returns a wrapped one
			return s, nil
		}
		if err != nil {
			return nil, errNotMultipart()
		}
		if count == maxParams {
			return nil, refusal.Invalid("there may be at most %d parameters", maxParams)
		}
		if err := n.addPart(s, part); err != nil {
			return nil, err
		}
	}
}

// addPart refuses a part with an unreadable name: dropping it might drop a
// passphrase.
func (n Names) addPart(s source, part *multipart.Part) error {
	if part.FormName() == "" {
		return errNotMultipart()
	}
	switch strings.ToLower(part.Header.Get("Content-Transfer-Encoding")) {
	case "", "7bit", "8bit", "binary":
	default:
		return refusal.Invalid("%s has a transfer encoding", n.inErrors(part.FormName()))
	}
	text, err := io.ReadAll(part)
	if err != nil {
		return errNotMultipart()
	}
	n.add(s, part.FormName(), value{text: string(text)})
	return nil
}

func errNotMultipart() error {
	return refusal.Malformed("the body is not a valid multipart form")
}
