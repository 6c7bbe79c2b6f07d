package server

import (
	"fmt"

	"hush/cmd/hush/process"
	"hush/cmd/hush/settings"
	"hush/connections"
)

const (
	// reservedFiles is how many files are left for everything but the clients'
	// connections: the store, DNS, mail, operators' commands, and connections
	// that are accepted to be refused or are on their way to be closed.
	reservedFiles = 128
	// fullFiles is how many open files the service takes with all connections.
	fullFiles = settings.MaxConnections + connections.Lingering + reservedFiles
	// leastFiles leaves a few dozen connections.
	leastFiles = reservedFiles + 64
)

// connectionLimits are the limits on connections that the limit on open files
// allows.
type connectionLimits struct {
	total, perNetwork, lingering int
}

// checkFiles refuses a limit on open files that is too low for a useful
// service. The limit is 0 if it is unknown.
func checkFiles(limit int) error {
	if limit > 0 && limit < leastFiles {
		return fmt.Errorf("the limit on open files (ulimit -n) is %d: raise it to %d or more, %d for all connections", limit, leastFiles, fullFiles)
	}
	return nil
}

// connectionLimitsWithin returns the limits on connections that a limit on open
// files allows, each in proportion. A process that runs out of files accepts no
// connection, so the total stays below its limit. The limit is at least
// leastFiles, or 0 if it is unknown.
func connectionLimitsWithin(limit, perNetwork int) connectionLimits {
	if limit == 0 || limit >= fullFiles {
		return connectionLimits{settings.MaxConnections, perNetwork, connections.Lingering}
	}
	files := limit - reservedFiles
	total := files * settings.MaxConnections / (fullFiles - reservedFiles)
	return connectionLimits{total, max(1, perNetwork*total/settings.MaxConnections), files - total}
}

// affordableConnections returns the limits of this process, and logs a warning if
// the limit on open files lowers them.
func (s *server) affordableConnections() connectionLimits {
	limit := process.FileLimit()
	r := connectionLimitsWithin(limit, s.NetworkConns)
	if r.total < settings.MaxConnections {
		s.log.Warn("the limit on open files is low, so fewer connections are accepted; see ulimit -n or LimitNOFILE",
			"limit", limit, "needed", fullFiles, "connections", r.total, "otherwise", settings.MaxConnections, "of-one-network", r.perNetwork)
	}
	return r
}
