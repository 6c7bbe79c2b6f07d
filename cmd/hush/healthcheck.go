package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/cobra"
)

// healthTime is how long a service may take to answer.
const healthTime = 3 * time.Second

// healthcheckCommand returns "hush healthcheck".
func (p program) healthcheckCommand() *cobra.Command {
	c := &cobra.Command{Use: "healthcheck", Short: "exit 0 if a running service answers", Args: takes(0, 0)}
	s := addSettings(c, "listen", "base-url", "tls-cert")
	c.RunE = func(c *cobra.Command, _ []string) error { return p.healthcheck(c.Context(), s) }
	return c
}

// healthcheck asks a running service whether it answers.
func (p program) healthcheck(ctx context.Context, s *settings) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	target := s.healthURL()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<10))
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s", target, res.Status)
	}
	_, err = fmt.Fprintln(p.stdout, "ok")
	return err
}

// healthURL is where to ask: the address listened on, or with TLS, whose name
// must fit, the base URL.
func (s *settings) healthURL() string {
	if s.tlsCert != "" && s.baseURL != nil {
		return s.baseURL.String() + "/healthz"
	}
	host, port, _ := net.SplitHostPort(s.listen) // checked when it was set
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + "/healthz"
}
