//go:build !hush_previous_format

package rows

const formatNewest = formatNow
