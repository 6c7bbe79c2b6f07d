package handlers

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"slices"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault/rootkey"
)

// ListRootKeys lists the root keys.
func (s *AdminService) ListRootKeys(ctx context.Context, _ *adminv1.ListRootKeysRequest) (*adminv1.ListRootKeysResponse, error) {
	list, err := s.operator.RootKeys.List(ctx)
	if err != nil {
		return nil, err
	}
	return &adminv1.ListRootKeysResponse{
		Keys: each(list.Keys, rootKeyOf), Unlisted: each(list.Unlisted, nameOfKID), DamagedCount: int64(list.Damaged),
	}, nil
}

func nameOfKID(kid [4]byte) string { return hex.EncodeToString(kid[:]) }

func rootKeyOf(k rootkey.Status) *adminv1.RootKey {
	shown := &adminv1.RootKey{Name: nameOfKID(k.KID), State: k.State.String()}
	if !k.Since.IsZero() {
		shown.SinceTime = timestamppb.New(k.Since)
	}
	for _, kind := range slices.Sorted(maps.Keys(k.Uses)) {
		shown.Uses = append(shown.Uses, &adminv1.RootKeyUse{Kind: string(kind), Count: int64(k.Uses[kind]), Ends: rootkey.Ends(kind)})
	}
	return shown
}

// RotateRootKey makes another root key the current one.
func (s *AdminService) RotateRootKey(ctx context.Context, req *adminv1.RotateRootKeyRequest) (*adminv1.RotateRootKeyResponse, error) {
	kid, err := s.operator.RootKeys.Rotate(ctx, req.GetName())
	if err != nil {
		return nil, refusedRootKey(err)
	}
	return &adminv1.RotateRootKeyResponse{Name: nameOfKID(kid)}, nil
}

// RetireRootKey ends the use of a root key.
func (s *AdminService) RetireRootKey(ctx context.Context, req *adminv1.RetireRootKeyRequest) (*adminv1.RetireRootKeyResponse, error) {
	removed, err := s.operator.RootKeys.Retire(ctx, req.GetName())
	if err != nil {
		return nil, refusedRootKey(err)
	}
	return &adminv1.RetireRootKeyResponse{Removed: removed}, nil
}

// refusedRootKey lets the operator read why root keys cannot be changed.
func refusedRootKey(err error) error {
	if refused, ok := errors.AsType[*rootkey.RefusedError](err); ok {
		return connect.NewError(connect.CodeFailedPrecondition, refused)
	}
	return err
}
