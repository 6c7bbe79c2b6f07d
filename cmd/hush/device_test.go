package main

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"hush/seal/endtoend"
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
	return d
}

// fill puts in what the devices derive.
func (d device) fill(command string) string {
	for word, value := range d {
		command = strings.ReplaceAll(command, word, value)
	}
	return command
}
