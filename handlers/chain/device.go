package chain

import (
	"context"

	"github.com/mileusna/useragent"

	"hush/vault/caller"
)

// agentMost is how many bytes of a User-Agent header are read. Browsers send
// less than 250.
const agentMost = 400

// DeviceFrom returns what the caller's program says of itself: the names of the
// browser and of its system, without versions. Both come from the lists below;
// nothing else of the header is kept.
func DeviceFrom(ctx context.Context) caller.Device {
	r := recordFrom(ctx)
	if r == nil || len(r.agent) > agentMost {
		return caller.Device{}
	}
	agent := useragent.Parse(r.agent)
	return caller.Device{Browser: browserName(agent.Name), System: systemName(agent.OS)}
}

// browserName returns the name of a browser that people sign in with, or "".
func browserName(name string) string {
	switch name {
	case useragent.HeadlessChrome:
		return useragent.Chrome
	case useragent.MobileSafari:
		return useragent.Safari
	case useragent.Chrome, useragent.Edge, useragent.Firefox, useragent.Opera, useragent.Safari,
		useragent.SamsungBrowser, useragent.Vivaldi:
		return name
	}
	return ""
}

// systemName returns the name of a system that browsers run on, or "".
func systemName(name string) string {
	switch name {
	case useragent.CrOS:
		return useragent.ChromeOS
	case useragent.Android, useragent.ChromeOS, useragent.FreeBSD, useragent.Harmony, useragent.IOS,
		useragent.Linux, useragent.MacOS, useragent.Windows:
		return name
	}
	return ""
}
