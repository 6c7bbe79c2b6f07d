package server

import (
	"fmt"

	"hush/server/connections"
	"hush/server/process"
	"hush/server/settings"
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

// moreFiles returns how many files are needed beyond the reserved ones.
func (s *server) moreFiles() int {
	more := s.MoreStoreConns()
	if s.ACME {
		more += plainConns + plainLingering
	}
	if s.MetricsListen != "" {
		more += scrapeConns + scrapeLingering
	}
	return more
}

// checkFiles refuses a limit on open files that is too low for a useful
// service. The limit is 0 if it is unknown; more is how many files are
// needed beyond the reserved ones.
func checkFiles(limit, more int) error {
	if limit > 0 && limit < leastFiles+more {
		return fmt.Errorf("the limit on open files (ulimit -n) is %d: raise it to %d or more, %d for all connections", limit, leastFiles+more, fullFiles+more)
	}
	return nil
}

// connectionLimitsWithin returns the limits on connections that a limit on open
// files allows, each in proportion. A process that runs out of files accepts no
// connection, so the total stays below its limit. The limit has passed checkFiles
// with the same more.
func connectionLimitsWithin(limit, more, perNetwork int) connectionLimits {
	if limit == 0 || limit >= fullFiles+more {
		return connectionLimits{settings.MaxConnections, perNetwork, connections.Lingering}
	}
	files := limit - reservedFiles - more
	total := files * settings.MaxConnections / (fullFiles - reservedFiles)
	return connectionLimits{total, max(1, perNetwork*total/settings.MaxConnections), files - total}
}

// affordableConnections returns the limits of this process, and logs a warning if
// the limit on open files lowers them.
func (s *server) affordableConnections() connectionLimits {
	limit, more := process.FileLimit(), s.moreFiles()
	r := connectionLimitsWithin(limit, more, s.NetworkConns)
	if r.total < settings.MaxConnections {
		s.log.Warn("the limit on open files is low, so fewer connections are accepted; see ulimit -n or LimitNOFILE",
			"limit", limit, "needed", fullFiles+more, "connections", r.total, "otherwise", settings.MaxConnections, "of-one-network", r.perNetwork)
	}
	return r
}
