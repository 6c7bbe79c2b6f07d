package endtoend

// ContentKey lets tests write what this package does not.
func ContentKey(k Keys) []byte {
	keys := k.derived()
	return keys.content[:]
}
