package people

import (
	"testing"

	"hush/client"
)

func TestProgressText(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]client.Progress{
		"encrypting":                {Stage: client.StageEncrypting},
		"sending: 42 % of 100 KiB":  {Stage: client.StageSending, Done: 43_500, Total: 102_400},
		"sending: 100 % of 100 KiB": {Stage: client.StageSending, Done: 102_400, Total: 102_400},
		"sending: 43 KiB":           {Stage: client.StageSending, Done: 43_500},
		"receiving: 1 of 879 KiB":   {Stage: client.StageReceiving, Done: 1, Total: 900_096},
		"receiving: 879 KiB":        {Stage: client.StageReceiving, Done: 900_096},
	} {
		if got := progressText(p); got != want {
			t.Errorf("progressText(%+v): got %q, want %q", p, got, want)
		}
	}
}
