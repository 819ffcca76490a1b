// SPDX-License-Identifier: MIT

import ChainEvents

extension Query {
    /// Returns whether the query can match nodes of a call site and kind. Texts are searched for in the kind, the site,
    /// `label`, which is what the nodes' labels have in common, and `error`. Terms about anything else (`age>5s`) are
    /// ignored.
    package func mayFind(site: CodeLocation?, kind: NodeKind, label: String? = nil, error: String? = nil) -> Bool {
        let texts = [kind.word] + [site?.description, site?.fileID, label, error].compactMap { $0 }
        return root.answer { term in
            switch term {
            case .text(let text):
                let needle = Needle(text)
                return texts.contains(where: needle.matches)
            case .field(.site, let comparison, .text(let text)):
                return site.map { Needle(text, isWhole: comparison == .equal).matches($0.description) } ?? false
            case .kinds(let kinds): return kinds.contains(kind)
            default: return nil
            }
        } ?? true
    }

    /// Returns whether the query can match tasks that are suspended in `frames`. Texts are searched for in the frames
    /// alone; terms about anything else (`age>5s`) are ignored.
    package func mayFind(frames: String) -> Bool {
        root.answer { term in
            switch term {
            case .text(let text), .field(.frames, .contains, .text(let text)): return Needle(text).matches(frames)
            case .field(.frames, _, .text(let text)): return Needle(text, isWhole: true).matches(frames)
            case .pattern(let pattern), .field(.frames, _, .pattern(let pattern)):
                var pattern = pattern
                return pattern.matches(frames)
            case .kinds(let kinds): return kinds.contains(.task)
            case .states(let states): return states.contains(.pending)
            default: return nil
            }
        } ?? true
    }

    /// Returns the query that matches the nodes of a call site and kind or, without a site, all nodes of the kind. With
    /// an error, the nodes with that text in their error.
    package static func text(site: CodeLocation?, kind: NodeKind, error: String = "") -> String {
        let kind = "kind:" + kind.word + (error.isEmpty ? "" : " error:" + quoted(error))
        guard let site, !site.fileID.isEmpty else { return kind }
        return "site=" + quoted(site.description) + " " + kind
    }

    /// Returns the query that matches the tasks that are suspended in all of these functions, one a line, and no others.
    package static func text(frames: String) -> String { "in=" + quoted(frames) }

    /// Returns a value as written in a query: in quotation marks, unless it is read as one value without them.
    static func quoted(_ value: String) -> String {
        let isPlain = !value.contains { $0.isWhitespace || "()\"|".contains($0) } && !value.hasPrefix("/")
        guard value.isEmpty || !isPlain else { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            + "\""
    }
}

extension Query.Term {
    /// Returns whether the term matches, by the answers for its leaves; nil if that depends on leaves without an answer.
    fileprivate func answer(_ leaf: (Self) -> Bool?) -> Bool? {
        switch self {
        case .all(let terms):
            let answers = terms.map { $0.answer(leaf) }
            return answers.contains(false) ? false : answers.contains(nil) ? nil : true
        case .any(let terms):
            let answers = terms.map { $0.answer(leaf) }
            return answers.contains(true) ? true : answers.contains(nil) ? nil : false
        case .not(let term): return term.answer(leaf).map { !$0 }
        default: return leaf(self)
        }
    }
}
