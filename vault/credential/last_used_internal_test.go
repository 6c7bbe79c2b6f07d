package credential

import (
	"testing"

	"hush/vault/recordtest"
)

func SampleUse(n int) UseKey { return SessionUse([32]byte{byte(n), byte(n >> 8)}) }

func TestUsesRemember(t *testing.T) {
	t.Parallel()
	u, key := newLastUsed(), SampleUse(1)
	if got := u.at(key, recordtest.Moment(5)); got != recordtest.Moment(5) {
		t.Errorf("at(unknown, stored): got %v, want %v", got, recordtest.Moment(5))
	}
	for _, at := range []int{7, 9, 8} {
		if !u.note(key, recordtest.Moment(at)) {
			t.Errorf("note(key): got false, want true")
		}
	}
	if got := u.at(key, recordtest.Moment(5)); got != recordtest.Moment(9) {
		t.Errorf("at(key, stored before): got %v, want %v", got, recordtest.Moment(9))
	}
	if got := u.at(key, recordtest.Moment(10)); got != recordtest.Moment(10) {
		t.Errorf("at(key, stored later): got %v, want %v", got, recordtest.Moment(10))
	}
}

// What is used while a flush is under way waits for the next one.
func TestUsesForgetWhatWasWritten(t *testing.T) {
	t.Parallel()
	u := newLastUsed()
	u.note(SampleUse(1), recordtest.Moment(5))
	u.note(SampleUse(2), recordtest.Moment(5))
	written := u.all()
	u.note(SampleUse(2), recordtest.Moment(6))
	u.note(SampleUse(3), recordtest.Moment(6))
	u.forget(written)
	left := u.all()
	if len(left) != 2 || left[SampleUse(2)] != recordtest.Moment(6) || left[SampleUse(3)] != recordtest.Moment(6) {
		t.Errorf("forget(written): got %v left, want the second and third use", left)
	}
}

func TestUsesAreBounded(t *testing.T) {
	t.Parallel()
	u := newLastUsed()
	for n := range usesMost {
		u.note(SampleUse(n), recordtest.Moment(5))
	}
	if u.note(SampleUse(usesMost), recordtest.Moment(5)) {
		t.Errorf("note(one more than %d): got true, want false", usesMost)
	}
	if !u.note(SampleUse(0), recordtest.Moment(6)) {
		t.Error("note(one that is known): got false, want true")
	}
}
