package main

import (
	"net/http"
	"testing"

	"hush/routes/apitest"
)

// newDrivers makes a driver for each of the six protocols. header goes with every request.
func newDrivers(t testing.TB, s *testServer, header http.Header) []apitest.Driver {
	t.Helper()
	return apitest.Drivers(newHTTPClient(t, false, header), newHTTPClient(t, true, header), s.url)
}

// allDrivers adds those that can also be spoken over HTTP/2.
func allDrivers(t testing.TB, s *testServer, header http.Header) []apitest.Driver {
	t.Helper()
	return apitest.AllDrivers(newHTTPClient(t, false, header), newHTTPClient(t, true, header), s.url)
}
