package people

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"hush/cli/console"
	"hush/client"
)

// made is a secret that was shared.
type made struct {
	client.Shared

	recipient string // empty for none
}

// shareWith shares a content and says what became of it.
func (s *share) shareWith(ctx context.Context, server *client.Client, request client.ShareRequest, file *receiptFile) error {
	all, shareErr := s.shareAll(ctx, server, request, file)
	if len(all) == 0 {
		if err := file.remove(); err != nil {
			s.on.Fail(err)
		}
		return shareErr
	}
	extraErr := errors.Join(s.tellReceipts(all, file), s.pass(ctx, all))
	if shareErr != nil || !s.watched {
		return errors.Join(shareErr, extraErr)
	}
	if extraErr != nil {
		s.on.Fail(extraErr)
	}
	return s.watch(ctx, server, all)
}

// shareAll shares a content with each recipient, or once if there is none. It prints
// each link at once, after its receipt has its place, and stops at the first failure.
func (s *share) shareAll(ctx context.Context, server *client.Client, request client.ShareRequest, file *receiptFile) ([]made, error) {
	recipients := s.recipients
	if len(recipients) == 0 {
		recipients = []string{""}
	}
	if len(recipients) > 1 && server.Protocol() == client.ProtocolHush {
		request.Group = make([]byte, 16)
		_, _ = rand.Read(request.Group) // never fails
	}
	var all []made
	for _, recipient := range recipients {
		if recipient != "" {
			request.Recipients = []string{recipient}
		}
		shared, err := server.Share(ctx, request)
		if err != nil {
			return all, s.failed(ctx, all, recipients, err)
		}
		if !shared.Value.IsEmpty() { // all recipients get the same text
			request.Generate, request.Content = nil, &client.Content{Bytes: []byte(shared.Value.Expose())}
		}
		one := made{shared, recipient}
		all = append(all, one)
		if file != nil {
			file.err = file.write(receiptsOf(all))
		}
		if err := s.print(one, request, server); err != nil {
			s.unprinted = true
			return all, err
		}
	}
	return all, nil
}

// failed returns the error for a secret that was not shared, and says which of a
// group were.
func (s *share) failed(ctx context.Context, all []made, recipients []string, err error) error {
	told, _ := errors.AsType[*client.Error](err)
	unsent := told != nil && told.Unsent
	switch {
	case ctx.Err() != nil && unsent:
		err = errors.New("interrupted; the content was not sent completely, and nothing was shared")
	case ctx.Err() != nil:
		err = errors.New("interrupted; a secret that no one has a link to may wait at the server until it expires")
	}
	if len(recipients) == 1 {
		return Fail(err)
	}
	at := len(all)
	text := "not shared for " + joinAddresses(recipients[at:])
	if (client.KindOf(err) == client.KindNetwork || ctx.Err() != nil) && !unsent {
		text = "perhaps shared for " + console.Visible(recipients[at])
		if rest := recipients[at+1:]; len(rest) > 0 {
			text += ", not for " + joinAddresses(rest)
		}
	}
	if at == 0 {
		return Fail(fmt.Errorf("%s: %w", text, err))
	}
	return fmt.Errorf("shared for %s, as printed above; %s: %w", joinAddresses(recipients[:at]), text, err)
}

// joinAddresses returns addresses for people.
func joinAddresses(addresses []string) string {
	shown := make([]string, len(addresses))
	for i, address := range addresses {
		shown[i] = console.Visible(address)
	}
	return strings.Join(shown, ", ")
}

// printed is what --json prints for a link.
type printed struct {
	Link          string `json:"link"`
	Receipt       string `json:"receipt"`
	ShortID       string `json:"short_id,omitempty"`
	Server        string `json:"server"`
	Protocol      string `json:"protocol"`
	Encryption    string `json:"encryption"`
	TTL           int64  `json:"ttl,omitempty"`
	Expires       string `json:"expires,omitempty"`
	HasPassphrase bool   `json:"has_passphrase"`
	Recipient     string `json:"recipient,omitempty"`
	FileName      string `json:"file_name,omitempty"`
	Passphrase    string `json:"passphrase,omitempty"`
	Value         string `json:"value,omitempty"`
}

// print prints the link of a secret, and what to know about it.
func (s *share) print(one made, request client.ShareRequest, server *client.Client) error {
	s.tellElsewhere(one, server)
	if granted := one.Receipt.TTL; granted > 0 && s.ttl > 0 && granted != s.ttl && s.isFirst(one) {
		defer s.on.Tellf("the server allows %s, and not the %s of --ttl", Span(granted), Span(s.ttl))
	}
	if s.asJSON {
		return unprinted(PrintJSON(s.on, s.printed(one, request, server)))
	}
	if _, err := fmt.Fprintln(s.on.Out, one.Link.Expose()); err != nil {
		return unprinted(err)
	}
	s.tell(one)
	return s.printDrawn(one, request)
}

// printDrawn prints what was drawn for a secret, once for a group. It goes nowhere else.
func (s *share) printDrawn(one made, request client.ShareRequest) error {
	if !s.isFirst(one) {
		return nil
	}
	if s.passphraseDrawn {
		if err := s.on.TryTellf("passphrase: %s", request.Passphrase.Expose()); err != nil {
			return fmt.Errorf("the secret was shared, and its passphrase could not be printed, so that no one can open it; the receipt burns it: %w", err)
		}
	}
	if s.shown {
		if err := s.on.TryTellf("generated: %s", console.Printable([]byte(one.Value.Expose()))); err != nil {
			return fmt.Errorf("the secret was shared, and the generated text could not be printed; the receipt burns it: %w", err)
		}
	}
	return nil
}

// unprinted returns the error for a link that was not printed.
func unprinted(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the secret was shared, and its link could not be printed; the receipt burns it: %w", err)
}

// isFirst reports whether a secret is the first of a group, whose passphrase and
// text are those of all.
func (s *share) isFirst(one made) bool {
	return len(s.recipients) == 0 || one.recipient == s.recipients[0]
}

func (s *share) printed(one made, request client.ShareRequest, server *client.Client) printed {
	line := printed{
		Link: one.Link.Expose(), Receipt: one.ReceiptLink.Expose(), ShortID: one.Receipt.ShortID,
		Server: server.Server(), Protocol: server.Protocol().String(), Encryption: one.Link.Encryption.String(),
		TTL: int64(one.Receipt.TTL / time.Second), HasPassphrase: !request.Passphrase.IsEmpty(), Recipient: one.recipient,
	}
	if !one.Receipt.Expires.IsZero() {
		line.Expires = one.Receipt.Expires.UTC().Format(time.RFC3339)
	}
	if request.Content != nil {
		line.FileName = request.Content.FileName
	}
	if s.passphraseDrawn {
		line.Passphrase = request.Passphrase.Expose()
	}
	if s.shown {
		line.Value = one.Value.Expose()
	}
	return line
}

// tell says how long a link opens, and for whom it is.
func (s *share) tell(one made) {
	text := "the link opens once"
	if one.recipient != "" {
		text = "the link for " + console.Visible(one.recipient) + " opens once"
	}
	if expires := one.Receipt.Expires; !expires.IsZero() {
		text += expires.Local().Format(", until 2006-01-02 15:04 MST") //nolint:gosmopolitan // for the person at this machine
	}
	if granted := one.Receipt.TTL; granted > 0 {
		text += " (" + Span(granted) + ")"
	}
	s.on.Tellf("%s", text)
}

// tellReceipts says where the receipts are. If the file cannot be written, it prints
// them, and removes the file once they are printed.
func (s *share) tellReceipts(all []made, file *receiptFile) (failed error) {
	links := receiptsOf(all)
	if file != nil {
		file.err = errors.Join(file.err, file.file.Close())
		if file.err == nil {
			s.on.Tellf("the receipt is in %s", s.receiptFile)
			return nil
		}
		failed = fmt.Errorf("--receipt-file: %w", file.err)
	}
	var lost error
	for _, link := range links {
		if !s.asJSON || s.unprinted {
			lost = errors.Join(lost, s.on.TryTellf("receipt: %s", link.Expose()))
		}
	}
	if failed != nil && lost == nil { // a part of a receipt helps no one, and is in the way of a repeat
		failed = errors.Join(failed, os.Remove(s.receiptFile))
	}
	return failed
}

// receiptsOf returns the links of receipts: one of a group where the server has
// groups.
func receiptsOf(all []made) []client.ReceiptLink {
	links := []client.ReceiptLink{all[0].ReceiptLink}
	links[0].Keys = slices.Clone(links[0].Keys)
	for _, one := range all[1:] {
		if one.ReceiptLink.Foreign {
			links = append(links, one.ReceiptLink)
			continue
		}
		links[0].Keys = append(links[0].Keys, one.ReceiptLink.Keys...)
	}
	return links
}

// pass puts links into the clipboard and draws them.
func (s *share) pass(ctx context.Context, all []made) error {
	links := make([]string, len(all))
	for i, one := range all {
		links[i] = one.Link.Expose()
	}
	var errs []error
	if s.copied {
		_, err := s.on.Copy(ctx, strings.Join(links, "\n"))
		if err == nil {
			s.on.Tellf("the clipboard has %s", console.Count(len(links), "links"))
		}
		errs = append(errs, err)
	}
	for i, link := range links {
		if !s.coded {
			break
		}
		if all[i].recipient != "" {
			s.on.Tellf("for %s:", console.Visible(all[i].recipient))
		}
		errs = append(errs, s.on.QR(link))
	}
	return errors.Join(errs...)
}

// watch follows what was shared.
func (s *share) watch(ctx context.Context, server *client.Client, all []made) error {
	var changes []iter.Seq2[client.Receipt, error]
	for _, one := range all {
		changes = append(changes, server.Watch(ctx, one.Receipt.Key))
	}
	view := View{To: s.on.Err, Messages: s.on}
	if s.asJSON {
		view = View{To: s.on.Out, JSON: true}
	}
	return view.Follow(ctx, changes...)
}
