// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight
import ChainText

/// The terms of a filter that are about events: `event:rejected`, `event:cancelled,abandoned`. Several terms together
/// select every kind that one of them names.
struct EventTerms {
    /// The wanted kinds; nil for all.
    private(set) var kinds: Set<EventKind>?
    /// The filter with spaces in place of the terms about events, to keep positions in error messages.
    private(set) var rest: String

    static let field = "event"
    private static let head = field + ":"

    init(_ text: String) throws(QueryError) {
        rest = ""
        var index = text.startIndex
        var offset = 0
        var isQuoted = false
        while index < text.endIndex {
            let isStart = offset == 0 || text[text.index(before: index)].isWhitespace
            guard !isQuoted, isStart, text[index...].prefix(Self.head.count).lowercased() == Self.head else {
                if text[index] == "\"" { isQuoted.toggle() }
                rest.append(text[index])
                index = text.index(after: index)
                offset += 1
                continue
            }
            let word = text[index...].prefix { !$0.isWhitespace }
            kinds = (kinds ?? []).union(try Self.kinds(word.dropFirst(Self.head.count), at: offset + Self.head.count))
            rest += String(repeating: " ", count: word.count)
            index = word.endIndex
            offset += word.count
        }
    }

    private static func kinds(_ list: Substring, at offset: Int) throws(QueryError) -> Set<EventKind> {
        var kinds: Set<EventKind> = []
        var start = offset
        for word in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = EventKind.allCases.first(where: { EventText.word($0) == word.lowercased() }) else {
                let range = start..<start + word.count
                guard !word.isEmpty else { throw QueryError("event: needs a kind, as in event:rejected", at: range) }
                throw QueryError("there is no event \(word): \(Self.suggestion(word))", at: range)
            }
            kinds.insert(kind)
            start += word.count + 1
        }
        return kinds
    }

    private static var words: [String] { EventKind.allCases.map(EventText.word) }

    /// Returns the words that share the longest beginning with a wrong word, at least two letters; if there are none,
    /// all words.
    private static func suggestion(_ word: Substring) -> String {
        for length in stride(from: word.count, to: 1, by: -1) {
            let similar = words.filter { $0.hasPrefix(word.prefix(length).lowercased()) }
            if !similar.isEmpty { return similar.joined(separator: " or ") + "?" }
        }
        return "there are " + words.sorted().joined(separator: ", ")
    }

    /// Returns the completions of the last word; nil if the last word is not a term about events.
    static func choices(_ text: String) -> Typing.Choices? {
        let start = text.lastIndex { $0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
        let word = text[start...]
        guard word.prefix(head.count).lowercased() == head else { return nil }
        let begin = word.lastIndex { $0 == "," || $0 == ":" }.map { text.index(after: $0) } ?? start
        let typed = text[begin...].lowercased()
        let found = words.filter { $0.hasPrefix(typed) && $0 != typed }
        return Typing.Choices(head: String(text[..<begin]), words: found)
    }
}

extension Query {
    /// Returns whether the query shows events of a kind.
    func selects(_ kind: EventKind) -> Bool { eventKinds?.contains(kind) ?? true }
}

/// A choice of the kinds of events that are shown.
enum EventLevel: CaseIterable {
    case all
    /// Handlers that start, outcomes, and what went wrong.
    case steps
    /// What went wrong, and cancellations.
    case problems

    var next: EventLevel {
        let all = Self.allCases
        return all[(all.firstIndex(of: self)! + 1) % all.count]
    }

    func shows(_ kind: EventKind) -> Bool {
        switch kind {
        case .created, .linked, .queued, .ended, .adopted, .released, .awaited, .awaitEnded, .renamed,
            .remoteParent, .resumed, .suspended, .stalled, .stallEnded, .waitsFor, .heldBy:
            self == .all
        case .started, .fulfilled, .skipped: self != .problems
        case .rejected, .cancelRequested, .cancelled, .abandoned, .settledAgain, .unhandled, .blocked, .awaitMisused:
            true
        }
    }

    /// The kinds that are shown, in a few words.
    var words: String {
        switch self {
        case .all: "all events"
        case .steps: "runs and settlements"
        case .problems: "only what went wrong"
        }
    }

    /// The words for the kinds that are hidden.
    var hidden: [String] { EventKind.allCases.filter { !shows($0) }.map(EventText.word) }
}
