package main

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"

	"hush/seal/endtoend"
	"hush/seal/request"
)

// device holds what the devices of a sender and a recipient derive for one secret,
// as it is sent in JSON, by the words that stand for it in docs/api.md.
type device map[string]string

func newDevice(t testing.TB, text string) device {
	t.Helper()
	keys, err := endtoend.Derive(endtoend.NewLinkSecret(), "")
	if err != nil {
		t.Fatalf("Derive(secret): got %v, want nil", err)
	}
	var content bytes.Buffer
	header := endtoend.Header{Kind: endtoend.KindText, Size: uint64(len(text))}
	if err := keys.Seal(&content, header, strings.NewReader(text)); err != nil {
		t.Fatalf("Seal(%d bytes): got %v, want nil", len(text), err)
	}
	link, proof := keys.LinkProof(), keys.Proof()
	linkHash, proofHash := link.Hash(), proof.Hash()
	d := device{}
	for word, value := range map[string][]byte{
		"<content>": content.Bytes(), "<linkProofHash>": linkHash[:], "<proofHash>": proofHash[:], "<linkProof>": link[:], "<proof>": proof[:],
	} {
		d[word] = base64.StdEncoding.EncodeToString(value)
	}
	d["<contentSize>"] = strconv.Itoa(content.Len())
	d["<uploadToken>"] = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	d.ask(t)
	return d
}

// ask adds what a requester's device makes for a request, and the parts of an answer that
// are not an end-to-end encrypted secret.
func (d device) ask(t testing.TB) {
	t.Helper()
	c := request.NewCollector(endtoend.NewLinkSecret())
	asked, err := c.Ask(request.Card{
		Title: "Deploy key", Kinds: []endtoend.Kind{endtoend.KindText}, Latest: time.Now().Add(24 * time.Hour).Truncate(time.Second), Answers: 3,
	})
	if err != nil {
		t.Fatalf("Ask(card): got %v, want nil", err)
	}
	card, err := asked.Seal()
	if err != nil {
		t.Fatalf("Seal(card): got %v, want nil", err)
	}
	box, err := c.SealLink(asked.Secret())
	if err != nil {
		t.Fatalf("SealLink(secret): got %v, want nil", err)
	}
	number := request.NewNumber()
	sealed, err := asked.SealAnswer(number, request.Answer{Secret: endtoend.NewLinkSecret()})
	if err != nil {
		t.Fatalf("SealAnswer(secret): got %v, want nil", err)
	}
	link, collect := request.LinkProof(asked.Secret()), c.Proof()
	linkHash, collectHash := link.Hash(), collect.Hash()
	for word, value := range map[string][]byte{
		"<card>": card, "<linkBox>": box, "<requestProof>": link[:], "<requestProofHash>": linkHash[:],
		"<collectProof>": collect[:], "<collectProofHash>": collectHash[:], "<number>": number[:], "<sealedLink>": sealed,
	} {
		d[word] = base64.StdEncoding.EncodeToString(value)
	}
}

// fill puts in what the devices derive.
func (d device) fill(command string) string {
	for word, value := range d {
		command = strings.ReplaceAll(command, word, value)
	}
	return command
}
