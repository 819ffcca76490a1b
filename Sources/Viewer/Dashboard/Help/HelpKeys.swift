// SPDX-License-Identifier: MIT

import Frames

// What keys do while the help is shown.
extension State {
    mutating func handleInHelp(_ intent: Intent, _ scroll: Int) -> [Effect] {
        let box = HelpBox(size: size, glyphs: options.glyphs, view: view, time: timeKeys)
        // The screen may have been enlarged since the help was last scrolled.
        let scroll = min(scroll, box.scrollLimit)
        var target = scroll
        switch intent {
        case .up: target -= 1
        case .down: target += 1
        case .pageUp: target -= box.visibleRows
        case .pageDown: target += box.visibleRows
        case .halfUp: target -= box.visibleRows / 2
        case .halfDown: target += box.visibleRows / 2
        case .home: target = 0
        case .end: target = box.scrollLimit
        case .filter: helpSearch = HelpSearch(isTyping: true)
        case .nextMatch: target = helpMatch(from: scroll, box, isForward: true)
        case .previousMatch: target = helpMatch(from: scroll, box, isForward: false)
        case .accept where helpSearch.isTyping: helpSearch.isTyping = false
        case .abort: helpSearch = HelpSearch()
        case .back where !helpSearch.text.isEmpty: helpSearch = HelpSearch()
        case .back, .help, .accept:
            closeHelp()
            return []
        case .quit: return [.quit]
        default: return []
        }
        mode = .help(scroll: min(max(0, target), box.scrollLimit))
        revision += 1
        return []
    }

    mutating func closeHelp() {
        helpSearch = HelpSearch()
        mode = .normal
        revision += 1
    }

    /// Returns the line of the next or previous match, wrapping at the ends; the present line if nothing matches.
    private func helpMatch(from line: Int, _ box: HelpBox, isForward: Bool) -> Int {
        let matches = box.matches(of: helpSearch.text)
        // The matches are compared by scroll position, because at the end of the help several matches share a position.
        let next =
            isForward
            ? matches.first { min($0, box.scrollLimit) > line } ?? matches.first
            : matches.last { min($0, box.scrollLimit) < line } ?? matches.last
        return next ?? line
    }

    /// Handles a key while the text to look for is being typed.
    mutating func typeHelpSearch(_ key: KeyPress) {
        let text = helpSearch.text
        switch (key.key, key.modifiers) {
        case (.character(let character), []), (.character(let character), .shift):
            changeHelpSearch(to: text + String(character))
        case (.character("u"), .control): changeHelpSearch(to: "")
        case (.backspace, _) where !text.isEmpty: changeHelpSearch(to: String(text.dropLast()))
        case (.enter, _):
            helpSearch.isTyping = false
            revision += 1
        case (.escape, _), (.backspace, _), (.character("g"), .control):
            helpSearch = HelpSearch()
            revision += 1
        default: return
        }
    }

    /// Changes the text to look for, and shows its first match.
    mutating func changeHelpSearch(to text: String) {
        helpSearch.text = text
        let box = HelpBox(size: size, glyphs: options.glyphs, view: view, time: timeKeys)
        if let first = box.matches(of: helpSearch.text).first { mode = .help(scroll: min(first, box.scrollLimit)) }
        revision += 1
    }
}
