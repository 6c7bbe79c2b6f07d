package sharefile

import (
	"context"
	"fmt"
)

// BarOlder implements storage.Shares. The header never crosses a sector, so it
// is old or new after a power cut.
func (s *File) BarOlder(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.RUnlock()
	var raw rawSlot
	if _, err := s.file.ReadAt(raw[:], 0); err != nil {
		return fmt.Errorf("reading the header of shares: %w", err)
	}
	id, version, err := decodeHeader(&raw)
	if err != nil || version == headerBarred {
		return err
	}
	raw = encodeHeader(id, headerBarred)
	if err := s.writer.WriteAt(s.file, raw[:], 0); err != nil {
		return s.failed("writing the header of shares", err)
	}
	return s.syncs.Sync()
}
