package main

import "testing"

// TestReadme runs the README's commands one after the other and compares what
// they print. Where the README stands for something with a word in brackets or
// shows keys of its own, the keys of the answers before are put in.
func TestReadme(t *testing.T) {
	needCurl(t)
	s := startHush(t)
	sessions := consoleSessions(t, "../../README.md")
	if len(sessions) < 9 {
		t.Fatalf("README: got %d commands, want 9 or more", len(sessions))
	}
	c := &transcript{url: s.url, dir: "../..", known: map[string]string{}}
	for _, session := range sessions {
		c.run(t, session)
	}
}
