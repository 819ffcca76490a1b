// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainInsight
import TOMLKit

/// The name of a warning on the command line and in the configuration, or `all`.
struct WarningName: ExpressibleByArgument, Equatable {
    /// Nil for `all`.
    var kind: WarningKind?

    init?(argument: String) {
        let name = argument.lowercased()
        guard name != "all" else { return }
        guard let kind = WarningKind(rawValue: name) else { return nil }
        self.kind = kind
    }

    static let allValueStrings = ["all"] + WarningKind.allCases.map(\.rawValue)
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    /// All names, joined by commas.
    static let list = allValueStrings.joined(separator: ", ")

    var kinds: Set<WarningKind> { kind.map { [$0] } ?? Set(WarningKind.allCases) }

    /// The part of a value that is not allowed; empty if the whole value is not allowed.
    struct Invalid: Error { var part: String }

    /// Returns the warnings that a list of names selects.
    static func kinds(_ value: any TOMLValueConvertible) -> Result<Set<WarningKind>, Invalid> {
        guard let array = value.array else { return .failure(Invalid(part: "")) }
        var kinds: Set<WarningKind> = []
        for element in array {
            guard let name = element.string.flatMap(WarningName.init(argument:)) else {
                return .failure(Invalid(part: ConfigFile.words(element)))
            }
            kinds.formUnion(name.kinds)
        }
        return .success(kinds)
    }
}

extension WarningOptions {
    /// Enables and disables warnings. Single names override `all`, in any order.
    mutating func apply(warn: [WarningName], allow: [WarningName]) {
        if warn.contains(where: { $0.kind == nil }) { enabled = Set(WarningKind.allCases) }
        if allow.contains(where: { $0.kind == nil }) { enabled = [] }
        for name in warn { if let kind = name.kind { enabled.insert(kind) } }
        for name in allow { if let kind = name.kind { enabled.remove(kind) } }
    }
}
