package params

// MaxBody is the most bytes of a body that Read is usually asked for.
const MaxBody = 4 << 20

// Limits on what a request may carry besides its path.
const (
	maxParams = 1000 // in the query, and again in the body
	maxDepth  = 16   // of nested JSON values
	maxTokens = 1000 // of JSON: names, values, and brackets
	maxName   = 256  // bytes of a name, with its brackets; longer ones name nothing
	maxLevels = 2    // of brackets in a name, besides the wrapper; deeper ones name nothing
)
