package people

import (
	"fmt"
	"sync"

	"hush/cli/console"
	"hush/client"
)

// progressLine is the line of a terminal that shows how far a call is.
type progressLine struct {
	mu    sync.Mutex
	shown *console.Progress // nil while no call shows any
}

// showProgress shows on a terminal how far a call is. Elsewhere it would fill a log.
func (x *connector) showProgress(p client.Progress) {
	x.line.mu.Lock()
	defer x.line.mu.Unlock()
	if p.Stage == client.StageOver {
		if x.line.shown != nil {
			x.line.shown.End()
		}
		x.line.shown = nil
		return
	}
	if x.line.shown == nil {
		if !x.console.ErrIsTerminal() {
			return
		}
		x.line.shown = x.console.Progress()
	}
	x.line.shown.Show(func() string { return progressText(p) })
}

// progressText returns what is shown of a progress.
func progressText(p client.Progress) string {
	kib := func(bytes int64) int64 { return (bytes + 1023) >> 10 }
	switch {
	case p.Stage == client.StageEncrypting:
		return "encrypting"
	case p.Stage == client.StageSending && p.Total > 0:
		return fmt.Sprintf("sending: %d %% of %d KiB", 100*p.Done/p.Total, kib(p.Total))
	case p.Stage == client.StageSending:
		return fmt.Sprintf("sending: %d KiB", kib(p.Done))
	case p.Total > 0:
		return fmt.Sprintf("receiving: %d of %d KiB", kib(p.Done), kib(p.Total))
	default:
		return fmt.Sprintf("receiving: %d KiB", kib(p.Done))
	}
}
