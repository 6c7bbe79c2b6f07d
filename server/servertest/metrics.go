package servertest

import (
	"bufio"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"hush/routes/apitest"
)

// Scrape returns what a program exports, by name, and as text.
func Scrape(t testing.TB, client *http.Client, url string) (map[string]*dto.MetricFamily, string) {
	t.Helper()
	reply := apitest.Send(t, client, http.MethodGet, url, nil, "")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(reply.Body))
	if err != nil || reply.Status != http.StatusOK {
		t.Fatalf("GET %s: got %d and %v, want metrics\n%s", url, reply.Status, err, reply.Body)
	}
	return families, reply.Body
}

// Value returns the value of a metric with a single series, or the sum of a
// histogram.
func Value(t testing.TB, families map[string]*dto.MetricFamily, name string) float64 {
	t.Helper()
	series := families[name].GetMetric()
	if len(series) != 1 {
		t.Fatalf("%s: got %v, want one value", name, series)
	}
	return series[0].GetGauge().GetValue() + series[0].GetCounter().GetValue() + series[0].GetHistogram().GetSampleSum()
}

// ScrapeAddress is where the metrics for other machines are served.
func (s *Server) ScrapeAddress(t testing.TB) string {
	t.Helper()
	return s.logged(t, "metrics_address")
}

// Plainly returns what the port for other machines sends to who speaks no TLS.
func (s *Server) Plainly(t *testing.T) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.ScrapeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+ScrapeToken+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(bufio.NewReader(conn))
	if err != nil && len(got) == 0 {
		t.Fatal(err)
	}
	return string(got)
}

// WantReady fails the test unless /readyz responds with 200.
func (s *Server) WantReady(t *testing.T, while string) {
	t.Helper()
	if got := apitest.Send(t, HTTPClient(t, false, nil), http.MethodGet, s.URL+"/readyz", nil, ""); got.Status != http.StatusOK {
		t.Errorf("GET /readyz %s: got %d, want 200, since secrets must go on being opened", while, got.Status)
	}
}

// MetricsURL returns where a program serves metrics that was started with
// --admin-listen.
func (s *Server) MetricsURL(t testing.TB) string {
	t.Helper()
	return "http://" + s.logged(t, "admin_address") + "/metrics"
}

// AwaitCertificate returns once metrics tell of a certificate for the service's own
// host, or that it has none, and how many hosts fail.
func (s *Server) AwaitCertificate(t *testing.T, leaf *x509.Certificate, failing int) {
	t.Helper()
	want := [3]float64{0, 0, float64(failing)}
	if leaf != nil {
		want[0], want[1] = float64(leaf.NotAfter.Unix()), leaf.NotAfter.Sub(leaf.NotBefore).Seconds()
	}
	client := HTTPClient(t, false, nil)
	WaitUntil(t, fmt.Sprintf("metrics to have %v", want), func() bool {
		families, _ := Scrape(t, client, s.MetricsURL(t))
		return want == [3]float64{
			Value(t, families, "hush_certificate_expiry_timestamp_seconds"),
			Value(t, families, "hush_certificate_lifetime_seconds"), Value(t, families, "hush_certificates_failing"),
		}
	})
}

// ScrapeToken is the token of scrapers.
const ScrapeToken = "0123456789abcdef0123456789abcdef"
