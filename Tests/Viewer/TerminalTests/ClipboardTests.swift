import Testing

@testable import Terminal

/// The text that is sent to the terminal's clipboard.
struct ClipboardTests {
    @Test(arguments: [
        ("abc", 3, "abc"), ("abc", 2, "ab"), ("aé", 3, "aé"), ("aé", 2, "a"), ("a日本", 6, "a日"), ("😀", 3, ""),
        ("e\u{301}", 2, "e"), ("", 5, ""),
    ])
    func isCutBetweenCharacters(text: String, limit: Int, beginning: String) {
        #expect(text.beginning(byteLimit: limit).unicodeScalars.elementsEqual(beginning.unicodeScalars))
    }
}

// SPDX-License-Identifier: MIT
