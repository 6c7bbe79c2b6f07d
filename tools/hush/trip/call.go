package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"runtime"
	"runtime/coverage"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/console"
	"hush/server"
	"hush/server/settings"
)

const (
	// patience is how long the service may take for anything.
	patience = time.Minute
	// afterwards is how long what follows an answer may take, such as destroying a
	// share, which waits for 50 ms. Were it too short, the runs would not agree.
	afterwards = time.Second
)

// content is what the calls share.
const content = "something to keep"

// call is a call whose functions are counted.
type call struct {
	prepare func(context.Context, service) (key string, err error) // runs before, and is not counted
	run     func(ctx context.Context, s service, key string) error
}

func calls() map[string]call {
	return map[string]call{
		"share": {
			prepare: func(context.Context, service) (string, error) { return "", nil },
			run: func(ctx context.Context, s service, _ string) error {
				_, err := share(ctx, s)
				return err
			},
		},
		"reveal with a claim": {prepare: share, run: reveal},
	}
}

func callNames() []string { return slices.Sorted(maps.Keys(calls())) }

// service is the address of a service in this process.
type service string

// runCall starts a service, makes a call, and writes to a folder what it entered.
func runCall(ctx context.Context, name, counters string) error {
	c, known := calls()[name]
	if !known {
		return fmt.Errorf("there is no call %q: want one of %q", name, callNames())
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// What a sync.Pool has left depends on processors and on the garbage collector.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	data, err := os.MkdirTemp("", "hush-trip-data-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	s, ended, err := start(ctx, data)
	if err != nil {
		return err
	}
	key, err := c.prepare(ctx, s)
	if err != nil {
		return err
	}
	time.Sleep(afterwards)
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := c.run(ctx, s, key); err != nil {
		return err
	}
	time.Sleep(afterwards)
	if err := errors.Join(coverage.WriteMetaDir(counters), coverage.WriteCountersDir(counters)); err != nil {
		return err
	}
	cancel()
	return <-ended
}

// start starts the service that "hush serve" runs, with a data folder and a fixed clock,
// and returns once it serves. How it ended is sent on ended, once ctx is done.
func start(ctx context.Context, data string) (s service, ended <-chan error, err error) {
	c := &cobra.Command{}
	set := settings.Add(c, settings.Names()...)
	if err := c.ParseFlags([]string{"--data", data, "--listen", "127.0.0.1:0"}); err != nil {
		return "", nil, err
	}
	log, logged := io.Pipe()
	now := time.Now()
	end := make(chan error, 1)
	go func() {
		end <- server.Run(ctx, server.Options{
			Settings: set, Console: &console.Console{Err: logged}, Version: "trip",
			Now: func() time.Time { return now }, Manual: true,
		})
		_ = logged.Close()
	}()
	var told strings.Builder
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if _, url, serves := strings.Cut(lines.Text(), "serving on "); serves {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return service(url), end, nil
		}
		told.WriteString(lines.Text() + "\n")
	}
	return "", nil, fmt.Errorf("the service did not start: %w\n%s", <-end, told.String())
}

// share shares a text as a form over v1, and returns the key in its link.
func share(ctx context.Context, s service) (key string, err error) {
	var shared struct {
		Key string `json:"secret_key"`
	}
	err = s.post(ctx, "/api/v1/share", "application/x-www-form-urlencoded", "secret="+strings.ReplaceAll(content, " ", "+")+"&ttl=3600", &shared)
	if err == nil && shared.Key == "" {
		err = errors.New("the answer to a share has no key")
	}
	return shared.Key, err
}

// reveal reveals a secret with a claim, over Connect with JSON.
func reveal(ctx context.Context, s service, key string) error {
	claim := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	var revealed struct {
		Value string `json:"value"`
	}
	err := s.post(ctx, "/hush.v1.SecretService/RevealSecret", "application/json", fmt.Sprintf(`{"secretKey":%q,"claim":%q}`, key, claim), &revealed)
	if err == nil && revealed.Value != content {
		err = fmt.Errorf("the secret reads %q, want %q", revealed.Value, content)
	}
	return err
}

// post sends one request on a connection of its own, and decodes the response.
func (s service) post(ctx context.Context, path, contentType, body string, response any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, string(s)+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s: %s", path, res.Status, text)
	}
	return json.Unmarshal(text, response)
}
