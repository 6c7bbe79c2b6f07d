package servertest

import (
	"net/http"
	"testing"

	"hush/routes/apitest"
)

// SolvedFor requests a challenge and solves it. An empty action means any.
func SolvedFor(t *testing.T, client *http.Client, service, action string) string {
	t.Helper()
	query := ""
	if action != "" {
		query = "?action=" + action
	}
	got := apitest.Send(t, client, http.MethodGet, service+"/api/v2/altcha/challenge"+query, nil, "")
	return apitest.Solve(t, got.At(t, "challenge"), got.At(t, "salt"), got.At(t, "signature"))
}

// Drivers makes a driver for each of the six protocols. header goes with every request.
func Drivers(t testing.TB, s *Server, header http.Header) []apitest.Driver {
	t.Helper()
	return apitest.Drivers(HTTPClient(t, false, header), HTTPClient(t, true, header), s.URL)
}

// AllDrivers adds those that can also be spoken over HTTP/2.
func AllDrivers(t testing.TB, s *Server, header http.Header) []apitest.Driver {
	t.Helper()
	return apitest.AllDrivers(HTTPClient(t, false, header), HTTPClient(t, true, header), s.URL)
}
