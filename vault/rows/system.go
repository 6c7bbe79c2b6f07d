package rows

import (
	"fmt"
	"strconv"
	"strings"

	"hush/storage"
)

// BucketSystem has root keys, clock, audit sequence, counters. A node other than
// 0 has its own audit sequence and counters; see SystemOf.
const BucketSystem = "system"

// GetSystem returns the value of a name in the bucket system, or
// storage.ErrNotFound.
func GetSystem(tx storage.Tx, name string) ([]byte, error) {
	return tx.Get(BucketSystem, []byte(name))
}

// LoadSystemOr is LoadOr for a name in the bucket system.
func LoadSystemOr[T any](tx storage.Tx, name string, decode func([]byte) (T, error), missing T) (T, error) {
	return LoadOr(tx, BucketSystem, []byte(name), decode, missing)
}

// PutSystem stores the value of a name in the bucket system.
func PutSystem(tx storage.Tx, name string, value []byte) error {
	return tx.Put(BucketSystem, []byte(name), value)
}

// ChangeSystem changes the row of a name that belongs to the node which runs the
// transaction; see Tx.Change.
func ChangeSystem(tx *Tx, name string, fn func(value []byte) ([]byte, error)) error {
	return tx.Change(BucketSystem, SystemOf(name, tx.node), fn)
}

// DeleteSystem deletes a name from the bucket system.
func DeleteSystem(tx storage.Tx, name string) error {
	return tx.Delete(BucketSystem, []byte(name))
}

// HasSystem reports whether the bucket system has any row.
func HasSystem(tx storage.Tx) (found bool, err error) {
	err = IgnoreEnough(tx.Range(BucketSystem, nil, nil, func(_, _ []byte) error {
		found = true
		return ErrEnough
	}))
	return found, err
}

// SystemOf returns the name of a node's own row: the name itself for node 0,
// which is the only node of most stores, and otherwise the name, a space, and
// the number in four hexadecimal digits.
func SystemOf(name string, node uint16) string {
	if node == 0 {
		return name
	}
	return fmt.Sprintf("%s %04x", name, node)
}

// RangeSystem calls fn for the row of that name of each node, in the order of
// their numbers. value is valid only during the call.
func RangeSystem(tx storage.Tx, name string, fn func(node uint16, value []byte) error) error {
	prefix := []byte(name)
	return tx.Range(BucketSystem, prefix, PrefixEnd(prefix), func(key, value []byte) error {
		if node, ok := SystemNode(name, string(key)); ok {
			return fn(node, value)
		}
		return nil
	})
}

// SystemNode is the inverse of SystemOf. ok is false for a row of another name.
func SystemNode(name, key string) (node uint16, ok bool) {
	if key == name {
		return 0, true
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(key, name+" "), 16, 16)
	return uint16(number), err == nil && SystemOf(name, uint16(number)) == key
}
