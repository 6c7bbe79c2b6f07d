package handlers

import (
	"context"

	testnamev1 "hush/gen/testname/v1"
	"hush/vault/place"
)

// TestName is testname.v1.TestName on the table of places.
type TestName struct{ places place.Places }

// Lookup finds a place.
func (s *TestName) Lookup(ctx context.Context, req *testnamev1.LookupRequest) (*testnamev1.Coordinate, error) {
	place, err := s.places.LookupPlace(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	return &testnamev1.Coordinate{Latitude: place.Latitude, Altitude: place.Altitude}, nil
}
