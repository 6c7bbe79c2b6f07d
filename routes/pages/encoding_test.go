package pages

import (
	"net/http"
	"testing"
)

func TestPreferred(t *testing.T) {
	for _, test := range []struct{ header, both, gzip string }{
		{"", identity, identity},
		{"gzip", gzipped, gzipped},
		{"GZIP", gzipped, gzipped},
		{"br", brotli, identity},
		{"gzip, deflate, br, zstd", brotli, gzipped},
		{"br, gzip", brotli, gzipped},
		{"br;q=0.5, gzip;q=0.8", gzipped, gzipped},
		{"br;q=1.0, gzip;q=0.8, *;q=0.1", brotli, gzipped},
		{"gzip;q=0", identity, identity},
		{"gzip; q=0.0, br;q=0.001", brotli, identity},
		{"gzip;q=0.001", gzipped, gzipped},
		{"gzip ; Q=0", identity, identity},
		{"gzip;q=1", gzipped, gzipped},
		{"*", brotli, gzipped},
		{"*;q=0", identity, identity},
		{"br;q=0, *", gzipped, gzipped},
		{"gzip;q=0, *;q=0.5", brotli, identity},
		{"identity", identity, identity},
		{"identity, br;q=0.5", identity, identity},
		{"identity;q=0.5, br;q=0.5, gzip;q=0.4", brotli, identity},
		{"identity;q=0", identity, identity},
		{"xgzip, brx", identity, identity},
		{"br;q=x, gzip;q=", identity, identity},
		{"br;q=2, gzip;q=-1", identity, identity},
		{"br;q=nan, gzip;q=inf", identity, identity},
		{";q=1, ,", identity, identity},
	} {
		header := http.Header{"Accept-Encoding": {test.header}}
		if got := preferred(header, brotli, gzipped); got != test.both {
			t.Errorf("preferred(%q, br, gzip): got %s, want %s", test.header, got, test.both)
		}
		if got := preferred(header, gzipped); got != test.gzip {
			t.Errorf("preferred(%q, gzip): got %s, want %s", test.header, got, test.gzip)
		}
	}
	if got := preferred(http.Header{"Accept-Encoding": {"gzip;q=0.5", "br"}}, brotli, gzipped); got != brotli {
		t.Errorf("preferred(two headers): got %s, want br", got)
	}
}
