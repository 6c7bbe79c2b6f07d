package chunked

// Seal returns the message, encrypted under key and context. It returns ErrKey.
func Seal(key, context, message []byte) ([]byte, error) {
	salt := NewSalt()
	m, commitment, err := newMessage(key, salt[:], context)
	if err != nil {
		return nil, err
	}
	sealed := make([]byte, 0, SealedSize(int64(len(message))))
	sealed = append(append(sealed, salt[:]...), commitment...)
	for k := uint64(0); ; k++ {
		n := min(len(message), chunkSize)
		sealed = m.seal(sealed, message[:n], k)
		if message = message[n:]; n < chunkSize {
			return sealed, nil
		}
	}
}

// Open returns the message that was encrypted under key and context. Unlike a
// Reader it returns nothing of a message that is damaged anywhere. It returns
// ErrKey, ErrHeader, ErrChunk or ErrTruncated.
func Open(key, context, sealed []byte) ([]byte, error) {
	m, err := openHeader(sealed[:min(len(sealed), HeaderSize)], key, context)
	if err != nil {
		return nil, err
	}
	sealed = sealed[HeaderSize:]
	message := make([]byte, 0, len(sealed))
	for k := uint64(0); len(sealed) >= tagSize; k++ {
		n := min(len(sealed), sealedChunk)
		if message, err = m.open(message, sealed[:n], k); err != nil {
			return nil, err
		}
		if sealed = sealed[n:]; n < sealedChunk {
			return message, nil
		}
	}
	return nil, ErrTruncated
}
