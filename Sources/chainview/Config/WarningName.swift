import ArgumentParser
import ChainInsight
import TOMLKit

/// A warning as it is named on the command line and in the configuration: one, or all.
struct WarningName: ExpressibleByArgument, Equatable {
    /// Nil for all.
    var kind: WarningKind?

    init?(argument: String) {
        let name = argument.lowercased()
        guard name != "all" else { return }
        guard let kind = WarningKind(rawValue: name) else { return nil }
        self.kind = kind
    }

    static let allValueStrings = ["all"] + WarningKind.allCases.map(\.rawValue)
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    /// All names in a sentence.
    static let list = allValueStrings.joined(separator: ", ")

    /// What it stands for.
    var kinds: Set<WarningKind> { kind.map { [$0] } ?? Set(WarningKind.allCases) }

    /// What is wrong, where it is not the value as a whole.
    struct Wrong: Error { var words: String }

    /// A list of names.
    static func kinds(_ value: any TOMLValueConvertible) -> Result<Set<WarningKind>, Wrong> {
        guard let array = value.array else { return .failure(Wrong(words: "")) }
        var kinds: Set<WarningKind> = []
        for element in array {
            guard let name = element.string.flatMap(WarningName.init(argument:)) else {
                return .failure(Wrong(words: ConfigFile.words(element)))
            }
            kinds.formUnion(name.kinds)
        }
        return .success(kinds)
    }
}

extension WarningOptions {
    /// Warns of some, allows others. Single names count more than `all`, in whatever order they are given.
    mutating func apply(warn: [WarningName], allow: [WarningName]) {
        if warn.contains(where: { $0.kind == nil }) { enabled = Set(WarningKind.allCases) }
        if allow.contains(where: { $0.kind == nil }) { enabled = [] }
        for name in warn { if let kind = name.kind { enabled.insert(kind) } }
        for name in allow { if let kind = name.kind { enabled.remove(kind) } }
    }
}
