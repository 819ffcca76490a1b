import Testing

/// Every public declaration of a library is documented. (swift-format's rule skips enum cases and protocol
/// requirements.)
struct DocCommentTests {
    @Test func everyPublicDeclarationIsDocumented() {
        let files = Repository.sources.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }
        var count = 0
        for file in files {
            let declarations = publicDeclarations(file.lines)
            count += declarations.count
            for index in declarations where !isDocumented(index, in: file.lines) {
                Issue.record("\(file):\(index + 1) does not document \(file.lines[index].trimmingSpaces)")
            }
        }
        #expect(count > 500)
    }

    /// DocC reads parameters only if they are nested: indented below `- Parameters:`.
    @Test func parametersAreNested() {
        for file in Repository.sources where file.isSwift && !file.isTest {
            let lines = file.lines.map(\.trimmingSpaces)
            for index in lines.indices where lines[index] == "/// - Parameters:" {
                #expect(lines[index + 1].hasPrefix("///   - "), "\(file):\(index + 2) is not indented")
            }
        }
    }

    @Test func attributesOverSeveralLinesAreSkipped() {
        let lines = [
            "    /// What.", "    @available(", "        *, unavailable", "    )", "    @inlinable",
            "    public func a()",
        ]
        #expect(isDocumented(5, in: lines))
        #expect(!isDocumented(4, in: Array(lines.dropFirst())))
        #expect(!isDocumented(3, in: ["/// What.", "call(", ")", "public func a()"]))
    }

    @Test func publicDeclarationsAreFound() {
        let lines = """
            public protocol A {
                associatedtype B
                func c()
            }
            /// What.
            @frozen
            public enum D {
                case e, f
                // Why.
                case g
                func h() {
                    switch self { case .e: break }
                }
                public static let i = 1
            }
            struct J {
                enum K {
                    case l
                }
                public override var m: Int { 1 }
                private func n() {}
            }
            extension N {
                @inlinable
                public final func `o`(public p: Int) {}
                public enum Q { case r }
                public private(set) var s = 1
                public init() {}
            }
            public extension T {
                func u() {}
                private func v() {}
            }
            """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let found = publicDeclarations(lines).map { lines[$0].trimmingSpaces }
        #expect(
            found == [
                "public protocol A {", "associatedtype B", "func c()", "public enum D {", "case e, f", "case g",
                "public static let i = 1", "public final func `o`(public p: Int) {}", "public enum Q { case r }",
                "public private(set) var s = 1", "public init() {}", "func u() {}",
            ])
        #expect(lines.indices.filter { isDocumented($0, in: lines) } == [5, 6])
    }
}

/// Returns the lines of public declarations. Overrides are left out, because the superclass documents them.
private func publicDeclarations(_ lines: [String]) -> [Int] {
    let declaration =
        #/
        (?: @\w+ (?: \( [^)]* \) )? \s+ )*  (?: [a-z]+ (?: \(set\) )? \s+ )*
        (?: actor | associatedtype | case | class | enum | func | init | let | protocol | struct | subscript | typealias | var )
        \b .*
        /#
    // For each open scope, the indentation of its members, and which of them are implicitly public.
    var scopes: [(indent: Int, implied: (String) -> Bool)] = []
    return lines.indices.filter { index in
        let text = lines[index].trimmingSpaces
        guard !text.isEmpty, !text.hasPrefix("//"), !text.hasPrefix("#") else { return false }
        let indent = lines[index].prefix { $0 == " " }.count
        scopes.removeAll { indent < $0.indent }
        let head = String(text.prefix { !"({=:".contains($0) })
        let isExplicit = head.contains(/^(?:@\w+ )*(?:\w+ )*public\b/)
        let isImplicit = scopes.last.map { $0.indent == indent && $0.implied(head) } ?? false
        if text.hasSuffix("{") || text.hasSuffix("(") { scopes.append((indent + 4, impliedMembers(of: head))) }
        guard isExplicit || isImplicit, !head.contains("override ") else { return false }
        return text.wholeMatch(of: declaration) != nil
    }
}

/// Returns a predicate on the head of a member of the declaration: whether the member is implicitly public.
private func impliedMembers(of head: String) -> (String) -> Bool {
    guard head.hasPrefix("public "), let kind = head.firstMatch(of: /\b(?:enum|protocol|extension)\b/) else {
        return { _ in false }
    }
    if kind.0 == "enum" { return { $0.hasPrefix("case ") || $0.hasPrefix("indirect case ") } }
    return { !$0.contains(/\b(?:private|fileprivate|internal|package)\b/) }
}

/// Whether documentation precedes the line, before attributes and plain comments.
private func isDocumented(_ index: Int, in lines: [String]) -> Bool {
    var above = index - 1
    while above >= 0 {
        let text = lines[above].trimmingSpaces
        if text == ")" {
            // The end of an attribute over several lines: go on from its beginning.
            let indent = lines[above].count - text.count
            repeat { above -= 1 } while above > 0 && lines[above].prefix { $0 == " " }.count > indent
            guard above >= 0, lines[above].trimmingSpaces.hasPrefix("@") else { return false }
        } else if !text.hasPrefix("@"), !text.hasPrefix("//") || text.hasPrefix("///") {
            return text.hasPrefix("///")
        }
        above -= 1
    }
    return false
}

extension String {
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }) }
}

// SPDX-License-Identifier: MIT
