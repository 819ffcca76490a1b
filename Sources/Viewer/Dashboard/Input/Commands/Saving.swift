// SPDX-License-Identifier: MIT

import ChainEvents
import ChainListing
import Frames

/// The formats of a picture of the dashboard; the raw value is the name on the command line.
package enum PictureFormat: String, CaseIterable, Sendable {
    /// Text without colours.
    case text
    /// Text with a terminal's control sequences, in 256 colours.
    case ansi
    /// A drawing of a terminal window.
    case svg
}

// Saving the screen to a file.

/// Returns the frame of a state in a format; the text ends with a newline.
package func picture(of state: borrowing State, as format: PictureFormat) -> String {
    let frame = render(state)
    switch format {
    case .text: return frame.plainText()
    case .ansi: return frame.ansi(theme: state.options.theme)
    case .svg:
        let title = state.programs.count == 1 ? "chainview \(state.programs[0].shownName)" : "chainview"
        return frame.svg(theme: state.options.theme, title: title)
    }
}

/// What `:save` writes into a file: the extension of the file's name selects it.
enum SavedContent {
    case picture(PictureFormat)
    /// The rows of the view as JSON.
    case json

    init(_ words: CommandWords) throws(Typing.Problem) {
        let path = words.rest
        guard !path.isEmpty else { throw words.missing("say which file: NAME.txt, NAME.ansi, NAME.svg or NAME.json") }
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        switch parts.count > 1 ? parts.last?.lowercased() : nil {
        case "txt": self = .picture(.text)
        case "ansi": self = .picture(.ansi)
        case "svg": self = .picture(.svg)
        case "json": self = .json
        default:
            let range = words.argumentStart..<words.argumentStart + path.count
            throw Typing.Problem(
                text: "end the name in .txt, .ansi, .svg or .json, which selects the format", range: range)
        }
    }
}

extension ViewContext {
    /// The maximum number of rows in a JSON file.
    private static let savedRowLimit = 10_000

    /// Returns the view as JSON: its lines in `frame`, or for the tree, which needs no frame, its first ``savedRowLimit``
    /// rows with all facts of their nodes.
    mutating func json(_ frame: Frame?) -> String {
        var members: [(name: String, value: String)] = [
            ("view", JSONText.string(view.name)), ("time", JSONText.seconds(wall)),
            ("filter", JSONText.string(filter.isActive ? filter.text : nil)),
        ]
        if let frame {
            let area = layout.content
            let lines = (max(0, area.row - 1)..<area.row + area.rows).map { frame.rowText($0) }
            members.append(("lines", JSONText.array(lines.map { "\n " + JSONText.string($0) })))
        } else {
            let rows = rows(from: 0, count: Self.savedRowLimit)
            members.append(
                ("programs", JSONText.array(world.programs.indices.map { "\n " + program($0, rows) })))
            members.append(("leftOut", "\(world.countRows() - rows.count)"))
        }
        return JSONText.object(members) + "\n"
    }

    /// Returns a program as JSON, with its nodes that are in `rows`.
    private func program(_ programIndex: Int, _ rows: [ChainsView.WindowRow]) -> String {
        let forest = world.programs[programIndex].forest
        guard let info = world.programs[programIndex].info else {
            return JSONText.object([
                ("process", "null"), ("name", JSONText.string(world.programs[programIndex].name)), ("nodes", "[]"),
            ])
        }
        let (json, now) = (TreeJSON(), world.programs[programIndex].shownNow)
        let nodes = rows.filter { $0.programIndex == programIndex }.compactMap(\.tree).map {
            "\n  " + json.node($0, forest, info.wallOffset, now)
        }
        return JSONText.object([
            ("process", TreeJSON.process(info)), ("name", JSONText.string(world.programs[programIndex].name)),
            ("nodes", JSONText.array(nodes)),
        ])
    }
}
