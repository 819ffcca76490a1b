import Foundation

/// Returns the SHA-256 of a text in base 64, as content security policies have it. Slow, and for tests only.
func sha256(_ text: String) -> String {
    let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
    func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 4_294_967_296) }
    let constants = primes.map { fraction(cbrt(Double($0))) }
    var hash = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

    var message = Array(text.utf8)
    let bitCount = UInt64(message.count) * 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    message += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) }
    for start in stride(from: 0, to: message.count, by: 64) {
        add(message[start..<start + 64], constants, to: &hash)
    }
    let bytes = hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    return Data(bytes).base64EncodedString()
}

private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

/// Adds one block of 64 bytes to the hash.
private func add(_ block: ArraySlice<UInt8>, _ constants: [UInt32], to hash: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
        block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
        let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
        words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var state = hash
    for index in 0..<64 {
        let mixed = rotated(state[4], 6) ^ rotated(state[4], 11) ^ rotated(state[4], 25)
        let choice = state[4] & state[5] ^ ~state[4] & state[6]
        let first = state[7] &+ mixed &+ choice &+ constants[index] &+ words[index]
        let spread = rotated(state[0], 2) ^ rotated(state[0], 13) ^ rotated(state[0], 22)
        let majority = state[0] & state[1] ^ state[0] & state[2] ^ state[1] & state[2]
        state = [first &+ spread &+ majority] + state.dropLast()
        state[4] = state[4] &+ first
    }
    for index in hash.indices { hash[index] = hash[index] &+ state[index] }
}

// SPDX-License-Identifier: MIT
