package settings

import (
	"hush/cmd/hush/flags"
	"hush/cmd/hush/process"
)

// limitSettings bound what callers may keep and how often they may call.
type limitSettings struct {
	MaxBytes     int64
	AccountBytes int64
	NetworkBytes int64
	MinFree      int64
	NetworkConns int
	RateLimits   string
	MemoryLimit  int64 // 0 if it was not given
}

// MaxConnections is how many connections the service accepts.
const MaxConnections = 4096

// The most that may be kept, and what stays free on the disk.
const (
	DefaultMaxBytes     = 64 << 30
	defaultNetworkBytes = 256 << 20
	defaultAccountBytes = 1 << 30
	defaultMinFree      = 256 << 20
)

// DefaultNetworkConnections is how many connections one network may have open.
const DefaultNetworkConnections = 256

func (s *limitSettings) settings() []setting {
	return []setting{
		{"max-bytes", flags.Size(&s.MaxBytes, DefaultMaxBytes, "most `bytes` that all secrets and receipts may take together, as in 64GiB; a quarter is reserved for accounts")},
		{"max-account-bytes", flags.Size(&s.AccountBytes, defaultAccountBytes, "most `bytes` that the secrets and receipts of one account may take together")},
		{"max-network-bytes", flags.Size(&s.NetworkBytes, defaultNetworkBytes,
			"most `bytes` that the secrets and receipts of one network without an account may take together; an IPv6 /48 may take four times as much")},
		{"min-free-bytes", flags.Size(&s.MinFree, defaultMinFree, "refuse new secrets when the disk has fewer `bytes` free")},
		{"max-connections-per-network", flags.Count(&s.NetworkConns, DefaultNetworkConnections, MaxConnections,
			"most `connections` that one network may have open; trusted proxies may have any number")},
		{"rate-limits", flags.Choice(&s.RateLimits, "limits on how often one network may call", "on", "off")},
		{"memory-limit", flags.CheckedSize(&s.MemoryLimit, "nine tenths of the control group's",
			"`bytes` of memory that the process tries to stay below, as in 512MiB; at least 128MiB", process.CheckMemory)},
	}
}
