package handlers

import "hush/gen/hush/v1/hushv1connect"

const (
	// compressFrom is the smallest answer worth compressing, in bytes.
	compressFrom = 1024
	// concealLimit is the most bytes of a message that holds a secret of
	// 1 MiB: JSON may need six bytes for one, but text that does is rare.
	concealLimit = 4 << 20
	// messageLimit is the most bytes of any other message.
	messageLimit = 64 << 10
)

// readLimit is the most bytes that a procedure's message may have after
// decompression.
func readLimit(procedure string) int {
	if procedure == hushv1connect.SecretServiceConcealSecretProcedure {
		return concealLimit
	}
	return messageLimit
}
