package chain

import "hush/gen/hush/v1/hushv1connect"

const (
	// compressFrom is the minimum size of a compressed response, in bytes.
	compressFrom = 1024
	// concealLimit is the maximum bytes of a message with a secret or an answer of 1 MiB.
	// JSON may need six bytes for one, but such text is rare.
	concealLimit = 4 << 20
	// partLimit is the maximum bytes of a message with a part of a file of 8 MiB, which is a
	// third longer in JSON.
	partLimit = 12 << 20
	// imageLimit is the maximum bytes of a message with an image of 1 MiB,
	// which is a third longer in JSON.
	imageLimit = 2 << 20
	// verdictLimit is the maximum bytes of a message with a form of 50 fields
	// of 8 KiB and the verdict about it.
	verdictLimit = 1 << 20
	// reportLimit is the maximum bytes of a browser's report, including all
	// JSON escapes.
	reportLimit = 256 << 10
	// messageLimit is the maximum bytes of any other message.
	messageLimit = 64 << 10
)

// readLimit returns the maximum bytes of a procedure's message after
// decompression.
func readLimit(procedure string) int {
	switch procedure {
	case hushv1connect.SecretServiceConcealSecretProcedure, hushv1connect.RequestServiceAnswerRequestProcedure:
		return concealLimit
	case hushv1connect.FileServicePutPartProcedure:
		return partLimit
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
