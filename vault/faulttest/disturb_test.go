package faulttest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage/postgres/postgrestest"
)

// stall is how long a node is stopped to lose its number and its leases.
const stall = 35 * time.Second

// keepalive is how long after a fault a side that does not know of the loss of its
// connection finds out. Until then it counts among the connections of the server.
const keepalive = 5 * time.Second

// fault is something that goes wrong for a while. It returns when it is over.
type fault struct {
	name string
	do   func(c *fleet, d *dice) error
}

var faults = []fault{
	{"connections cut amid what they carry", func(c *fleet, d *dice) error {
		return c.disturb(d, func(p *postgrestest.Proxy) { p.CutOneIn(4 + d.below(8)) }, time.Second)
	}},
	{"connections cut", func(c *fleet, d *dice) error {
		return c.disturb(d, (*postgrestest.Proxy).Cut, 0)
	}},
	{"connections delayed", func(c *fleet, d *dice) error {
		delay := one(d, 5*time.Millisecond, 50*time.Millisecond, 300*time.Millisecond)
		return c.disturb(d, func(p *postgrestest.Proxy) { p.Delay(delay) }, 2*time.Second)
	}},
	{"connections held, then delivered", func(c *fleet, d *dice) error {
		return c.disturb(d, (*postgrestest.Proxy).Hold, one(d, time.Second, 2*time.Second))
	}},
	{"connections held until they are given up, then delivered", func(c *fleet, d *dice) error {
		return c.disturb(d, (*postgrestest.Proxy).Hold, 8*time.Second)
	}},
	{"connections held until they are given up and replaced, then delivered", func(c *fleet, d *dice) error {
		return c.disturb(d, (*postgrestest.Proxy).HoldPresent, 10*time.Second)
	}},
	{"connections open only for nodes", func(c *fleet, d *dice) error {
		return c.disturb(d, (*postgrestest.Proxy).LoseServer, time.Second)
	}},
	{"connections open only for the server", func(c *fleet, d *dice) error {
		return c.disturb(d, (*postgrestest.Proxy).LoseClients, time.Second)
	}},
	{"answers lost", func(c *fleet, d *dice) error {
		return c.disturb(d, func(p *postgrestest.Proxy) { p.Mute(true) }, one(d, 200*time.Millisecond, 2*time.Second))
	}},
	{"database out of reach", func(c *fleet, d *dice) error {
		return c.disturb(d, func(p *postgrestest.Proxy) { p.Refuse(true); p.Cut() }, one(d, time.Second, 4*time.Second))
	}},
	{"server crashed", func(*fleet, *dice) error { return errors.Join(server.Crash(), server.Run()) }},
	{"connections of the server used up", useUpConnections},
	{"node killed", func(c *fleet, d *dice) error {
		place := d.below(nodesMost)
		c.kill(place)
		time.Sleep(200 * time.Millisecond)
		c.start(place, options{})
		return nil
	}},
	{"backend stopped", func(c *fleet, d *dice) error { return stopBackends(c, d, 1) }},
	{"backends stopped", func(c *fleet, d *dice) error { return stopBackends(c, d, 100) }},
	{"backends ended", func(c *fleet, _ *dice) error {
		return query(c, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+appName+"'")
	}},
}

// stalled stops a node for longer than it keeps its number, which another one
// takes meanwhile.
var stalled = fault{"node stopped until it lost its number", func(c *fleet, d *dice) error {
	place := d.below(nodesMost)
	other := (place + 1) % nodesMost
	c.kill(place)
	c.start(place, options{patient: true})
	time.Sleep(time.Second)
	p := c.nodes[place].Load().proxy
	p.Hold()
	time.Sleep(stall)
	c.kill(other)
	c.start(other, options{}) // takes the lowest number that is free
	time.Sleep(time.Second)
	p.Release()
	time.Sleep(time.Second)
	c.kill(place)
	c.start(place, options{})
	return nil
}}

// disturb disturbs the connections of one node or of all, and heals them after
// a while.
func (c *fleet) disturb(d *dice, how func(*postgrestest.Proxy), long time.Duration) error {
	var all []*postgrestest.Proxy
	for i := range c.nodes {
		all = append(all, c.nodes[i].Load().proxy)
	}
	if d.below(4) > 0 {
		all = []*postgrestest.Proxy{one(d, all...)}
	}
	for _, p := range all {
		how(p)
	}
	time.Sleep(long)
	for _, p := range all {
		p.CutOneIn(0)
		p.Delay(0)
		p.Mute(false)
		p.Refuse(false)
		p.Release()
		time.AfterFunc(keepalive, p.EndLost)
	}
	return nil
}

// connectOnce returns a connection of another client of the server, or an error for
// which isFull holds if the server has none left.
func connectOnce(c *fleet) (*pgconn.PgConn, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Second)
	defer cancel()
	return pgconn.Connect(ctx, server.URL("postgres"))
}

// isFull reports whether a server has no connection left.
func isFull(err error) bool {
	reported, ok := errors.AsType[*pgconn.PgError](err)
	return ok && reported.Code == "53300"
}

// connect is connectOnce that waits for a connection: the server needs a while to
// take back those that an earlier fault held.
func connect(c *fleet) (*pgconn.PgConn, error) {
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		pg, err := connectOnce(c)
		if err == nil || !isFull(err) || time.Now().After(until) {
			return pg, err
		}
	}
}

// query runs a statement and ignores what it returns.
func query(c *fleet, sql string) error {
	pg, err := connect(c)
	if err != nil {
		return err
	}
	_, err = pg.Exec(c.t.Context(), sql).ReadAll()
	return errors.Join(err, pg.Close(c.t.Context()))
}

// useUpConnections takes all connections that the server has left, cuts those of
// nodes, and takes what comes free.
func useUpConnections(c *fleet, d *dice) error {
	var hogs []*pgconn.PgConn
	defer func() {
		for _, pg := range hogs {
			_ = pg.Close(context.Background())
		}
	}()
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until); {
		pg, err := connectOnce(c)
		if err == nil {
			hogs = append(hogs, pg)
			continue
		}
		if !isFull(err) {
			return err
		}
		c.nodes[d.below(nodesMost)].Load().proxy.Cut()
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// stopBackends stops some of the server's processes that serve nodes.
func stopBackends(c *fleet, d *dice, most int) error {
	pg, err := connect(c)
	if err != nil {
		return err
	}
	results, err := pg.Exec(c.t.Context(), "SELECT pid FROM pg_stat_activity WHERE application_name = '"+appName+"' ORDER BY state <> 'active', random()").ReadAll()
	if err := errors.Join(err, pg.Close(c.t.Context())); err != nil {
		return err
	}
	var stopped []int
	for _, row := range results[0].Rows[:min(most, len(results[0].Rows))] {
		pid, err := strconv.Atoi(string(row[0]))
		if err != nil {
			return err
		}
		if syscall.Kill(pid, syscall.SIGSTOP) == nil {
			stopped = append(stopped, pid)
		}
	}
	time.Sleep(one(d, time.Second, 3*time.Second))
	for _, pid := range stopped {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	return nil
}

// tally counts faults by their names.
type tally map[string]int

func (t tally) String() string {
	var s strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(&s, "\n%5d  %s", t[name], name)
	}
	return s.String()
}
