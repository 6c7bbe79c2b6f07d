package kills_test

import (
	"testing"

	"hush/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }
