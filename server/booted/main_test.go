package booted_test

import (
	"os"
	"testing"

	"hush/server/servertest"
)

func TestMain(m *testing.M) {
	if os.Getenv(asPanic) != "" {
		panicUnrecovered()
	}
	servertest.Main(m)
}
