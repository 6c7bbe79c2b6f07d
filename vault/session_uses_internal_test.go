package vault

import "testing"

func sampleUse(n int) useKey { return useKey{bucketSession, [32]byte{byte(n), byte(n >> 8)}} }

func TestUsesRemember(t *testing.T) {
	t.Parallel()
	u, key := newUses(), sampleUse(1)
	if got := u.at(key, sampleMoment(5)); got != sampleMoment(5) {
		t.Errorf("at(unknown, stored): got %v, want %v", got, sampleMoment(5))
	}
	for _, at := range []int{7, 9, 8} {
		if !u.note(key, sampleMoment(at)) {
			t.Errorf("note(key): got false, want true")
		}
	}
	if got := u.at(key, sampleMoment(5)); got != sampleMoment(9) {
		t.Errorf("at(key, stored before): got %v, want %v", got, sampleMoment(9))
	}
	if got := u.at(key, sampleMoment(10)); got != sampleMoment(10) {
		t.Errorf("at(key, stored later): got %v, want %v", got, sampleMoment(10))
	}
}

// What is used while a flush is under way waits for the next one.
func TestUsesForgetWhatWasWritten(t *testing.T) {
	t.Parallel()
	u := newUses()
	u.note(sampleUse(1), sampleMoment(5))
	u.note(sampleUse(2), sampleMoment(5))
	written := u.all()
	u.note(sampleUse(2), sampleMoment(6))
	u.note(sampleUse(3), sampleMoment(6))
	u.forget(written)
	left := u.all()
	if len(left) != 2 || left[sampleUse(2)] != sampleMoment(6) || left[sampleUse(3)] != sampleMoment(6) {
		t.Errorf("forget(written): got %v left, want the second and third use", left)
	}
}

func TestUsesAreBounded(t *testing.T) {
	t.Parallel()
	u := newUses()
	for n := range usesMost {
		u.note(sampleUse(n), sampleMoment(5))
	}
	if u.note(sampleUse(usesMost), sampleMoment(5)) {
		t.Errorf("note(one more than %d): got true, want false", usesMost)
	}
	if !u.note(sampleUse(0), sampleMoment(6)) {
		t.Error("note(one that is known): got false, want true")
	}
}
