package datafolder_test

import (
	"log/slog"
	"strings"
	"testing"

	"hush/server/datafolder"
)

// A copy of a folder onto itself is refused as such, and not as in use.
func TestOneFolderAsBothEnds(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	ends, err := datafolder.OpenEnds(t.Context(), folder, folder+"/.", "", true, false, slog.New(slog.DiscardHandler))
	if err == nil {
		err = ends.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "same folder") {
		t.Errorf("OpenEnds(one folder twice): got %v, want an error that says so", err)
	}
}
