package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// report is what is printed; its JSON form is for scripts.
type report struct {
	Target   string      `json:"target"`
	Protocol string      `json:"protocol"`
	Clients  int         `json:"clients"`
	Size     int         `json:"size"`
	Bare     bool        `json:"bare"`
	Runs     []runReport `json:"runs"`
}

// runReport is one measured operation. Latencies are microseconds of the
// requests that succeeded.
type runReport struct {
	Op        string         `json:"op"`
	Requests  int            `json:"requests"`
	OK        int            `json:"ok"`
	Seconds   float64        `json:"seconds"`
	PerSecond float64        `json:"per_second"`
	P50       int64          `json:"p50_us"`
	P90       int64          `json:"p90_us"`
	P99       int64          `json:"p99_us"`
	Max       int64          `json:"max_us"`
	CPU       float64        `json:"cpu_us,omitempty"` // of the watched processes, a request
	Errors    map[string]int `json:"errors"`
}

func newReport(cfg config, results []result) report {
	rep := report{
		Target:   targetNames(cfg.targets),
		Protocol: cfg.protocol,
		Clients:  cfg.clients,
		Size:     cfg.size,
		Bare:     cfg.bare,
	}
	for _, r := range results {
		rep.Runs = append(rep.Runs, runReport{
			Op:        r.op,
			Requests:  r.requests(),
			OK:        len(r.micros),
			Seconds:   r.elapsed.Seconds(),
			PerSecond: r.perSecond(),
			P50:       percentile(r.micros, 50).Microseconds(),
			P90:       percentile(r.micros, 90).Microseconds(),
			P99:       percentile(r.micros, 99).Microseconds(),
			Max:       percentile(r.micros, 100).Microseconds(),
			CPU:       float64(r.cpuPerRequest()) / float64(time.Microsecond),
			Errors:    r.errors,
		})
	}
	return rep
}

func targetNames(targets []target) string {
	names := make([]string, len(targets))
	for i, one := range targets {
		names[i] = "http://" + one.host
	}
	return strings.Join(names, ",")
}

// write prints the report for people or as one JSON object.
func (r report) write(w io.Writer, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	_, err := io.WriteString(w, r.text())
	return err
}

func (r report) text() string {
	var b strings.Builder
	server := "server"
	if r.Bare {
		server = "bare net/http handler"
	}
	fmt.Fprintf(&b, "%s at %s, %s, %d clients, %d bytes\n", server, r.Target, r.Protocol, r.Clients, r.Size)
	for _, run := range r.Runs {
		fmt.Fprintf(&b, "%-8s %8.0f/s   p50 %s  p90 %s  p99 %s  max %s   %d requests in %.1f s\n",
			run.Op, run.PerSecond, millis(run.P50), millis(run.P90), millis(run.P99), millis(run.Max),
			run.Requests, run.Seconds)
		if run.CPU > 0 {
			fmt.Fprintf(&b, "         %8.1f µs of processor time per request\n", run.CPU)
		}
		for _, kind := range slices.Sorted(maps.Keys(run.Errors)) {
			fmt.Fprintf(&b, "         %8d   %s\n", run.Errors[kind], kind)
		}
	}
	return b.String()
}

func millis(micros int64) string {
	return fmt.Sprintf("%.2f ms", float64(micros)/float64(time.Millisecond/time.Microsecond))
}

// verdict is nil if every request succeeded and there was one.
func (r report) verdict() error {
	for _, run := range r.Runs {
		if run.OK < run.Requests {
			return fmt.Errorf("%d of %d requests to %s failed", run.Requests-run.OK, run.Requests, run.Op)
		}
		if run.Requests == 0 {
			return fmt.Errorf("no request to %s was made", run.Op)
		}
	}
	return nil
}
