package hush

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"hush/client"
	"hush/client/attempt"
)

// answerMax is the longest answer that is read, in bytes: more than the longest content
// and than a page of receipts.
const answerMax = 4 << 20

// errTooLong is an answer that is longer than any of a Hush server.
var errTooLong = errors.New("the answer is longer than any of a Hush server")

// caller sends the requests of the RPCs, and tells the answers of a Hush server
// from those of something else at its address.
type caller struct {
	http      *http.Client
	token     client.Text
	userAgent string
}

// Do implements connect.HTTPClient.
func (c *caller) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("User-Agent", c.userAgent)
	if !c.token.IsEmpty() {
		r.Header.Set("Authorization", "Bearer "+c.token.Expose())
	}
	f := flowFrom(r.Context())
	defer addPart(r)()
	f.send(r)
	res, err := c.http.Do(r) //nolint:gosec // the user chose the server
	if err != nil {
		if outer, ok := err.(*url.Error); ok { //nolint:errorlint // only the method and the URL around the error are left out
			err = outer.Err
		}
		return nil, err
	}
	f.receive(res)
	return checkAnswer(res)
}

// checkAnswer returns an answer of a Hush server, which was read to its end unless
// it is a stream. The RPCs would read on behind their limit, to use the connection
// again.
func checkAnswer(res *http.Response) (*http.Response, error) {
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	most := int64(answerMax)
	switch {
	case res.StatusCode == http.StatusOK && kind == "application/connect+proto":
		return res, nil
	case res.StatusCode == http.StatusOK && kind == "application/proto":
		if taken, err := takePart(res); err != nil {
			return nil, err
		} else if taken {
			return res, nil
		}
	case res.StatusCode != http.StatusOK && kind == "application/json":
		most = attempt.RefusalMax
	default:
		defer res.Body.Close()
		if wrong := attempt.ComplainsOfScheme(res.Request, res.StatusCode, res.Body); wrong != nil {
			return nil, wrong
		}
		return nil, &attempt.UnexpectedAnswerError{
			Status: res.StatusCode, Location: res.Header.Get("Location"), RetryAfter: attempt.RetryAfter(res.Header),
		}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(body)) > most:
		return nil, errTooLong
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}
