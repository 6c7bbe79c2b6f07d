// Package chunked encrypts a message of any length with one key, and decrypts it
// as a stream or at any place. No byte of a chunk is released before its tag
// held, and a message that was altered, reordered, repeated or cut is refused.
//
// The format is Cobblestone-256 of c2sp.org/chunked-encryption:
//
//	salt (24) ‖ commitment (32) ‖ chunks
//
//	key (32) ‖ base nonce (12) ‖ commitment (32) =
//	    HKDF-Expand(SHA-512, input key, "c2sp.org/chunked-encryption@v1+" ‖
//	        "AEAD_AES_256_GCM" ‖ 0x00 ‖ salt ‖ context, 76)
//
// The message is cut into chunks of 16,384 bytes. The last one is always
// shorter, and empty where the others hold everything, so each length has one
// division. Chunk k is sealed with AES-256-GCM without additional data under
// base nonce XOR k, and is followed by its tag of 16 bytes.
//
// The salt is drawn for each message, so one input key may encrypt many. The
// context binds a message to its use: it opens under the same context only.
package chunked
