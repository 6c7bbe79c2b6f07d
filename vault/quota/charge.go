package quota

import "hush/vault/caller"

// The bytes that a receipt counts for besides its memo, from the moment its
// secret is concealed until the receipt is forgotten. ReceiptBytes stands for
// its rows with their keys: the receipt, its entry in an account's list, its
// row in the expiry index and its audit rows. recipientBytes stands for one
// recipient: the obscured address in the receipt, the delivery, and its row in
// the due index. TestReceiptBytes measures them. The timeline has a bound of its
// own.
const (
	ReceiptBytes   = 512
	recipientBytes = 128
)

// ReceiptSize returns the bytes that a receipt counts for: one with so many
// recipients and a sealed memo of so many bytes.
func ReceiptSize(recipients, memo int) int64 {
	return int64(ReceiptBytes + recipientBytes*recipients + memo)
}

// Charge names who the bytes of a secret and of its receipt count toward: the
// account that owns it, or else the network it came from and the IPv6 /48
// around that. An anonymous receipt of version 1 or 2 names no network and
// counts toward the total alone.
type Charge struct {
	Owner         string // empty for anonymous callers
	Network, Wide [8]byte
	Secret        int64
	Receipt       int64
}

func (c Charge) size() int64 { return c.Secret + c.Receipt }

// unknown reports whether the charge names neither an account nor a network.
func (c Charge) unknown() bool { return c.Owner == "" && c.Network == [8]byte{} }

// fits reports whether c fits every limit beside what is counted already: in
// all, and for each of its keys.
func (c Charge) fits(counted []tally, limits caller.Limits) bool {
	size := c.size()
	if counted[0].Bytes+size > limits.TotalBytes {
		return false
	}
	if c.Owner == "" && !c.unknown() && counted[0].Anonymous+size > limits.AnonymousBytes() {
		return false
	}
	for i, who := range c.keys() {
		if counted[i+1].Bytes+size > limitOf(who, limits) {
			return false
		}
	}
	return true
}

// limitOf returns the maximum bytes of an account, a network or a /48.
func limitOf(who countKey, limits caller.Limits) int64 {
	switch who[0] {
	case kindAccount:
		return limits.AccountBytes
	case kindWide:
		return limits.WideBytes()
	default:
		return limits.NetworkBytes
	}
}

// keys returns who c counts toward besides the total: an account, or a network
// and a /48, or no one.
func (c Charge) keys() []countKey {
	switch {
	case c.unknown():
		return nil
	case c.Owner != "":
		return []countKey{newKey(kindAccount, []byte(c.Owner))}
	case c.Wide == [8]byte{}:
		return []countKey{newKey(kindNetwork, c.Network[:])}
	}
	return []countKey{newKey(kindNetwork, c.Network[:]), newKey(kindWide, c.Wide[:])}
}
