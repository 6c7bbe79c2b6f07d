package receipt

import (
	"slices"
	"testing"

	"hush/vault/recordtest"
)

func FuzzDecodeMetadata(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decode(data)
		if err != nil {
			return nil, err
		}
		if data[0] < metadataVersion { // read for ever, written no more
			again, err := decode(r.encode())
			return slices.Concat(data[:1], again.encode()[1:len(data)]), err
		}
		return r.encode(), nil
	}, "metadata-v2", "metadata-ended-v2", "metadata-v3", "metadata-ended-v3", "metadata-ended-v4", "metadata-grouped-v4")
}

func FuzzDecodeTimeline(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := decodeTimeline(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "timeline-v1")
}

func FuzzDecodeEntry(f *testing.F) {
	recordtest.Fuzz(f, func(data []byte) ([]byte, error) {
		r, err := DecodeEntry(data)
		if err != nil {
			return nil, err
		}
		return r.encode(), nil
	}, "entry-v1")
}
