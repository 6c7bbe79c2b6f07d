package bolt

// arenaChunk fits the values of a usual batch.
const arenaChunk = 64 << 10

// arena hands out copies of values that live as long as one bbolt transaction.
// It reuses its memory for the next one.
type arena struct {
	chunk []byte
}

// clone returns a copy of value, never nil: bbolt treats an unwritten nil value
// as a missing key.
func (a *arena) clone(value []byte) []byte {
	if cap(a.chunk)-len(a.chunk) < len(value) || a.chunk == nil {
		a.chunk = make([]byte, 0, max(arenaChunk, len(value)))
	}
	start := len(a.chunk)
	a.chunk = append(a.chunk, value...)
	return a.chunk[start:len(a.chunk):len(a.chunk)]
}

// reset discards all copies. The transaction that used them must be over.
func (a *arena) reset() {
	if cap(a.chunk) > arenaChunk {
		a.chunk = nil
	}
	a.chunk = a.chunk[:0]
}
