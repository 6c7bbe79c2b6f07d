package server

import (
	"strings"
	"testing"
)

func TestConnectionLimitsWithin(t *testing.T) {
	t.Parallel()
	full := connectionLimits{4096, 256, 1024}
	for _, test := range []struct {
		limit, more, perNetwork int
		want                    connectionLimits
	}{
		{0, 0, 256, full},
		{5248, 0, 256, full},
		{1 << 20, 0, 256, full},
		{1 << 20, 0, 4096, connectionLimits{4096, 4096, 1024}},
		{5247, 0, 256, connectionLimits{4095, 255, 1024}},
		{4096, 0, 256, connectionLimits{3174, 198, 794}},
		{4096, 0, 4096, connectionLimits{3174, 3174, 794}},
		{1024, 0, 256, connectionLimits{716, 44, 180}},
		{256, 0, 256, connectionLimits{102, 6, 26}},
		{192, 0, 256, connectionLimits{51, 3, 13}},
		{192, 0, 1, connectionLimits{51, 1, 13}},
		{5248, 1, 256, connectionLimits{4095, 255, 1024}},
		{5248 + 100, 100, 256, full},
		{256 + 100, 100, 256, connectionLimits{102, 6, 26}},
		{0, 100, 256, full},
	} {
		if got := connectionLimitsWithin(test.limit, test.more, test.perNetwork); got != test.want {
			t.Errorf("connectionLimitsWithin(%d, %d, %d): got %+v, want %+v", test.limit, test.more, test.perNetwork, got, test.want)
		}
	}
}

// Connections to a database are open files, too.
func TestCheckFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit, more int
		want        string // "" means none
	}{
		{0, 0, ""},
		{0, 1000, ""},
		{192, 0, ""},
		{191, 0, "is 191: raise it to 192 or more, 5248 for all connections"},
		{292, 100, ""},
		{291, 100, "is 291: raise it to 292 or more, 5348 for all connections"},
	} {
		err := checkFiles(test.limit, test.more)
		if (err == nil) != (test.want == "") || err != nil && !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("checkFiles(%d, %d): got %v, want %q", test.limit, test.more, err, test.want)
		}
	}
}
