package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// The most that one run may ask for. They keep a slip of the finger from
// filling the disk of the machine under test.
const (
	maxCount    = 5_000_000
	maxClients  = 4096
	maxWarmup   = 1_000_000
	maxSize     = 100 << 10 // what a caller without an account may share
	maxDuration = 10 * time.Minute
	minTTL      = time.Minute
	maxTTL      = 7 * 24 * time.Hour // without an account
)

// The protocols and operations by their flag values.
const (
	protocolV1      = "v1"
	protocolV2      = "v2"
	protocolConnect = "connect"
	protocolGRPC    = "grpc"

	opConceal = "conceal"
	opReveal  = "reveal"
	opBoth    = "both"
)

// config is what a run was asked to do, checked.
type config struct {
	targets  []target // client i calls targets[i % len(targets)]
	protocol string
	op       string
	clients  int
	networks int // zero: all clients call from one address
	count    int
	duration time.Duration // zero: until count is reached
	size     int
	ttl      time.Duration
	warmup   int
	json     bool
	bare     bool
	watched  processes // whose processor time is reported
}

// target is a server on this machine.
type target struct {
	host string // as the Host header says it
	addr string // as it is dialled
}

const usage = `hush-load measures a Hush server on this machine.

  hush-load --op both                         v1, 64 clients, 100000 secrets
  hush-load --protocol grpc --clients 256     conceal over gRPC
  hush-load --op reveal --count 200000 --json
  hush-load --target http://127.0.0.1:7143,http://127.0.0.1:7144
                                              the clients in turn over two nodes
  hush-load --bare                            the floor: a net/http handler that does nothing

Start the server with --rate-limits=off, or it refuses most requests. With more
than 256 clients, start it with --max-connections-per-network=4096 as well, and
for more than 250,000 secrets with a higher --max-network-bytes. That counts the
secrets of one network and their receipts, which are kept for twice their lifetime.

Flags:
`

// parseFlags reads args. It returns flag.ErrHelp after printing help.
func parseFlags(args []string, stderr io.Writer) (config, error) {
	var cfg config
	var addresses, watched string
	flags := flag.NewFlagSet("hush-load", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&addresses, "target", "http://127.0.0.1:7143", "the server's `URL`, or those of all nodes, separated by commas;\nloopback addresses only")
	flags.StringVar(&cfg.protocol, "protocol", protocolV1, "v1 (form posts), v2 (JSON), connect (Connect JSON) or grpc")
	flags.StringVar(&cfg.op, "op", opConceal, "conceal, reveal (conceals untimed first) or both")
	flags.IntVar(&cfg.clients, "clients", 64, "clients, each with one request in flight")
	flags.IntVar(&cfg.networks, "networks", 0, "call from addresses of as many networks in turn, not over grpc; 0 means from one address")
	flags.IntVar(&cfg.count, "count", 100_000, "measured requests of an operation, at most 5000000")
	flags.DurationVar(&cfg.duration, "duration", 0, "stop an operation after this time too, at most 10m; 0 means by count only.\nWithout --count, conceal and both then go on for the whole time")
	flags.IntVar(&cfg.size, "size", 64, "bytes of a secret, at most 102400")
	flags.DurationVar(&cfg.ttl, "ttl", time.Hour, "lifetime of a secret, in whole seconds, 1m to 168h")
	flags.IntVar(&cfg.warmup, "warmup", 1000, "requests before the measured ones")
	flags.BoolVar(&cfg.json, "json", false, "print the report as JSON")
	flags.StringVar(&watched, "processes", "", "also report the processor time per request of these processes together: the\n`number` of the server's, or those of all nodes and of the database, separated\nby commas; Linux only")
	flags.BoolVar(&cfg.bare, "bare", false, "measure a bare net/http handler in a process of its own instead of a server")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, usage)
			flags.SetOutput(stderr)
			flags.PrintDefaults()
		}
		return config{}, err
	}
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if cfg.bare && given["target"] {
		return config{}, errors.New("--bare brings its own server: leave out --target")
	}
	if cfg.bare && given["processes"] {
		return config{}, errors.New("--bare watches its own server: leave out --processes")
	}
	if given["processes"] && watched == "" {
		return config{}, errors.New("--processes: want the number of a process; is the server running?")
	}
	all, err := parseProcesses(watched)
	if err != nil {
		return config{}, err
	}
	cfg.watched = all
	if cfg.duration > 0 && !given["count"] && cfg.op != opReveal {
		cfg.count = maxCount
	}
	for address := range strings.SplitSeq(addresses, ",") {
		one, err := parseTarget(address)
		if err != nil {
			return config{}, err
		}
		cfg.targets = append(cfg.targets, one)
	}
	return cfg, cfg.check()
}

// check names the first value outside its limits.
func (c config) check() error {
	switch c.protocol {
	case protocolV1, protocolV2, protocolConnect, protocolGRPC:
	default:
		return fmt.Errorf("--protocol %q: want v1, v2, connect or grpc", c.protocol)
	}
	switch c.op {
	case opConceal, opReveal, opBoth:
	default:
		return fmt.Errorf("--op %q: want conceal, reveal or both", c.op)
	}
	for _, limit := range []struct {
		flag             string
		value, low, high int
	}{
		{"clients", c.clients, 1, maxClients},
		{"networks", c.networks, 0, maxClients},
		{"count", c.count, 1, maxCount},
		{"size", c.size, 1, maxSize},
		{"warmup", c.warmup, 0, maxWarmup},
	} {
		if limit.value < limit.low || limit.value > limit.high {
			return fmt.Errorf("--%s %d: want %d to %d", limit.flag, limit.value, limit.low, limit.high)
		}
	}
	if c.networks > 0 && c.protocol == protocolGRPC {
		return errors.New("--networks: not over grpc, whose clients share connections")
	}
	if c.duration < 0 || c.duration > maxDuration {
		return fmt.Errorf("--duration %v: want 0 to %v", c.duration, maxDuration)
	}
	if c.ttl < minTTL || c.ttl > maxTTL || c.ttl%time.Second != 0 {
		return fmt.Errorf("--ttl %v: want whole seconds, %v to %v", c.ttl, minTTL, maxTTL)
	}
	return nil
}

// targetOf returns the server that a client calls.
func (c config) targetOf(client int) target { return c.targets[client%len(c.targets)] }

// addressOf returns the address that a client calls from: each network, as
// servers count them, is a /24. Nil leaves it to the system.
func (c config) addressOf(client int) net.Addr {
	if c.networks == 0 {
		return nil
	}
	n := client%c.networks + 1
	return &net.TCPAddr{IP: net.IPv4(127, byte(n>>8), byte(n), 1)}
}

// parseTarget accepts http URLs of a loopback address and nothing else.
func parseTarget(address string) (target, error) {
	u, err := url.Parse(address)
	if err != nil {
		return target{}, fmt.Errorf("--target: %w", err)
	}
	if u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || (u.Path != "" && u.Path != "/") {
		return target{}, fmt.Errorf("--target %q: want http://ADDRESS:PORT", address)
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	host := u.Hostname()
	if host == "localhost" {
		// Not looked up: a name could lead anywhere.
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() {
		return target{}, fmt.Errorf("--target %q: only loopback addresses are allowed; run hush-load on the server's own machine", address)
	}
	return target{host: u.Host, addr: net.JoinHostPort(host, port)}, nil
}
