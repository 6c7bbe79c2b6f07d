//go:build !linux

package connections

import "net"

// limitBacklog does nothing: the system has no such limit, or names it otherwise.
func limitBacklog(net.Conn) {}
