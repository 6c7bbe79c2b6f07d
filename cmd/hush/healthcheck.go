package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"hush/cmd/hush/command"
	"hush/cmd/hush/settings"

	"github.com/spf13/cobra"
)

// healthTime is how long a service may take to respond.
const healthTime = 3 * time.Second

// healthcheckCommand returns "hush healthcheck".
func (p program) healthcheckCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "healthcheck", Short: "check whether the service is running", Args: command.Takes(0, 0),
		Long: "Check whether the service is running: exit with 0 if it responds, with 1 if not.",
	}
	s := settings.Add(c, "listen", "base-url", "tls-cert")
	c.RunE = func(c *cobra.Command, _ []string) error { return p.healthcheck(c.Context(), s) }
	return c
}

// healthcheck asks a running service whether it responds.
func (p program) healthcheck(ctx context.Context, s *settings.Settings) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	target := s.HealthURL()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no response: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<10))
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s", target, res.Status)
	}
	_, err = fmt.Fprintln(p.console.Out, "ok")
	return err
}
