package handlers

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// each turns every item of a list into what it is on the wire.
func each[From, To any](list []From, of func(From) To) []To {
	var res []To
	for _, item := range list {
		res = append(res, of(item))
	}
	return res
}

// stamp is a moment on the wire; the zero time is absent.
func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// seconds is a time span on the wire where it is a plain number.
func seconds(d time.Duration) int64 { return int64(d / time.Second) }
