import Foundation
import Testing

/// What a view of the dashboard keeps between two actions is its own: other code reaches it through the requirements of
/// `DashboardView`, and a view reaches neither another view's value nor the tree's. The tree's is shared with the core,
/// because selection and scrolling are the same in every view.
struct ViewWallTests {
    private static let folder = "Sources/Dashboard/Views/"

    /// What a view may use of the state that all views share. A view that needs more gets it here, with the question
    /// whether a function of the state says it better.
    private static let shared: Set<Substring> = [
        // Programs and time.
        "programs", "programIndex", "processKeys", "showsPrograms", "options", "wall", "isFrozen",
        // Nodes, the selection and the tree.
        "rowID", "find", "contains", "selection", "selectedNode", "isSelectionLive", "nodeRowNearSelection", "select",
        "reveal", "goToChain", "treePosition", "detailScroll",
        // The filter.
        "filter", "filterRevision", "filterMatches", "matchCount", "goToMatch", "showNodes", "emptyReason",
        "nothingMatches",
        // The screen.
        "view", "updateViewport", "notify", "refuse", "open", "copied",
    ]

    /// The folders of the views, as `Sites`.
    private var views: Set<String> {
        let below = Repository.sources.map(\.path).filter { $0.hasPrefix(Self.folder) }
            .map { $0.dropFirst(Self.folder.count) }
        return Set(below.filter { $0.contains("/") }.map { String($0.prefix { $0 != "/" }) })
    }

    /// Returns whether a line reaches the value of a view, or its type's functions. `inState` is whether the line is in an
    /// extension of the state, where the value needs no prefix.
    private func reaches(_ view: String, _ line: Substring, inState: Bool) throws -> Bool {
        let value = view == "Chains" ? "tree" : view.lowercased()
        let code = line.prefix { $0 != "\"" }
        // Most lines have neither word, and regular expressions are slow.
        guard code.contains(value + ".") || code.contains(view + "View.") else { return false }
        let named = try Regex("(state|self|\\$0)\\.\(value)\\.|\\b\(view)View\\.[a-z]")
        if code.contains(named) { return true }
        return inState ? code.contains(try Regex("(^|[^\\w.])\(value)\\.[a-z]")) : false
    }

    @Test func aViewsValueIsReachedByItsOwnFilesAlone() throws {
        #expect(views.count == 7)
        for file in Repository.sources where file.path.hasPrefix("Sources/Dashboard/") {
            // The table of views names their types.
            guard !file.path.hasSuffix("/ViewID.swift") else { continue }
            var inState = false
            for (number, line) in file.lines.enumerated() {
                if line.hasPrefix("extension ") { inState = line.hasPrefix("extension State ") }
                let isComment = line.drop { $0 == " " }.hasPrefix("//")
                for view in views where !isComment && !file.path.hasPrefix(Self.folder + view + "/") {
                    guard try reaches(view, line[...], inState: inState) else { continue }
                    Issue.record("\(file):\(number + 1): reaches into the view \(view): \(line)")
                }
                guard !isComment, file.path.hasPrefix(Self.folder),
                    file.path.dropFirst(Self.folder.count).contains("/"),
                    try reaches("Chains", line[...], inState: false)
                else { continue }
                Issue.record("\(file):\(number + 1): reaches into the tree: \(line)")
            }
        }
    }

    @Test func aViewUsesAShortListOfTheSharedState() throws {
        let values = Set(views.map { Substring($0.lowercased()) })
        var used: Set<Substring> = []
        for file in Repository.sources where file.path.hasPrefix(Self.folder) {
            guard file.path.dropFirst(Self.folder.count).contains("/") else { continue }
            for (number, line) in file.lines.enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                #expect(!line.hasPrefix("extension State "), "\(file):\(number + 1)")
                for name in line.matches(of: /(?:^|[^.\w])state\.(\w+)/).map(\.1) where !values.contains(name) {
                    used.insert(name)
                    #expect(Self.shared.contains(name), "\(file):\(number + 1): \(name) is no part of what views use")
                }
            }
        }
        #expect(Self.shared.subtracting(used).isEmpty, "no view uses these any more")
    }

    @Test(arguments: [
        ("        state.sites.rows = []", true), ("    if SitesView.isIdle(state) {", true),
        ("        sites.source = nil", true), ("        let table = program.insight.sites.table", false),
        ("        notify(\"state.sites.rows\")", false),
    ])
    func reachingIsSeen(line: String, expected: Bool) throws {
        #expect(try reaches("Sites", line[...], inState: true) == expected)
    }
}
