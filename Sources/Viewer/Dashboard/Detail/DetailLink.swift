// SPDX-License-Identifier: MIT

/// A link from lines of the details to a node.
struct DetailLink {
    var rowID: RowID
    /// The indices of the link's lines on the page.
    var lines: Range<Int>

    /// Returns the links of a page, from the top. Consecutive lines with the same node are one link, because a link's
    /// text may be wrapped.
    static func all(in lines: [DetailLine]) -> [DetailLink] {
        var links: [DetailLink] = []
        for (index, line) in lines.enumerated() {
            guard let rowID = line.link else { continue }
            if let last = links.last, last.rowID == rowID, last.lines.upperBound == index {
                links[links.count - 1].lines = last.lines.lowerBound..<index + 1
            } else {
                links.append(DetailLink(rowID: rowID, lines: index..<index + 1))
            }
        }
        return links
    }
}
