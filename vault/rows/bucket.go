package rows

// Bucket describes a bucket to what handles the rows of all buckets alike, such
// as a copy of the whole store.
type Bucket struct {
	Name string
	// Check returns ErrDamaged unless the row can be read. It does not know
	// whether what the row refers to exists.
	Check func(key, value []byte) error
	// Version is that of the records that this release writes, if earlier releases
	// wrote others: the first byte of a row.
	Version byte
}

// CheckRow returns the Check of a bucket with keys of a fixed length, 0 for any,
// and records.
func CheckRow[T any](length int, decode func([]byte) (T, error)) func(key, value []byte) error {
	return func(key, value []byte) error {
		if length != 0 && len(key) != length {
			return ErrDamaged
		}
		_, err := decode(value)
		return err
	}
}

// CheckIndex returns the Check of an index whose keys are at least that long and
// whose values are empty.
func CheckIndex(least int) func(key, value []byte) error {
	return func(key, value []byte) error {
		if len(key) < least || len(value) != 0 {
			return ErrDamaged
		}
		return nil
	}
}
