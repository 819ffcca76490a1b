import Frames

// What single views have besides the keys of every view. A key that is bound here means this there.
extension KeyMap {
    static let threads: [Binding] = [
        Binding(.detail, [KeyPress(.enter)], "go to what runs on the thread", footer: "go to")
    ]

    static let timeline: [Binding] = [
        Binding(.zoomIn, [key("+")], "nearer", footer: "zoom"),
        Binding(.zoomOut, [key("-")], "farther"),
        Binding(.earlier, [KeyPress(.left), key("h")], "earlier", footer: "pan"),
        Binding(.later, [KeyPress(.right), key("l")], "later"),
        Binding(.follow, [key("f"), key("0")], "back to now; again: everything in sight", footer: "now"),
        Binding(.scope, [key("a")], "all chains, or only the selected one", footer: "all"),
        Binding(.detail, [KeyPress(.enter)], "of all chains: the selected one; of one: details", footer: "detail"),
    ]

    static let sites: [Binding] = [
        Binding(.visit, [KeyPress(.enter)], "its nodes in the tree, by a filter", footer: "nodes"),
        Binding(.sort, [key("s")], "sort by the next column; so does a click on its head", footer: "sort"),
        Binding(.detail, [key("d")], "show or hide the histograms of the selected site", footer: "detail"),
    ]

    static let warnings: [Binding] = [
        Binding(.visit, [KeyPress(.enter)], "to its node in the tree; on a heading: fold or unfold", footer: "go to"),
        Binding(.dismiss, [key("x")], "take the warning away; on a heading: all of the kind", footer: "away"),
        Binding(.hide, [key("X")], "hide what comes of this kind, or show it again", footer: "hide kind"),
        Binding(.detail, [key("d")], "show or hide what it means and what to do", footer: "detail"),
    ]

    static let events: [Binding] = [
        Binding(.scope, [key("a")], "events of all chains, or only of the selected one", footer: "one chain")
    ]
}

extension KeyMap.Context {
    /// Whether the keys of every view act, too.
    var isView: Bool {
        switch self {
        case .tree, .threads, .timeline, .sites, .warnings, .events: true
        case .filter, .command, .confirm, .help: false
        }
    }
}
