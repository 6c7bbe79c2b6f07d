package people

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"hush/client"
)

const (
	// sendTime is how long an answer is sent again whose fate is not known.
	sendTime = 2 * time.Minute
	// sendPause is the pause between these calls, each of which is repeated by itself.
	sendPause = 2 * time.Second
)

// answerToSend is an answer with what is said of it.
type answerToSend struct {
	client.SealedAnswer

	title, name string
}

// answeredJSON is what --json prints of an answer.
type answeredJSON struct {
	Title         string     `json:"title"`
	Receipt       string     `json:"receipt"`
	ShortID       string     `json:"short_id"`
	Server        string     `json:"server"`
	HasPassphrase bool       `json:"has_passphrase"`
	Expires       *time.Time `json:"expires"`
	FileName      string     `json:"file_name,omitempty"`
}

// send sends an answer, and says where its receipt is.
func (a *answerCommand) send(ctx context.Context, requests client.Requests, answer answerToSend, file *linkFile) error {
	answered, err := sendAgain(ctx, requests, answer.SealedAnswer)
	if err != nil {
		if failed := file.remove(); failed != nil {
			a.console.Fail(failed)
		}
		return sendError(ctx, err)
	}
	a.console.Tellf("the answer was sent; it waits until %s, and only the requester's device can read it", endText(answered.Receipt.Expires))
	failed := a.keepReceipt(answered, file)
	if !a.asJSON {
		return failed
	}
	return errors.Join(failed, printJSON(a.console, answeredJSON{
		Title: answer.title, Receipt: answered.ReceiptLink.Expose(), ShortID: answered.Receipt.ShortID, Server: answer.Link.Server,
		HasPassphrase: answer.HasPassphrase, Expires: timeJSON(answered.Receipt.Expires), FileName: answer.name,
	}))
}

// sendAgain sends an answer until the server takes or refuses it: another run could not
// send the same one.
func sendAgain(ctx context.Context, requests client.Requests, answer client.SealedAnswer) (client.Answered, error) {
	for until := time.Now().Add(sendTime); ; {
		answered, err := requests.Answer(ctx, answer)
		if client.KindOf(err) != client.KindNetwork || ctx.Err() != nil || time.Now().After(until) {
			return answered, err
		}
		select {
		case <-time.After(sendPause):
		case <-ctx.Done():
			return answered, err
		}
	}
}

// sendError returns the error for an answer that was not taken.
func sendError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted; whether the answer arrived is not known, and another run would be another answer")
	}
	if client.KindOf(err) == client.KindNetwork {
		return withExitCode(fmt.Errorf("%w; another run would be another answer", err))
	}
	return withExitCode(err)
}

// keepReceipt puts the receipt into its file, or tells it. If the file cannot be written, it
// tells it too, and removes the file.
func (a *answerCommand) keepReceipt(answered client.Answered, file *linkFile) (failed error) {
	receipt := answered.ReceiptLink.Expose()
	if file != nil {
		file.err = errors.Join(file.write(receipt), file.file.Close())
		if file.err == nil {
			a.console.Tellf("the receipt is in %s", a.receiptFile)
			return nil
		}
		failed = fmt.Errorf("--receipt-file: %w", file.err)
	}
	if a.asJSON {
		return failed
	}
	if lost := a.console.TryTellf("receipt: %s", receipt); lost != nil {
		return errors.Join(failed, lost)
	}
	if failed != nil {
		failed = errors.Join(failed, os.Remove(a.receiptFile))
	}
	return failed
}
