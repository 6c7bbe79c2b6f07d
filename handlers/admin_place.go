package handlers

import (
	"context"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault/place"
)

// ImportPlaces adds places or overwrites them.
func (s *AdminService) ImportPlaces(ctx context.Context, req *adminv1.ImportPlacesRequest) (*adminv1.ImportPlacesResponse, error) {
	places := each(req.GetPlaces(), readPlace)
	if err := s.places.ImportChecked(ctx, places, req.GetReplace()); err != nil {
		return nil, err
	}
	return &adminv1.ImportPlacesResponse{Imported: int32(len(places))}, nil
}

// ListPlaces lists the table.
func (s *AdminService) ListPlaces(ctx context.Context, _ *adminv1.ListPlacesRequest) (*adminv1.ListPlacesResponse, error) {
	places, err := s.places.List(ctx)
	if err != nil {
		return nil, err
	}
	return &adminv1.ListPlacesResponse{Places: each(places, placeOf)}, nil
}

// RemovePlace removes an imported place.
func (s *AdminService) RemovePlace(ctx context.Context, req *adminv1.RemovePlaceRequest) (*adminv1.RemovePlaceResponse, error) {
	if err := s.places.Remove(ctx, req.GetName()); err != nil {
		return nil, err
	}
	return &adminv1.RemovePlaceResponse{}, nil
}

// readPlace leaves out whether the place is built in: what is imported is not.
func readPlace(p *adminv1.Place) place.Place {
	return place.Place{Name: p.GetName(), Latitude: p.GetLatitude(), Altitude: p.GetAltitude()}
}

func placeOf(p place.Place) *adminv1.Place {
	return &adminv1.Place{Name: p.Name, Latitude: p.Latitude, Altitude: p.Altitude, BuiltIn: p.BuiltIn}
}
