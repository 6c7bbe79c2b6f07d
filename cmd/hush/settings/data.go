package settings

import (
	"time"

	"hush/cmd/hush/flags"
)

// dataSettings say where the data is.
type dataSettings struct {
	Data        string // the folder
	RootKeyFile string // empty for the one in the data folder
	Store       string
	AuditKeep   time.Duration
}

// The values of --store.
const (
	StoreBolt   = "bolt"
	StoreMemory = "memory"
)

func (s *dataSettings) settings() []setting {
	return []setting{
		{"data", flags.Text(&s.Data, "./hush-data", "data `folder`; created with mode 0700 if it does not exist")},
		{"root-key-file", flags.Text(&s.RootKeyFile, "", "`file` with the root key, as \"hush keygen\" writes it (default: root.key in the data folder)")},
		{"store", flags.Choice(&s.Store, "where data is stored; \"memory\" loses everything when the process ends and is for tests", StoreBolt, StoreMemory)},
		{"audit-keep", flags.Keeping(&s.AuditKeep, "90d", "`duration` for which the audit trail is kept, 1d to 3650d")},
	}
}
