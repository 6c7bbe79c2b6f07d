package settings

import (
	"errors"
	"time"

	"hush/cli/flags"
	"hush/server/process"
)

// limitSettings bound what callers may keep and how often they may call.
type limitSettings struct {
	MaxBytes     int64
	AccountBytes int64
	NetworkBytes int64
	// AccountFile and AnonymousFile are the maximum bytes of a file; 0 takes none.
	AccountFile, AnonymousFile int64
	// FileSilence and FileLongest are how long a claim on a file lasts.
	FileSilence, FileLongest time.Duration
	MinFree                  int64
	NetworkConns             int
	RateLimits               string
	MemoryLimit              int64 // 0 if it was not given
}

// MaxConnections is how many connections the service accepts.
const MaxConnections = 4096

// The most that may be kept, and what stays free on the disk.
const (
	DefaultMaxBytes     = 64 << 30
	defaultNetworkBytes = 256 << 20
	defaultAccountBytes = 4 << 30
	defaultMinFree      = 256 << 20

	defaultAccountFile   = 1 << 30
	defaultAnonymousFile = 100 << 20
)

// DefaultNetworkConnections is how many connections one network may have open.
const DefaultNetworkConnections = 256

func (s *limitSettings) settings() []setting {
	return []setting{
		{"max-bytes", flags.SizeFrom(&s.MaxBytes, DefaultMaxBytes, "maximum number of `bytes` that all secrets and receipts use, such as 64GiB; a quarter is reserved for accounts", checkRoom)},
		{"max-account-bytes", flags.SizeFrom(&s.AccountBytes, defaultAccountBytes, "maximum number of `bytes` that the secrets and receipts of one account use", checkRoom)},
		{"max-network-bytes", flags.SizeFrom(&s.NetworkBytes, defaultNetworkBytes,
			"maximum number of `bytes` that secrets and receipts created by one network without an account use; an IPv6 /48 may use four times as much", checkRoom)},
		{"max-file-bytes", flags.SizeOrNone(&s.AccountFile, defaultAccountFile,
			"maximum number of `bytes` of a file that an account shares, such as 20GiB; 0 for none. Files count toward --max-account-bytes and --max-bytes")},
		{"max-anonymous-file-bytes", flags.SizeOrNone(&s.AnonymousFile, defaultAnonymousFile,
			"maximum number of `bytes` of a file that is shared without an account; 0 for none. Files count toward --max-network-bytes and --max-bytes")},
		{"file-claim-silence", flags.Duration(&s.FileSilence, "2h",
			"`time` for which an opened file stays its reader's who fetches nothing")},
		{"file-claim-longest", flags.Duration(&s.FileLongest, "24h",
			"longest `time` for which an opened file stays its reader's")},
		{"min-free-bytes", flags.Size(&s.MinFree, defaultMinFree, "refuse new secrets when fewer `bytes` than this are free on the disk")},
		{"max-connections-per-network", flags.Count(&s.NetworkConns, DefaultNetworkConnections, MaxConnections,
			"maximum number of open `connections` from one network; trusted proxies have no maximum")},
		{"rate-limits", flags.Choice(&s.RateLimits, "limit how often one network may call the service", "on", "off")},
		{"memory-limit", flags.Example("512MiB", flags.CheckedSize(&s.MemoryLimit, "nine tenths of the control group's limit",
			"`bytes` of memory that the process tries to stay below, such as 512MiB; at least 128MiB", process.CheckMemory))},
	}
}

// leastRoom holds one secret of the maximum size with its receipt, also in the part of
// --max-bytes that is not reserved for accounts.
const leastRoom = 2 << 20

// checkRoom refuses a limit under which some secret could never be shared.
func checkRoom(bytes int64) error {
	if bytes < leastRoom {
		return errors.New("must be 2MiB or more: one secret may need that")
	}
	return nil
}
