package onetime_test

import (
	"testing"
	"time"

	"hush/client"
	"hush/client/onetime"
)

// clientOf returns a client of a server by v1 or v2 that waits for little.
func clientOf(t testing.TB, server string, options client.Options) *client.Client {
	t.Helper()
	return hurriedClient(t, server, options, time.Millisecond, time.Minute)
}

// hurriedClient returns a client that waits so long before the first repeat of a call,
// and for an answer.
func hurriedClient(t testing.TB, server string, options client.Options, first, within time.Duration) *client.Client {
	t.Helper()
	base, err := client.ParseServer(server)
	if err != nil {
		t.Fatalf("ParseServer(%s): got %v, want no error", server, err)
	}
	switch options.Protocol {
	case client.ProtocolV1:
		v1 := onetime.NewV1(base, options)
		v1.Hurry(first, within)
		return client.New(base, options.Protocol, v1)
	case client.ProtocolV2:
		v2 := onetime.NewV2(base, options)
		v2.Hurry(first, within)
		return client.New(base, options.Protocol, v2)
	default:
		t.Fatalf("%v is no protocol of this package", options.Protocol)
		return nil
	}
}
