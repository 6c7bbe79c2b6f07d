package admin

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/server/settings"
)

// healthTime is how long a service may take to respond: longer than a handshake
// waits for a certificate that is being obtained.
const healthTime = 8 * time.Second

// Healthcheck returns "hush healthcheck": it asks the service on this machine whether it
// responds.
func Healthcheck(on *console.Console) *cobra.Command {
	c := &cobra.Command{
		Use: "healthcheck", Short: "check whether the service is running", Args: command.Takes(0, 0),
		Long: `Check whether the service is running: exit with 0 if it responds, with 1 if not.
It connects to the address of --listen on this machine, and needs neither the
public name nor a certificate that is valid. Where systemd opens the socket, name
its address with --listen.`,
		Example: `# Check the service on its standard address
hush healthcheck
# Check the one with the settings of a file
hush healthcheck --config /etc/hush/hush.yaml`,
	}
	s := settings.Add(c, "listen", "base-url", "tls-cert", "acme")
	c.RunE = func(c *cobra.Command, _ []string) error { return healthcheck(c.Context(), on, s) }
	return c
}

// healthcheck asks a running service whether it responds.
func healthcheck(ctx context.Context, on *console.Console, s *settings.Settings) error {
	network, address, err := s.Dial()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.HealthURL(), http.NoBody)
	if err != nil {
		return err
	}
	res, err := healthTransport(network, address).RoundTrip(req)
	if err != nil {
		return fmt.Errorf("no response on %s: %w", s.ListenAddress(), err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<10))
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s", s.ListenAddress(), res.Status)
	}
	_, err = fmt.Fprintln(on.Out, "ok")
	return err
}

// healthTransport connects to one address, whatever the URL is. The service is on
// this machine and is told nothing, so its certificate, which may be about to be
// renewed, does not matter.
func healthTransport(network, address string) *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialHere(ctx, network, address)
		},
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}, //nolint:gosec // see above
		DisableKeepAlives: true,
	}
}

// dialHere connects to an address of this machine. An address without a host is
// tried on both loopback addresses: a container may not know the name localhost.
func dialHere(ctx context.Context, network, address string) (conn net.Conn, err error) {
	hosts := []string{""}
	if strings.HasPrefix(address, ":") {
		hosts = []string{"127.0.0.1", "[::1]"}
	}
	var failed error
	for _, host := range hosts {
		if conn, err = new(net.Dialer).DialContext(ctx, network, host+address); err == nil {
			return conn, nil
		}
		failed = cmp.Or(failed, err)
	}
	return nil, failed
}
