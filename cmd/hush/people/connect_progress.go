package people

import (
	"fmt"
	"sync"
	"time"

	"hush/cli/console"
	"hush/client"
)

// progressLine is the line of a terminal that shows how far a call is.
type progressLine struct {
	mu    sync.Mutex
	shown *console.Progress // nil while no call shows any
	rate  rate
	// warned is when a pause was last told where there is no line.
	warned time.Time
}

// showProgress shows on a terminal how far a call is. Elsewhere it would fill a log.
func (x *connector) showProgress(p client.Progress) {
	x.line.mu.Lock()
	defer x.line.mu.Unlock()
	if p.Stage == client.StageOver {
		if x.line.shown != nil {
			x.line.shown.End()
		}
		x.line.shown, x.line.rate = nil, rate{}
		return
	}
	if x.line.shown == nil {
		if !x.console.ErrIsTerminal() {
			x.tellWaiting(p)
			return
		}
		x.line.shown = x.console.Progress()
	}
	if p.Stage == client.StageSendingFile || p.Stage == client.StageFetchingFile {
		now := time.Now()
		x.line.rate.add(p.Done, now)
		x.line.shown.Show(func() string { return fileProgressText(p, x.line.rate.bytesPerSecond()) })
		return
	}
	x.line.shown.Show(func() string { return progressText(p) })
}

// waitingTold is how often a pause is told where there is no line for it.
const waitingTold = time.Minute

// tellWaiting says, where no line of a terminal does, why nothing of a file moves.
func (x *connector) tellWaiting(p client.Progress) {
	if now := time.Now(); p.Waiting != nil && now.Sub(x.line.warned) > waitingTold {
		x.line.warned = now
		x.console.Tellf("%v; trying again until it passes", p.Waiting)
	}
}

// rate is how fast something went in the last seconds.
type rate struct {
	samples []rateSample
}

type rateSample struct {
	at   time.Time
	done int64
}

const (
	// rateSpan is how far back a rate looks, and rateStep how often it does.
	rateSpan = 15 * time.Second
	rateStep = 250 * time.Millisecond
)

func (r *rate) add(done int64, now time.Time) {
	if n := len(r.samples); n > 0 && now.Sub(r.samples[n-1].at) < rateStep {
		return
	}
	r.samples = append(r.samples, rateSample{now, done})
	for len(r.samples) > 2 && now.Sub(r.samples[0].at) > rateSpan {
		r.samples = r.samples[1:]
	}
}

// bytesPerSecond returns the rate; 0 while it is not known.
func (r *rate) bytesPerSecond() int64 {
	if len(r.samples) < 2 {
		return 0
	}
	first, last := r.samples[0], r.samples[len(r.samples)-1]
	return int64(float64(last.done-first.done) / last.at.Sub(first.at).Seconds())
}

// fileProgressText returns what is shown of a file on its way.
func fileProgressText(p client.Progress, perSecond int64) string {
	text := "sending"
	if p.Stage == client.StageFetchingFile {
		text = "fetching"
	}
	if p.Total > 0 {
		text += fmt.Sprintf(": %d %% of %s", 100*p.Done/p.Total, sizeText(p.Total))
	}
	switch left := p.Total - p.Done; {
	case p.Waiting != nil:
		return text + fmt.Sprintf("; %v, trying again", p.Waiting)
	case perSecond > 0 && left > 0:
		wait := time.Duration(left/perSecond+1) * time.Second
		return text + fmt.Sprintf(", %s/s, %s left", sizeText(perSecond), spanText(wait))
	default:
		return text
	}
}

// sizeText returns a number of bytes for people, as in "3.2 GiB".
func sizeText(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1<<10 {
		return console.Count(n, "bytes")
	}
	value, unit := float64(n)/(1<<10), 0
	for value >= 1000 && unit < len(units)-1 {
		value, unit = value/(1<<10), unit+1
	}
	if value < 10 {
		return fmt.Sprintf("%.1f %s", value, units[unit])
	}
	return fmt.Sprintf("%.0f %s", value, units[unit])
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
