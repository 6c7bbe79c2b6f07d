package place

import (
	"context"
	"errors"
	"fmt"

	"hush/vault/refusal"
)

// ImportChecked adds places or overwrites those of the same folded name, all or
// none. With replace it empties the table first. An InvalidError names the
// entry, as in places[3].latitude.
func (t Places) ImportChecked(ctx context.Context, places []Place, replace bool) error {
	for i, place := range places {
		err := place.Check()
		if invalid, ok := errors.AsType[*refusal.InvalidError](err); ok {
			return &refusal.InvalidError{Field: fmt.Sprintf("places[%d].%s", i, invalid.Field), Text: invalid.Text}
		}
		if err != nil {
			return err
		}
	}
	return t.Import(ctx, places, replace)
}
