package people

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"hush/cli/console"
	"hush/client"
)

// sharedSecret is a secret that was shared.
type sharedSecret struct {
	client.Shared

	recipient string // empty for none
}

// shareWith shares a content and says what became of it.
func (s *shareCommand) shareWith(ctx context.Context, server *client.Client, request client.ShareRequest, file *linkFile) error {
	all, shareErr := s.shareAll(ctx, server, request, file)
	if len(all) == 0 {
		if err := file.remove(); err != nil {
			s.console.Fail(err)
		}
		return shareErr
	}
	extraErr := errors.Join(s.tellReceipts(all, file), s.copyAndDraw(ctx, all))
	if shareErr != nil || !s.thenWatch {
		return errors.Join(shareErr, extraErr)
	}
	if extraErr != nil {
		s.console.Fail(extraErr)
	}
	return s.watch(ctx, server, all)
}

// shareAll shares a content with each recipient, or once if there is none. It prints
// each link at once, after its receipt has its place, and stops at the first failure.
func (s *shareCommand) shareAll(ctx context.Context, server *client.Client, request client.ShareRequest, file *linkFile) ([]sharedSecret, error) {
	recipients := s.recipients
	if len(recipients) == 0 {
		recipients = []string{""}
	}
	if len(recipients) > 1 && server.Protocol() == client.ProtocolHush {
		request.Group = make([]byte, 16)
		_, _ = rand.Read(request.Group) // never fails
	}
	var all []sharedSecret
	for _, recipient := range recipients {
		if recipient != "" {
			request.Recipients = []string{recipient}
		}
		shared, err := server.Share(ctx, request)
		if err != nil {
			return all, s.shareError(ctx, all, recipients, err)
		}
		if !shared.Value.IsEmpty() { // all recipients get the same text
			request.Generate, request.Content = nil, &client.Content{Bytes: []byte(shared.Value.Expose())}
		}
		one := sharedSecret{shared, recipient}
		all = append(all, one)
		if file != nil {
			file.err = file.write(exposedReceipts(all)...)
		}
		if err := s.printLink(one, request, server); err != nil {
			s.linkLost = true
			return all, err
		}
	}
	return all, nil
}

// shareError returns the error for a secret that was not shared, and says which of a
// group were.
func (s *shareCommand) shareError(ctx context.Context, all []sharedSecret, recipients []string, err error) error {
	failed, _ := errors.AsType[*client.Error](err)
	unsent := failed != nil && failed.Unsent
	switch {
	case ctx.Err() != nil && unsent:
		err = errors.New("interrupted; the content was not sent completely, and nothing was shared")
	case ctx.Err() != nil:
		err = errors.New("interrupted; a secret that no one has a link to may wait at the server until it expires")
	}
	if len(recipients) == 1 {
		return withExitCode(err)
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
		return withExitCode(fmt.Errorf("%s: %w", text, err))
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

// sharedJSON is what --json prints for a link.
type sharedJSON struct {
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
	Size          int64  `json:"size,omitempty"`
	Arriving      bool   `json:"arriving,omitempty"`
	Passphrase    string `json:"passphrase,omitempty"`
	Value         string `json:"value,omitempty"`
}

// printLink prints the link of a secret, and what to know about it.
func (s *shareCommand) printLink(one sharedSecret, request client.ShareRequest, server *client.Client) error {
	s.warnOfLinkHost(one, server)
	if granted := one.Receipt.TTL; granted > 0 && s.ttl > 0 && granted != s.ttl && s.isFirst(one) {
		defer s.console.Tellf("the server allows %s, and not the %s of --ttl", spanText(granted), spanText(s.ttl))
	}
	if s.asJSON {
		return linkNotPrinted(printJSON(s.console, s.newSharedJSON(one, request, server)))
	}
	if _, err := fmt.Fprintln(s.console.Out, one.Link.Expose()); err != nil {
		return linkNotPrinted(err)
	}
	s.tellLink(one)
	return s.printGenerated(one, request)
}

// linkHostWarning returns what to say of a link that does not lead where the sender would
// expect; empty for none. The server says where its links lead. It may be reached by
// another name than its links have, but it may also lie, or be changed on the way:
// the host of a link gets all of it in the browser of its reader.
func linkHostWarning(link, server, domain string) string {
	to, toErr := url.Parse(link)
	from, fromErr := url.Parse(server)
	if toErr != nil || fromErr != nil { // both were checked
		return ""
	}
	asked := strings.TrimSuffix(strings.TrimSpace(domain), ".")
	isExpected := strings.EqualFold(to.Hostname(), from.Hostname()) || asked != "" && strings.EqualFold(to.Hostname(), asked)
	switch {
	case !isExpected:
		return "the link leads to " + to.Host + ", although the server is " + from.Host + ": pass it on only if you trust both"
	case to.Scheme == "http" && from.Scheme == "https":
		return "the link begins with http://, although the server has https://: everyone on the way can read and change the page behind it"
	default:
		return ""
	}
}

// warnOfLinkHost says, once, that links do not lead where the sender would expect.
func (s *shareCommand) warnOfLinkHost(one sharedSecret, server *client.Client) {
	if text := linkHostWarning(one.Link.Server, server.Server(), s.domain); text != "" && s.isFirst(one) {
		s.console.Tellf("%s", text)
	}
}

// printGenerated prints what was drawn for a secret, once for a group. It goes nowhere else.
func (s *shareCommand) printGenerated(one sharedSecret, request client.ShareRequest) error {
	if !s.isFirst(one) {
		return nil
	}
	if s.generatePassphrase && request.Passphrase.IsEmpty() {
		s.console.Tellf("the passphrase is the one that the earlier run printed")
	} else if s.generatePassphrase {
		if err := s.console.TryTellf("passphrase: %s", request.Passphrase.Expose()); err != nil {
			return fmt.Errorf("the secret was shared, and its passphrase could not be printed, so that no one can open it; the receipt burns it: %w", err)
		}
	}
	if s.showGenerated {
		if err := s.console.TryTellf("generated: %s", console.Printable([]byte(one.Value.Expose()))); err != nil {
			return fmt.Errorf("the secret was shared, and the generated text could not be printed; the receipt burns it: %w", err)
		}
	}
	return nil
}

// linkNotPrinted returns the error for a link that was not printed.
func linkNotPrinted(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the secret was shared, and its link could not be printed; the receipt burns it: %w", err)
}

// isFirst reports whether a secret is the first of a group, whose passphrase and
// text are those of all.
func (s *shareCommand) isFirst(one sharedSecret) bool {
	return len(s.recipients) == 0 || one.recipient == s.recipients[0]
}

func (s *shareCommand) newSharedJSON(one sharedSecret, request client.ShareRequest, server *client.Client) sharedJSON {
	line := sharedJSON{
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
	if s.inParts != nil {
		line.Size, line.Arriving = s.inParts.id.Size, true
		line.HasPassphrase = s.inParts.hasPassphrase()
	}
	if s.generatePassphrase {
		line.Passphrase = request.Passphrase.Expose()
	}
	if s.showGenerated {
		line.Value = one.Value.Expose()
	}
	return line
}

// tellLink says how long a link opens, and for whom it is.
func (s *shareCommand) tellLink(one sharedSecret) {
	text := "the link opens once"
	if one.recipient != "" {
		text = "the link for " + console.Visible(one.recipient) + " opens once"
	}
	if expires := one.Receipt.Expires; !expires.IsZero() {
		text += expires.Local().Format(", until 2006-01-02 15:04 MST") //nolint:gosmopolitan // for the person at this machine
	}
	if granted := one.Receipt.TTL; granted > 0 {
		text += " (" + spanText(granted) + ")"
	}
	if s.inParts != nil {
		text += "; the recipient waits until all of the file has arrived"
	}
	s.console.Tellf("%s", text)
}

// tellReceipts says where the receipts are. If the file cannot be written, it prints
// them, and removes the file once they are printed.
func (s *shareCommand) tellReceipts(all []sharedSecret, file *linkFile) (failed error) {
	links := receiptLinks(all)
	if file != nil {
		file.err = errors.Join(file.err, file.file.Close())
		if file.err == nil {
			s.console.Tellf("the receipt is in %s", s.receiptFile)
			return nil
		}
		failed = fmt.Errorf("--receipt-file: %w", file.err)
	}
	var lost error
	for _, link := range links {
		if !s.asJSON || s.linkLost {
			lost = errors.Join(lost, s.console.TryTellf("receipt: %s", link.Expose()))
		}
	}
	if failed != nil && lost == nil { // a part of a receipt helps no one, and is in the way of a repeat
		failed = errors.Join(failed, os.Remove(s.receiptFile))
	}
	return failed
}

// exposedReceipts returns the links of receipts for a file.
func exposedReceipts(all []sharedSecret) (texts []string) {
	for _, link := range receiptLinks(all) {
		texts = append(texts, link.Expose())
	}
	return texts
}

// receiptLinks returns the links of receipts: one of a group where the server has
// groups.
func receiptLinks(all []sharedSecret) []client.ReceiptLink {
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

// copyAndDraw puts links into the clipboard and draws them.
func (s *shareCommand) copyAndDraw(ctx context.Context, all []sharedSecret) error {
	links := make([]string, len(all))
	for i, one := range all {
		links[i] = one.Link.Expose()
	}
	var errs []error
	if s.copyLinks {
		_, err := s.console.Copy(ctx, strings.Join(links, "\n"))
		if err == nil {
			s.console.Tellf("the clipboard has %s", console.Count(len(links), "links"))
		}
		errs = append(errs, err)
	}
	for i, link := range links {
		if !s.drawQR {
			break
		}
		if all[i].recipient != "" {
			s.console.Tellf("for %s:", console.Visible(all[i].recipient))
		}
		errs = append(errs, s.console.QR(link))
	}
	return errors.Join(errs...)
}

// watch follows what was shared.
func (s *shareCommand) watch(ctx context.Context, server *client.Client, all []sharedSecret) error {
	var changes []iter.Seq2[client.Receipt, error]
	for _, one := range all {
		changes = append(changes, server.Watch(ctx, one.Receipt.Key))
	}
	view := receiptView{to: s.console.Err, messages: s.console}
	if s.asJSON {
		view = receiptView{to: s.console.Out, asJSON: true}
	}
	return view.follow(ctx, changes...)
}
