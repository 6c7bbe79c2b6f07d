package server

import "testing"

func TestConnectionLimitsWithin(t *testing.T) {
	t.Parallel()
	full := connectionLimits{4096, 256, 1024}
	for _, test := range []struct {
		limit, perNetwork int
		want              connectionLimits
	}{
		{0, 256, full},
		{5248, 256, full},
		{1 << 20, 256, full},
		{1 << 20, 4096, connectionLimits{4096, 4096, 1024}},
		{5247, 256, connectionLimits{4095, 255, 1024}},
		{4096, 256, connectionLimits{3174, 198, 794}},
		{4096, 4096, connectionLimits{3174, 3174, 794}},
		{1024, 256, connectionLimits{716, 44, 180}},
		{256, 256, connectionLimits{102, 6, 26}},
		{192, 256, connectionLimits{51, 3, 13}},
		{192, 1, connectionLimits{51, 1, 13}},
	} {
		if got := connectionLimitsWithin(test.limit, test.perNetwork); got != test.want {
			t.Errorf("connectionLimitsWithin(%d, %d): got %+v, want %+v", test.limit, test.perNetwork, got, test.want)
		}
	}
}
