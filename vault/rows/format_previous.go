//go:build hush_previous_format

package rows

// Tests build the program with this tag as the release before the newest format,
// to see that it refuses what the present one has upgraded.
const formatNewest = formatNow - 1
