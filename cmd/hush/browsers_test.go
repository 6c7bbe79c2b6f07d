package main

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"hush/server/servertest"
	"hush/testtier"
)

// browserPrograms are what the browsers need that Playwright cannot drive.
type browserPrograms struct {
	Firefox      string `json:"firefox,omitempty"`
	WebKitDriver string `json:"webkitDriver,omitempty"`
	Xvfb         string `json:"xvfb,omitempty"`
}

// People use other browsers than Chromium, too. What they do most is written down
// in web/browsers, once for all of them.
func TestOtherBrowsers(t *testing.T) {
	servertest.RunOnce(t, "pages are the same on any store")
	testtier.Full(t, "starts other browsers")
	// WebKit refuses a session's cookie over plain HTTP, even from this machine.
	cert, key, _ := servertest.SelfSigned(t)
	env, s := servertest.StartAccounts(t, "--tls-cert", cert, "--tls-key", key, "--rate-limits=off", "--log-level=debug", "--requests=anyone")
	for task, find := range map[string]func(*testing.T) *browserPrograms{"firefox": findFirefox, "webkit": findWebKit} {
		t.Run(task, func(t *testing.T) {
			tools, programs := findBrowserRunner(t), find(t)
			about := browserEnvironment{URL: s.URL, Task: task, Programs: programs}
			runBrowser(t, tools, env, about, http.NotFoundHandler())
		})
	}
	servertest.WantNoErrors(t, s)
	if strings.Contains(s.Log.String(), "e2e secret") {
		t.Error("log: got a secret in it, want none")
	}
}

func findFirefox(t *testing.T) *browserPrograms {
	t.Helper()
	firefox, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Skip("needs firefox-esr: not installed")
	}
	return &browserPrograms{Firefox: firefox}
}

func findWebKit(t *testing.T) *browserPrograms {
	t.Helper()
	driver, err := exec.LookPath("WebKitWebDriver")
	if err != nil {
		t.Skip("needs webkit2gtk-driver: not installed")
	}
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("needs xvfb: not installed")
	}
	return &browserPrograms{WebKitDriver: driver, Xvfb: xvfb}
}
