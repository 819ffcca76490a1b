// SPDX-License-Identifier: MIT

import Frames

// The names of keys, and the keys in the footer.
extension KeyMap {
    /// Returns a key's name, in ASCII if the glyphs are ASCII.
    static func name(of key: KeyPress, _ glyphs: Glyphs) -> String {
        guard glyphs.charset == .ascii else { return key.description }
        switch key.key {
        case .up: return "Up"
        case .down: return "Down"
        case .left: return "Left"
        case .right: return "Right"
        default: return key.description
        }
    }

    /// Returns whether the first key for an intent about time means that intent in a view, too. A view's own keys
    /// precede the keys for time, as `+` does in the timeline.
    static func hasTimeKey(for intent: Intent, in context: Context, time: [Context]) -> Bool {
        let binding = time.lazy.flatMap(bindings).first { $0.intent == intent }
        return binding.map { self.intent(for: $0.keys[0], in: context, time: time) == intent } ?? false
    }

    /// Returns the footer's entries: the first key of a binding, or both keys of a pair such as `↑↓`, and one word.
    static func footer(in context: Context, _ glyphs: Glyphs) -> [(key: String, word: String, intent: Intent)] {
        let isASCII = glyphs.charset == .ascii
        let own = bindings(in: context)
        // A view's own binding replaces the common binding for the same key or intent. The common bindings for folding,
        // grouping and following are for the tree only.
        let shared = Self.common.filter { common in
            (context == .view(.chains) || ![.left, .follow, .group].contains(common.intent))
                && !own.contains { $0.intent == common.intent || $0.keys.contains(common.keys[0]) }
        }
        let all = context.isView && context != .allViews ? own + shared : own
        return all.compactMap { binding in
            guard let word = binding.footer else { return nil }
            var key = name(of: binding.keys[0], glyphs)
            switch binding.intent {
            case .up: key = isASCII ? "jk" : "↑↓"
            case .left: key = isASCII ? "hl" : "←→"
            case .playFaster: key = "+-"
            case .secondBack: key = "<>"
            case .previousEvent: key = ",."
            case .previousNotable: key = "[]"
            default:
                if binding.keys[0].key == .enter { key = glyphs.enter }
                if let partner = all.first(where: { $0.intent == binding.partner }) {
                    key += name(of: partner.keys[0], glyphs)
                }
            }
            return (key, word, binding.intent)
        }
    }
}
