package settings

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/flags"
)

// dataSettings say where the data is.
type dataSettings struct {
	Data        string // the folder
	RootKeyFile string // empty for the one in the data folder
	Store       string
	StoreConns  int
	NodeName    string // empty for the name of the machine
	AuditKeep   time.Duration
	Wait        time.Duration // for the store, at the start
	// SpentLog is a folder, SpentLogOff, or empty for none.
	SpentLog      string
	SpentLogBegin bool
	// Moved says that the data folder, which looks like a copy, has moved; see AddMoved.
	Moved bool
}

const movedName = "moved"

// AddMoved adds the flag of a start after a move. It is no setting: in the environment or
// in a file it would stay, and let every copy be served from then on.
func (s *Settings) AddMoved(c *cobra.Command) {
	c.Flags().BoolVar(&s.Moved, movedName, false, "serve a data folder that is refused as a copy, since it was moved and the old one is gone for good; for one start")
	command.MarkSetting(c.Flags().Lookup(movedName), "Data", "")
	command.MarkDetail(c.Flags().Lookup(movedName))
}

// errMoved is for the name of that flag where settings are.
var errMoved = errors.New("--moved counts for one start, and would let every copy be served if it stayed here: give it to \"hush serve\" as a flag, once")

// SpentLogOff is the value of --spent-log that gives up a log for good.
const SpentLogOff = "off"

// The values of --store, beside the URL of a database.
const (
	StoreBolt   = "bolt"
	StoreMemory = "memory"
)

// backendPostgres is what a store in a PostgreSQL database is called.
const backendPostgres = "postgres"

// defaultStoreConns is how many connections to a database a node opens.
const defaultStoreConns = 16

// maxNodeName is the maximum characters of a node's name.
const maxNodeName = 63

func (s *dataSettings) settings() []setting {
	return []setting{
		{"data", firstDay(flags.Secret(&s.Data, "./hush-data", "data `folder`; created with mode 0700 if it does not exist", checkFolder))},
		{"root-key-file", firstDay(flags.Example("/etc/hush/root.key", flags.Text(&s.RootKeyFile, "", "`file` with the root key (default: root.key in the data folder); \"hush admin keygen\" writes one")))},
		{"store", flags.Secret(&s.Store, StoreBolt,
			"where data is stored: `bolt|memory|URL`; \"bolt\" is the data folder, \"memory\" loses everything when the process ends and is for tests, a URL is a PostgreSQL database that other nodes may share, such as postgres://hush@db.example.com/hush", checkStore)},
		{"store-connections", flags.Count(&s.StoreConns, defaultStoreConns, MaxConnections, "maximum number of `connections` to the database")},
		{"node-name", flags.Example("node-1", flags.Checked(&s.NodeName, "", "`name` of this node of a database that other nodes share (default: the name of the machine)", checkNode))},
		{"wait-for-store", flags.Wait(&s.Wait, "`duration` for which the start waits for a store that another process holds or that does not respond, 0s to 1h, such as 30s")},
		{"spent-log", flags.Example("/mnt/other/hush-spent", flags.Checked(&s.SpentLog, "", "`folder` on another disk for a log of what has ended, so that a restored backup brings nothing back; \"off\" gives up the log for good", checkLogFolder))},
		{"spent-log-begin", flags.Switch(&s.SpentLogBegin, "begin a new spent log if the one of the data is lost; remove it after that start")},
		{"audit-keep", flags.Keeping(&s.AuditKeep, "90d", "`duration` for which the audit trail is kept, 1d to 3650d")},
	}
}

// checkFolder refuses the URL of a database, which would be a folder with the
// password in its name.
func checkFolder(text string) error {
	if strings.Contains(text, "://") {
		return errors.New("must be a folder; the URL of a database belongs to --store")
	}
	return nil
}

// checkLogFolder is checkFolder for the spent log, which one word gives up. Another such
// word must not begin a log in a folder of that name.
func checkLogFolder(text string) error {
	if text != SpentLogOff && isSwitchWord(text) {
		return fmt.Errorf("must be a folder, or %s to give up the log for good; a folder of that name is ./%s", SpentLogOff, text)
	}
	return checkFolder(text)
}

// checkPlace refuses a word that is meant to turn off what is off without a value.
func checkPlace(text string) error {
	if isSwitchWord(text) {
		return fmt.Errorf("must be a path, or be left out for none; what has that name is ./%s", text)
	}
	return nil
}

// isSwitchWord reports whether a text is a word that files and people use for on or
// off, in any case.
func isSwitchWord(text string) bool {
	switch strings.ToLower(text) {
	case "off", "no", "false", "none", "null", "disabled", "0", "on", "yes", "true", "enabled", "1":
		return true
	}
	return false
}

func checkStore(text string) error {
	if text == "" || text == StoreBolt || text == StoreMemory || isPostgres(text) {
		return nil
	}
	return errors.New("must be bolt, memory, or a URL that begins with postgres://")
}

// IsDatabase reports whether a place of data is the URL of a database, and not a
// folder.
func IsDatabase(place string) bool { return isPostgres(place) }

func isPostgres(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}

// SharedStore reports whether the store is a database that other nodes may
// share.
func (s *dataSettings) SharedStore() bool { return isPostgres(s.Store) }

// Backend names the store, without the address and the password of a database.
func (s *dataSettings) Backend() string {
	switch {
	case s.SharedStore():
		return backendPostgres
	case s.Store == "":
		return StoreBolt
	}
	return s.Store
}

// SpentLogFolder returns the folder of the spent log, empty for none.
func (s *dataSettings) SpentLogFolder() string {
	if s.SpentLog == SpentLogOff {
		return ""
	}
	return s.SpentLog
}

// checkMoved returns a usage error for a store that --moved says nothing of.
func (s *dataSettings) checkMoved() error {
	if s.Moved && s.Store != "" && s.Store != StoreBolt {
		return command.Usage("--moved is about the data folder of a service, and --store names another store")
	}
	return nil
}

// checkSpentLog returns a usage error for a store that a spent log does not go
// with.
func (s *dataSettings) checkSpentLog() error {
	switch {
	case s.SpentLogBegin && s.SpentLogFolder() == "":
		return command.Usage("--spent-log-begin needs a folder in --spent-log")
	case s.SpentLogFolder() == "":
		return nil
	case s.SharedStore():
		return command.Usage("--spent-log does not go with a database that nodes share: each node would log only what it ends itself; use the point-in-time recovery of the database")
	case s.Store == StoreMemory:
		return command.Usage("--spent-log needs a data folder, and --store=memory has none")
	}
	return nil
}

func checkNode(name string) error { return printable(maxNodeName)(name) }

// Node returns the name of this node.
func (s *dataSettings) Node() string {
	if s.NodeName != "" {
		return s.NodeName
	}
	name, err := os.Hostname()
	if err != nil || checkNode(name) != nil {
		return "unnamed"
	}
	return name
}

// MoreStoreConns returns how many connections to a database are allowed beyond
// the default.
func (s *dataSettings) MoreStoreConns() int {
	if !s.SharedStore() {
		return 0
	}
	return max(0, s.StoreConns-defaultStoreConns)
}

// Meaningless returns the flags that were set and have no effect with the store.
func (s *Settings) Meaningless() (names []string) {
	if s.SharedStore() {
		if s.MinFree != defaultMinFree {
			names = append(names, "--min-free-bytes")
		}
		return names
	}
	if s.NodeName != "" {
		names = append(names, "--node-name")
	}
	if s.StoreConns != defaultStoreConns {
		names = append(names, "--store-connections")
	}
	return names
}
