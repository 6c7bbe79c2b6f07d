package chain

import "hush/gen/hush/v1/hushv1connect"

const (
	// compressFrom is the smallest answer worth compressing, in bytes.
	compressFrom = 1024
	// concealLimit is the most bytes of a message that holds a secret of
	// 1 MiB: JSON may need six bytes for one, but text that does is rare.
	concealLimit = 4 << 20
	// imageLimit is the most bytes of a message that holds an image of 1 MiB,
	// which is a third longer in JSON.
	imageLimit = 2 << 20
	// verdictLimit is the most bytes of one that holds a form of 50 fields of
	// 8 KiB and the verdict about it.
	verdictLimit = 1 << 20
	// reportLimit is the most bytes of a browser's report, with all that JSON
	// may escape.
	reportLimit = 256 << 10
	// messageLimit is the most bytes of any other message.
	messageLimit = 64 << 10
)

// readLimit is the most bytes that a procedure's message may have after
// decompression.
func readLimit(procedure string) int {
	switch procedure {
	case hushv1connect.SecretServiceConcealSecretProcedure:
		return concealLimit
	case hushv1connect.DomainServiceUpdateDomainLogoProcedure:
		return imageLimit
	case hushv1connect.ChallengeServiceAltchaVerifySpamProcedure:
		return verdictLimit
	case hushv1connect.IntakeServiceReceiveExceptionProcedure:
		return reportLimit
	default:
		return messageLimit
	}
}
