package handlers

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// each converts every item of a list to its wire form.
func each[From, To any](list []From, of func(From) To) []To {
	var res []To
	for _, item := range list {
		res = append(res, of(item))
	}
	return res
}

// stamp returns the wire form of a time; the zero time is absent.
func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// stampIn is stamp in memory that the caller has.
func stampIn(into *timestamppb.Timestamp, t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	into.Seconds, into.Nanos = t.Unix(), int32(t.Nanosecond())
	return into
}

// durationIn is durationpb.New in memory that the caller has.
func durationIn(into *durationpb.Duration, d time.Duration) *durationpb.Duration {
	into.Seconds, into.Nanos = int64(d/time.Second), int32(d%time.Second)
	return into
}

// seconds returns a duration as a plain number of seconds.
func seconds(d time.Duration) int64 { return int64(d / time.Second) }
