package version

import (
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
)

// anonymous is the account of anonymous callers.
const anonymous = "anon"

// Custid returns the address of an account as responses have it; an empty one is that
// of anonymous callers.
func Custid(address string) string {
	if address == "" {
		return anonymous
	}
	return address
}

// NotNull makes JSON write an empty list as [].
func NotNull[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// StateWord returns the legacy word for a state.
func StateWord(s hushv1.State) string {
	switch s {
	case hushv1.State_STATE_NEW:
		return "new"
	case hushv1.State_STATE_VIEWED:
		return "viewed"
	case hushv1.State_STATE_RECEIVED:
		return "received"
	case hushv1.State_STATE_BURNED:
		return "burned"
	case hushv1.State_STATE_EXPIRED:
		return "expired"
	default:
		return "unknown"
	}
}

// Waits reports whether the secret can still be revealed.
func Waits(s hushv1.State) bool {
	return s == hushv1.State_STATE_NEW || s == hushv1.State_STATE_VIEWED
}

// EpochOrNull returns nil for an unset time.
func EpochOrNull(t *timestamppb.Timestamp) *int64 {
	if t == nil {
		return nil
	}
	return new(t.GetSeconds())
}

// SecondsOrNull returns nil for an unset duration.
func SecondsOrNull(d *durationpb.Duration) *int64 {
	if d == nil {
		return nil
	}
	return new(d.GetSeconds())
}
