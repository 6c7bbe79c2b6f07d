package chain

import (
	"strings"
	"testing"

	"hush/vault/caller"
)

func TestDeviceFrom(t *testing.T) {
	t.Parallel()
	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	for _, test := range []struct {
		agent string
		want  caller.Device
	}{
		{firefox, caller.Device{Browser: "Firefox", System: "Linux"}},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36", caller.Device{Browser: "Chrome", System: "Windows"}},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0", caller.Device{Browser: "Edge", System: "Windows"}},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15", caller.Device{Browser: "Safari", System: "macOS"}},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1", caller.Device{Browser: "Safari", System: "iOS"}},
		{"Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36", caller.Device{Browser: "Chrome", System: "Android"}},
		{"", caller.Device{}},
		{"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/142.0.0.0 Safari/537.36", caller.Device{Browser: "Chrome", System: "ChromeOS"}},
		{"hush/0.2.0", caller.Device{}},
		{"bvvhtcsg/1.0 (tcxwmqpx)", caller.Device{}},
		{firefox + strings.Repeat(" x", agentMost), caller.Device{}},
	} {
		got := DeviceFrom(withRecord(t.Context(), &record{agent: test.agent}))
		if got != test.want {
			t.Errorf("DeviceFrom(%q): got %+v, want %+v", test.agent, got, test.want)
		}
	}
	if got := DeviceFrom(t.Context()); got != (caller.Device{}) {
		t.Errorf("DeviceFrom(a call without a record): got %+v, want no device", got)
	}
}
