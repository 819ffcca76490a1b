// SPDX-License-Identifier: MIT

import ChainAttach

/// Suggestions of names for a mistyped name.
enum Suggestions {
    /// Returns the nearest name; nil if its edit distance exceeds a limit: a third of the word's length, but at least 1
    /// and at most 3.
    static func name(to word: String, among names: [String]) -> String? {
        nearest(to: word, among: names, limit: max(1, min(3, word.count / 3))).first
    }

    /// Returns up to three names that begin with the word or are near to it, the nearest first.
    static func names(to word: String, among names: [String]) -> [String] {
        Array(nearest(to: word, among: names, limit: max(2, word.count / 2), orBeginning: true).prefix(3))
    }

    private static func nearest(
        to word: String, among names: [String], limit: Int, orBeginning: Bool = false
    ) -> [String] {
        // The empty word has no suggestions, because every name begins with it.
        guard !word.isEmpty else { return [] }
        let word = word.lowercased()
        return names.map { (name: $0, distance: editDistance(word, $0)) }
            .filter { $0.distance <= limit || orBeginning && $0.name.hasPrefix(word) }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
            .map(\.name)
    }
}
