package sharefile

import (
	"encoding/hex"
	"fmt"
	"testing"
)

// TestSlotFormat pins the bytes on disk.
func TestSlotFormat(t *testing.T) {
	d := slotData{generation: 0x0102, state: slotLive}
	for i := range d.share {
		d.share[i] = byte(i)
	}
	raw := d.encode(7)
	const want = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" +
		"0201000000000000" + "0700000000000000" + "01" + "0000000000000000000000" + "3e280144"
	if got := hex.EncodeToString(raw[:]); got != want {
		t.Errorf("encode: got %s, want %s", got, want)
	}
	id := StoreID{0xaa, 15: 0xbb}
	for version, sum := range map[headerVersion]string{headerOpen: "da4d1e88", headerBarred: "d5264161"} {
		header := encodeHeader(id, version)
		want := "6875736873687273" + fmt.Sprintf("%02d000000", version) + "40000000" +
			"aa0000000000000000000000000000bb" +
			"00000000000000000000000000000000000000000000000000000000" + sum
		if got := hex.EncodeToString(header[:]); got != want {
			t.Errorf("encodeHeader(version %d): got %s, want %s", version, got, want)
		}
		if gotID, got, err := decodeHeader(&header); gotID != id || got != version || err != nil {
			t.Errorf("decodeHeader(version %d): got %x, %d, %v, want %x, %[1]d, nil", version, gotID, got, err, id)
		}
	}
}

func TestDecodeSlot(t *testing.T) {
	live := slotData{generation: 3, state: slotLive, share: [32]byte{1}}
	raw := live.encode(7)
	if got := decodeSlot(&raw, 7); got != live {
		t.Errorf("decodeSlot: got %v, want %v", got, live)
	}
	if got := decodeSlot(&raw, 8); got.state != slotDamaged {
		t.Errorf("decodeSlot(wrong place): got state %d, want damaged", got.state)
	}
	if got := decodeSlot(&rawSlot{}, 7); got != (slotData{}) {
		t.Errorf("decodeSlot(zeros): got %v, want fresh", got)
	}
	for bit := range SlotSize * 8 {
		flipped := raw
		flipped[bit/8] ^= 1 << (bit % 8)
		if got := decodeSlot(&flipped, 7); got != (slotData{state: slotDamaged}) {
			t.Errorf("decodeSlot(bit %d flipped): got %v, want damaged", bit, got)
		}
	}
}

// FuzzDecodeSlot: what is accepted encodes to the same bytes again.
func FuzzDecodeSlot(f *testing.F) {
	raw := slotData{generation: 1, state: slotDestroyed}.encode(1)
	f.Add(raw[:], uint64(1))
	f.Add(make([]byte, SlotSize), uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, number uint64) {
		var raw rawSlot
		copy(raw[:], data)
		d := decodeSlot(&raw, number)
		switch {
		case d.state == slotDamaged, d.state == slotFresh && raw == rawSlot{}:
		case d.encode(number) != raw:
			t.Errorf("decodeSlot(%x): got %v, which encodes differently", raw, d)
		}
	})
}
