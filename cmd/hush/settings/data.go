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
		{"data", flags.Text(&s.Data, "./hush-data", "`folder` of the data; created with mode 0700 if it does not exist")},
		{"root-key-file", flags.Text(&s.RootKeyFile, "", "`file` with the root key, from \"hush keygen\" (default: root.key in the data folder)")},
		{"store", flags.Choice(&s.Store, "where data is kept; \"memory\" loses everything at the end and is for tests and measurements", StoreBolt, StoreMemory)},
		{"audit-keep", flags.Keeping(&s.AuditKeep, "90d", "`duration` for which rows of the audit trail are kept, 1d to 3650d")},
	}
}
