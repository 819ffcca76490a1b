// SPDX-License-Identifier: MIT

/// Returns how many characters have to be inserted, removed or replaced to turn one text into the other (Levenshtein).
/// Compares only the first 100 characters of each text.
package func editDistance(_ left: some StringProtocol, _ right: some StringProtocol) -> Int {
    let right = Array(right.prefix(100))
    var row = Array(0...right.count)
    for (index, character) in left.prefix(100).enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in right.indices {
            let replacement = diagonal + (right[column] == character ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replacement, row[column] + 1, row[column + 1] + 1)
        }
    }
    return row[right.count]
}
