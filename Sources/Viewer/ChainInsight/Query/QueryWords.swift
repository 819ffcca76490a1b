// SPDX-License-Identifier: MIT

import ChainEvents
import ChainModel

// The meaning of a query's words: fields, states, warnings, call sites.
extension QueryParser {
    /// Returns the term of a word: a name in `groups`, *suspended*, an id (`#17`), or, for other words, a text.
    static func meaning(of word: String) -> Query.Term {
        if let states = groups.first(where: { $0.name == word }) { return .states(states.states) }
        if word == suspended { return .waits(suspendedTask) }
        if word.hasPrefix("#"), let id = UInt64(digits: word.dropFirst()) { return .id(NodeID(id)) }
        return .text(word)
    }

    /// Returns the term of a call site as the views show it, `Order.swift:42`, with or without its module or a column.
    /// Nil for anything else.
    static func site(_ name: String, _ value: String) -> Query.Term? {
        let line = value.prefix { $0.isASCII && $0.isNumber }
        guard name.contains("."), !line.isEmpty, line.count == value.count || value.dropFirst(line.count).first == ":"
        else { return nil }
        let file = name.split(separator: "/").last.map(String.init) ?? name
        return .field(.site, .equal, .text("\(file):\(line)"))
    }

    /// Returns the bit of the warning that a value names, or all bits for `any`. The beginning of a name suffices if no
    /// other name begins with it.
    static func warnings(_ value: String, _ token: QueryToken) throws(QueryError) -> WarningBits {
        let word = value.lowercased()
        if word == "any" { return .max }
        let kinds = WarningKind.allCases
        if let kind = kinds.first(where: { $0.rawValue == word }) { return kind.bit }
        let near = kinds.filter { $0.rawValue.hasPrefix(word) }
        guard near.count == 1 else {
            throw QueryError(noSuch("warning", value, warningNames), at: token.valueRange)
        }
        return near[0].bit
    }

    static func states(_ value: String, _ token: QueryToken) throws(QueryError) -> Set<NodeState> {
        let word = value.lowercased()
        if let state = NodeState.allCases.first(where: { $0.word == word }) { return [state] }
        if let group = groups.first(where: { $0.name == word }) { return group.states }
        throw QueryError(noSuch("state", value, stateNames), at: token.valueRange)
    }

    /// The names that can stand before an operator, without their aliases `is` and `operation`.
    static let fieldNames =
        ["state", "kind", "id"] + QueryField.allCases.map(\.rawValue) + QueryDuration.allCases.map(\.rawValue)
        + ["warning", "waits-for"]

    /// Groups of states: a name, and the states that it stands for.
    static let groups: [(name: String, states: Set<NodeState>)] = [
        ("live", Set(NodeState.allCases.filter(\.isLive))),
        ("settled", Set(NodeState.allCases.filter { !$0.isLive })),
        ("failed", [.rejected, .abandoned]),
    ]
    static let stateNames = NodeState.allCases.map(\.word) + groups.map(\.name) + [suspended]
    /// The word for the state of a suspended Swift task, which the model does not treat as a state.
    static let suspended = "suspended"
    /// The bit that stands for suspended tasks whatever they wait for, beside the bits of the reasons.
    static let suspendedTask: UInt32 = 1 << 31
    static let warningNames = ["any"] + WarningKind.allCases.map(\.rawValue)

    /// The names of what a node can wait for.
    static let reasons: [(name: String, reasons: [Blocker.Reason])] = [
        ("timer", [.timer]), ("resolver", [.resolver]), ("parent", [.parent]), ("members", [.member]),
        ("promise", [.follows, .awaits]), ("executor", [.queued, .executor, .pool]), ("handler", [.running]),
        ("system", [.system]), ("task", [.suspended, .task]), ("continuation", [.continuation]), ("group", [.group]),
        ("actor", [.actor]), ("lock", [.lock]),
    ]

    static func unknown(_ name: String) -> String {
        noSuch("field", name, fieldNames) + "; quote a text that holds a sign"
    }

    static func noSuch(_ what: String, _ value: String, _ known: [String]) -> String {
        let near = known.first { $0.lowercased().hasPrefix(value.lowercased().prefix(3)) }
        return "there is no \(what) \(value)" + (near.map { ": \($0)?" } ?? ": \(known.joined(separator: " "))")
    }
}

extension QueryToken {
    /// The text or the regular expression of a word; nil for signs and fields.
    var value: (text: String, isPattern: Bool)? {
        switch kind {
        case .text(let text), .phrase(let text): (text, false)
        case .pattern(let text): (text, true)
        default: nil
        }
    }
}
