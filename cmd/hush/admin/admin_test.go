package admin

import (
	"errors"
	"strings"
	"testing"

	"connectrpc.com/connect"
)

// An operator reads the message of a refusal, and where to look if the service
// or its database is away.
func TestPlainly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"refusal":     {connect.NewError(connect.CodeInvalidArgument, errors.New("no such role")), "no such role"},
		"unavailable": {connect.NewError(connect.CodeUnavailable, errors.New("unavailable")), "see its log"},
		"other":       {errors.New("broken"), "broken"},
	} {
		if got := serviceError(c.err).Error(); !strings.Contains(got, c.want) {
			t.Errorf("serviceError(%s): got %q, want %q in it", name, got, c.want)
		}
	}
}
