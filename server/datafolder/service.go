package datafolder

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// ServiceURL is the address of requests over the socket of a service; it is never
// looked up.
const ServiceURL = "http://hush"

// servicePatience is how long a service may take to respond.
const servicePatience = 900 * time.Millisecond

// Service returns a client of the service that holds a data folder, and reports
// whether one responds, whatever it says. Work that must not be done twice goes
// only to a service that responded a moment ago. The caller calls done.
func Service(ctx context.Context, folder string) (client *http.Client, done func(), found bool) {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return DialAdmin(ctx, folder)
	}}
	client = &http.Client{Transport: transport}
	return client, transport.CloseIdleConnections, responds(ctx, client)
}

func responds(ctx context.Context, client *http.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, servicePatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, ServiceURL, http.NoBody)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<10))
	return res.Body.Close() == nil
}
