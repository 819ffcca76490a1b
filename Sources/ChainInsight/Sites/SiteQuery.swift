import ChainEvents

extension Query {
    /// Returns whether the query can match nodes of a call site and kind. Texts are searched for in the kind, the site,
    /// `label`, which is what the nodes' labels have in common, and `error`. Terms about anything else (`age>5s`) are
    /// ignored.
    public func mayFind(site: CodeLocation?, kind: NodeKind, label: String? = nil, error: String? = nil) -> Bool {
        let texts = [kind.word] + [site?.description, site?.fileID, label, error].compactMap { $0 }
        return Self.answer(root, texts, site, kind) ?? true
    }

    /// Returns whether a term matches; nil if that depends on more than the site, the kind and the texts.
    private static func answer(_ term: Term, _ texts: [String], _ site: CodeLocation?, _ kind: NodeKind) -> Bool? {
        switch term {
        case .all(let terms):
            let answers = terms.map { answer($0, texts, site, kind) }
            return answers.contains(false) ? false : answers.contains(nil) ? nil : true
        case .any(let terms):
            let answers = terms.map { answer($0, texts, site, kind) }
            return answers.contains(true) ? true : answers.contains(nil) ? nil : false
        case .not(let term): return answer(term, texts, site, kind).map { !$0 }
        case .text(let text):
            let needle = Needle(text)
            return texts.contains(where: needle.matches)
        case .field(.site, let comparison, .text(let text)):
            return site.map { Needle(text, isWhole: comparison == .equal).matches($0.description) } ?? false
        case .kinds(let kinds): return kinds.contains(kind)
        case .pattern, .field, .duration, .states, .id, .warnings, .waits: return nil
        }
    }

    /// Returns the query that matches the nodes of a call site and kind or, without a site, all nodes of the kind. With
    /// an error, the nodes with that text in their error.
    public static func text(site: CodeLocation?, kind: NodeKind, error: String = "") -> String {
        let kind = "kind:" + kind.word + (error.isEmpty ? "" : " error:" + quoted(error))
        guard let site, !site.fileID.isEmpty else { return kind }
        return "site=" + quoted(site.description) + " " + kind
    }

    /// Returns a value as written in a query: in quotation marks, unless it is read as one value without them.
    static func quoted(_ value: String) -> String {
        let isPlain = !value.contains { $0.isWhitespace || "()\"|".contains($0) } && !value.hasPrefix("/")
        guard value.isEmpty || !isPlain else { return value }
        return "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
