package booted_test

import (
	"io"
	"testing"

	"hush/server/servertest"
)

// One port speaks HTTP/1.1 and HTTP/2, and the answer is the same.
func TestOnePortSpeaksBoth(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	for want, http2 := range map[int]bool{1: false, 2: true} {
		res, err := servertest.HTTPClient(t, http2, nil).Get(s.URL + "/api/v1/status")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.ProtoMajor != want || string(body) != `{"status":"nominal","locale":"en"}` {
			t.Errorf("Get over HTTP/%d: got HTTP/%d %q %v, want the status", want, res.ProtoMajor, body, err)
		}
	}
}
