package params

// MaxBody is the usual limit of Read, in bytes.
const MaxBody = 4 << 20

// The limits on a request besides its path.
const (
	maxParams = 1000 // in the query, and again in the body
	maxDepth  = 16   // of nested JSON values
	maxTokens = 1000 // of JSON: names, values, and brackets
	maxName   = 256  // bytes of a name, with its brackets; longer ones name nothing
	maxLevels = 2    // of brackets in a name, besides the wrapper; deeper ones name nothing
)
