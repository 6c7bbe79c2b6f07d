package chunked

// NewWriterWithSalt lets tests repeat a message.
var NewWriterWithSalt = newWriter
