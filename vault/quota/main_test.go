package quota_test

import (
	"flag"
	"os"
	"testing"

	"hush/storage/postgres/postgrestest"
)

// TestMain lets the state machines run less often on PostgreSQL, where each run
// costs a schema and each restart a few connections.
func TestMain(m *testing.M) {
	flag.Parse()
	if postgrestest.Shared() != "" {
		if err := flag.Set("rapid.checks", "20"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
