package main

import (
	"fmt"
	"log/slog"

	"hush/cmd/hush/process"
	"hush/connections"
)

const (
	// reservedFiles is how many files are left for everything but the clients'
	// connections: the store, DNS, mail, operators' commands, and connections
	// that are accepted to be refused or are on their way to be closed.
	reservedFiles = 128
	// fullFiles is how many open files the service takes with all connections.
	fullFiles = maxConnections + connections.Lingering + reservedFiles
	// leastFiles leaves a few dozen connections.
	leastFiles = reservedFiles + 64
)

// room is how many connections the limit on open files leaves.
type room struct {
	total, perNetwork, lingering int
}

// checkFiles refuses a limit on open files that leaves no service worth its
// name. The limit is 0 where it is unknown.
func checkFiles(limit int) error {
	if limit > 0 && limit < leastFiles {
		return fmt.Errorf("the limit on open files (ulimit -n) is %d: raise it to %d or more, %d for all connections", limit, leastFiles, fullFiles)
	}
	return nil
}

// roomWithin returns what a limit on open files leaves of the limits on
// connections, each in proportion. A process that runs out of files accepts no
// connection, so the total stays below its limit. The limit is at least
// leastFiles, or 0 if it is unknown.
func roomWithin(limit, perNetwork int) room {
	if limit == 0 || limit >= fullFiles {
		return room{maxConnections, perNetwork, connections.Lingering}
	}
	files := limit - reservedFiles
	total := files * maxConnections / (fullFiles - reservedFiles)
	return room{total, max(1, perNetwork*total/maxConnections), files - total}
}

// connectionRoom is roomWithin of this process, and says so if it is less than
// it would be.
func (s *settings) connectionRoom(log *slog.Logger) room {
	limit := process.FileLimit()
	r := roomWithin(limit, s.networkConns)
	if r.total < maxConnections {
		log.Warn("the limit on open files is low, so fewer connections are accepted; see ulimit -n or LimitNOFILE",
			"limit", limit, "needed", fullFiles, "connections", r.total, "otherwise", maxConnections, "of-one-network", r.perNetwork)
	}
	return r
}
