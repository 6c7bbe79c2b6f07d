package handlers

import (
	"context"

	testnamev1 "hush/gen/testname/v1"
	"hush/vault/place"
)

// TestName is testname.v1.TestName on the table of places, which it cannot
// change.
type TestName struct{ places lookup }

// lookup finds a place by name.
type lookup interface {
	LookupPlace(ctx context.Context, name string) (place.Place, error)
}

// Lookup finds a place.
func (s *TestName) Lookup(ctx context.Context, req *testnamev1.LookupRequest) (*testnamev1.Coordinate, error) {
	place, err := s.places.LookupPlace(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	return &testnamev1.Coordinate{Latitude: place.Latitude, Altitude: place.Altitude}, nil
}
