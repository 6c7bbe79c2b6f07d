package vault

import (
	"context"
	"errors"
	"fmt"
)

// ImportPlaces adds places or overwrites those of the same folded name, all or
// none. With replace the table is emptied first. An InvalidError names the
// entry, as in places[3].latitude.
func (o Operator) ImportPlaces(ctx context.Context, places []Place, replace bool) error {
	for i, place := range places {
		err := place.Check()
		if invalid, ok := errors.AsType[*InvalidError](err); ok {
			return &InvalidError{Field: fmt.Sprintf("places[%d].%s", i, invalid.Field), Text: invalid.Text}
		}
		if err != nil {
			return err
		}
	}
	return NewPlaces(o.v.store).Import(ctx, places, replace)
}

// ListPlaces returns the imported places, ordered by folded name, and after
// them the built-in ones that no import hides.
func (o Operator) ListPlaces(ctx context.Context) ([]Place, error) {
	return NewPlaces(o.v.store).List(ctx)
}

// RemovePlace deletes an imported place, or returns ErrNotFound. Built-in
// places stay.
func (o Operator) RemovePlace(ctx context.Context, name string) error {
	return NewPlaces(o.v.store).Remove(ctx, name)
}
