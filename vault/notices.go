package vault

import (
	"errors"
	"log/slog"
	"time"

	"hush/storage"
	"hush/vault/outbox"
	"hush/vault/watch"
)

// lossesEvery is the least time between two lines of the log about lost
// notifications, which others may forge.
const lossesEvery = time.Minute

// heed returns what does the things that other nodes notify this one of. If
// notifications may be lost, it looks after everything.
func heed(watches *watch.Watches, mails *outbox.Bell, log *slog.Logger) func([]storage.Topic, error) {
	warn := warnOfLosses(log)
	return func(topics []storage.Topic, lost error) {
		watches.Hear(topics)
		mails.Hear(topics)
		if lost == nil {
			return
		}
		watches.Reread()
		mails.WakeHere()
		if !errors.Is(lost, storage.ErrListening) {
			warn(lost)
		}
	}
}

// warnOfLosses returns a function that logs losses, but few lines.
func warnOfLosses(log *slog.Logger) func(error) {
	var last time.Time
	losses := 0
	return func(cause error) {
		losses++
		if !last.IsZero() && time.Since(last) < lossesEvery {
			return
		}
		log.Warn("notifications of other nodes may be lost; watches follow within seconds", "times", losses, "cause", cause)
		last, losses = time.Now(), 0
	}
}
