// SPDX-License-Identifier: MIT

import Frames

/// The help while it is shown: how far it is scrolled, and what is looked for in it.
struct Help: Equatable {
    /// The index of the first line that is shown. On a screen that was enlarged since, an earlier line may be the first.
    var scroll = 0
    /// The text to look for; empty for no search.
    private(set) var search = ""
    /// Whether the text to look for is being typed.
    private(set) var isTyping = false

    /// Handles a key; returns false if the key closes the help.
    mutating func handle(_ intent: Intent, in box: HelpBox) -> Bool {
        switch intent {
        case .up: scroll(by: -1, in: box)
        case .down: scroll(by: 1, in: box)
        case .pageUp: scroll(by: -box.visibleRows, in: box)
        case .pageDown: scroll(by: box.visibleRows, in: box)
        case .halfUp: scroll(by: -(box.visibleRows / 2), in: box)
        case .halfDown: scroll(by: box.visibleRows / 2, in: box)
        case .home: scroll = 0
        case .end: scroll = box.scrollLimit
        case .filter: (search, isTyping) = ("", true)
        case .nextMatch: goToMatch(in: box, isForward: true)
        case .previousMatch: goToMatch(in: box, isForward: false)
        case .accept where isTyping: isTyping = false
        case .abort: endSearch()
        case .back where !search.isEmpty: endSearch()
        case .back, .help, .accept: return false
        default: break
        }
        return true
    }

    mutating func scroll(by lines: Int, in box: HelpBox) {
        scroll = min(max(0, min(scroll, box.scrollLimit) + lines), box.scrollLimit)
    }

    /// Goes to the next or previous match, wrapping at the ends; stays on the present line if nothing matches.
    private mutating func goToMatch(in box: HelpBox, isForward: Bool) {
        let (line, matches) = (min(scroll, box.scrollLimit), box.matches(of: search))
        // The matches are compared by scroll position, because at the end of the help several matches share a position.
        let next =
            isForward
            ? matches.first { min($0, box.scrollLimit) > line } ?? matches.first
            : matches.last { min($0, box.scrollLimit) < line } ?? matches.last
        scroll = min(next ?? line, box.scrollLimit)
    }

    private mutating func endSearch() { (search, isTyping) = ("", false) }

    /// Handles a key while the text to look for is being typed.
    mutating func type(_ key: KeyPress, in box: HelpBox) {
        switch (key.key, key.modifiers) {
        case (.character(let character), []), (.character(let character), .shift):
            look(for: search + String(character), in: box)
        case (.character("u"), .control): look(for: "", in: box)
        case (.backspace, _) where !search.isEmpty: look(for: String(search.dropLast()), in: box)
        case (.enter, _): isTyping = false
        case (.escape, _), (.backspace, _), (.character("g"), .control): endSearch()
        default: break
        }
    }

    /// Changes the text to look for, and shows its first match.
    mutating func look(for text: String, in box: HelpBox) {
        search = text
        if let first = box.matches(of: search).first { scroll = min(first, box.scrollLimit) }
    }
}
