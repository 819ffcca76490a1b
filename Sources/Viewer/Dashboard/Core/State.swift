// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows
import Frames

/// The state of a dashboard: a value that ``reduce(into:_:)`` changes and ``render(_:)`` draws.
///
/// Keep a single copy of a state: it holds the programs' forests, and with a second copy the next change would copy the
/// forests.
package struct State: SharedState {
    /// A line below the rows, for demos.
    package struct Caption: Sendable {
        /// What is shown, and which keys to try: the longest form first. The first form that fits is drawn.
        package var texts: [String]
        /// The forms of the text once all nodes have settled; nil if more nodes follow.
        package var endings: [String]?

        /// Makes a caption.
        package init(texts: [String], endings: [String]?) { (self.texts, self.endings) = (texts, endings) }
    }

    /// Options given at the start.
    package struct Options: Sendable {
        /// The colours.
        package var theme: Theme
        /// The signs and line characters.
        package var glyphs: Glyphs
        /// Whether cancelling is off, whatever the program allows.
        package var isReadOnly: Bool
        /// Seconds to add to UTC for times of day.
        package var clockOffset: Int
        /// The name under which cancellations are requested.
        package var actor: String
        /// The limits of the nodes that are kept of each program.
        package var limits: ForestLimits
        /// The maximum number of events and nodes that are buffered while the picture is frozen, divided among the
        /// programs.
        package var frozenLimit: Int
        /// The maximum number of frames per second that are drawn while something moves.
        package var refreshRate: Int
        /// The warnings and their limits.
        package var warnings: WarningOptions
        /// The configured queries, by the name that follows `@`.
        package var savedQueries: [String: String]
        /// The query for nodes that are folded when they first appear: one row stands for such a node and all nodes
        /// under it. Nil for no query.
        package var unimportant: Query?
        /// Whether the dashboard's owner keeps the past of live programs, so that the past can be shown.
        package var keepsHistory: Bool
        /// The line below the rows; nil for none.
        package var caption: Caption?
        /// Whether copying is known to reach a clipboard. A terminal does not say whether it takes what it is sent.
        package var isCopyCertain = true

        /// The least number of entries that the queue of chains to archive has room for.
        var queueLimit = 16_384

        /// Makes the default options.
        package init(
            theme: Theme = .dark, glyphs: Glyphs = .unicode, isReadOnly: Bool = false, clockOffset: Int = 0,
            actor: String = "the dashboard", limits: ForestLimits = ForestLimits(), frozenLimit: Int = 200_000,
            refreshRate: Int = 30, warnings: WarningOptions = WarningOptions(), savedQueries: [String: String] = [:],
            unimportant: Query? = nil, keepsHistory: Bool = false
        ) {
            self.theme = theme
            self.glyphs = glyphs
            self.isReadOnly = isReadOnly
            self.clockOffset = clockOffset
            self.actor = actor
            self.limits = limits
            self.frozenLimit = frozenLimit
            self.refreshRate = refreshRate
            self.warnings = warnings
            self.savedQueries = savedQueries
            self.unimportant = unimportant
            self.keepsHistory = keepsHistory
        }
    }

    /// The part of the screen that keys go to.
    enum Mode: Equatable {
        /// The view.
        case normal
        /// The filter line, with the typed text.
        case filter(String)
        /// The command line, with the typed text.
        case command(String)
        case confirm(Confirmation)
        case help(Help)
        /// The list of marks; `selected` is the index of the selected mark.
        case marks(selected: Int)
    }

    /// A message on the status line.
    struct Status: Equatable {
        enum Tone { case plain, warning }
        var text: String
        var tone: Tone
        /// When it expires, in nanoseconds since 1970; `UInt64.max` if it is sticky.
        var until: UInt64
        /// Whether it has no time limit: the next key or click ends it.
        var isSticky = false
    }

    /// The options given at the start, with the user's changes.
    package internal(set) var options: Options
    /// What is known of the programs at the time that is shown: at present, in a recording or in the past.
    var world = World()
    /// The programs at present, while their past is shown; else nil.
    var lookingBack: LookingBack?
    /// The size of the screen.
    package internal(set) var size: Size
    /// The row that keys act on.
    var selection: RowID?
    /// A number that changes with the picture. The session draws when the number differs from the revision that was
    /// drawn last.
    package internal(set) var revision: UInt64 = 0

    var timeStrip = TimeStrip()
    /// The recordings that are being made of live programs.
    var recordings: [RecordingStatus] = []
    var views = ViewModels()
    /// The moment that is sought to make it the baseline, and the moment to return to. Nil once the user gives
    /// another command for moments, shows another view, or sets or ends a baseline.
    var soughtBaseline: (moment: UInt64, back: UInt64, wasPlaying: Bool)?

    var filter = Filter() { didSet { world.hidesUnmatched = filter.hidesUnmatched } }
    var alerts = Alerts()
    var mode = Mode.normal
    var typing = Typing()
    var filterHistory = LineHistory()
    var commandHistory = LineHistory()
    var status: Status?
    /// The settings that `:reset` restores.
    var defaults = ViewSettings()
    /// The rows from which links, `w` and commands led away, the newest last.
    var backStack: [RowID] = []
    var foldedSites = FoldedSites()
    var pointer = Pointer()
    /// The tagged nodes, in the order in which they were tagged; also nodes that do not exist at the shown time of a
    /// recording.
    var tags: [RowID] = []
    /// The time until which chains are neither archived nor folded, because nodes are being tagged; in nanoseconds
    /// since 1970.
    var tagHold: UInt64 = 0
    var cancellations = Cancellations()
    /// When the picture was frozen, in nanoseconds since 1970; nil if it is not frozen.
    var frozenAt: UInt64?
    /// The id of the command that was sent last.
    var lastCommandID: UInt64 = 0
    /// The ``redrawKey()`` of the picture that was drawn last.
    var drawnKey: UInt64 = 0
    /// The widths of the header's figures, in the order of their sparklines.
    var figureWidths = [FigureWidth](repeating: FigureWidth(), count: 5)

    /// The programs at present, or in a recording; ``world`` unless the past is shown.
    var live: World {
        _read { if lookingBack != nil { yield lookingBack!.live } else { yield world } }
        _modify { if lookingBack != nil { yield &lookingBack!.live } else { yield &world } }
    }

    /// The view that is shown.
    package internal(set) var view: ViewID {
        get { views.shown }
        set { views.shown = newValue }
    }

    /// Whether the picture is frozen.
    package var isFrozen: Bool { frozenAt != nil }

    /// The initial folds of a program that is shown from now on.
    var initialFolds: InitialFolds { InitialFolds(foldedSites.names, unimportant: options.unimportant) }

    /// Makes a dashboard without a program.
    package init(size: Size, options: Options = Options()) {
        self.size = size
        self.options = options
        defaults = viewSettings
    }

    /// The context in which keys are looked up.
    package var context: KeyMap.Context {
        switch mode {
        case .normal: .view(view)
        case .command: .command
        case .filter: .filter
        case .confirm: .confirm
        case .help: .help
        case .marks: .marks
        }
    }

    /// Whether the states of all programs that are live have been read.
    package var hasReadStates: Bool {
        programs.allSatisfy { !$0.connection.isLive || $0.stateArrival.hasBegun && $0.reading == nil }
    }

    /// The queues of the shown programs and the cache of details, each with its limit, for `--debug-statistics`.
    package var queueStatistics: [QueueStatistics] {
        world.queueStatistics(frozenLimit: options.frozenLimit) + [detail.answers.queueStatistics]
    }

    /// The smallest screen on which a dashboard is drawn.
    package static var leastSize: Size { Layout.least }

    /// Whether background work is left for ``Action/work``.
    package var hasWork: Bool { world.hasWork }

    /// Whether the last slice updated the views' statistics. Benchmarks time such slices apart from other slices.
    package var hasCountedForViews: Bool { world.workSchedule.hasCountedForViews }

    /// Whether only the passing of seconds changes the picture until the next action; one tick each second is then
    /// enough.
    package var isIdle: Bool {
        let isCounting = !cancellations.isEmpty && !isFrozen
        // While the clocks of all programs are stopped, no chain is archived when the hold ends. The hold may even
        // never end, because `wall` may stand still, too.
        let isHolding = tagHold > wall && !programs.allSatisfy(\.isClockStopped)
        guard !isCounting, !isHolding, programs.allSatisfy(\.isIdle) else { return false }
        let context = ViewContext(self)
        let isAboutToAsk = context.describableNode.map { detail.answers.lacks($0.rowID, $0.facts) } ?? false
        return !isAboutToAsk && views[view].isIdle(context)
    }

    // MARK: Settings

    /// The settings in force, to be saved; no field is nil.
    package var viewSettings: ViewSettings {
        var now = ViewSettings()
        now.view = view
        now.detail = detail.isWanted.map { $0 ? .open : .closed } ?? .auto
        now.detailColumns = detail.columns ?? 0
        now.detailRows = detail.rows ?? 0
        now.filter = filter.text
        now.dims = filter.dims
        now.order = tree.order
        now.columns = tree.columns
        now.theme = options.theme.name
        now.refreshRate = options.refreshRate
        now.folded = foldedSites.names
        return now
    }

    /// The names of the programs that were reached, in the order of their sources.
    package var programNames: [String] { world.programs.compactMap { $0.info?.name } }

    /// Applies settings of an earlier session; a message then lists the settings that differ from the defaults.
    mutating func resume(_ old: ViewSettings) {
        restore(old)
        let words = viewSettings.words(since: defaults)
        guard !words.isEmpty else { return }
        notify("as you left it: \(words.joined(separator: ", ")); :reset for the defaults")
    }

    /// Returns to ``defaults``.
    mutating func resetSettings() {
        let words = viewSettings.words(since: defaults)
        restore(defaults)
        notify(words.isEmpty ? "everything is as by default" : "back to the defaults")
    }

    /// Applies the settings that are not nil; a setting that cannot be applied is ignored.
    mutating func restore(_ old: ViewSettings) {
        if let theme = old.theme.flatMap(Theme.named) { options.theme = theme }
        if let rate = old.refreshRate { options.refreshRate = RefreshRate.nearest(to: rate) }
        if let visibility = old.detail { detail.isWanted = visibility == .auto ? nil : visibility == .open }
        // A session does not start with its rows covered by the details.
        if Layout(self).isCovering { detail.isWanted = nil }
        if let columns = old.detailColumns { detail.columns = columns > 0 ? columns : nil }
        if let rows = old.detailRows { detail.rows = rows > 0 ? rows : nil }
        if let folded = old.folded {
            foldedSites = FoldedSites(folded)
            for programIndex in world.programs.indices { world.programs[programIndex].setInitialFolds(initialFolds) }
        }
        if let wanted = old.order, wanted != tree.order { setOrder(wanted) }
        if let wanted = old.columns { tree.columns = TreeColumn.valid(wanted) }
        if let dims = old.dims { setDims(dims) }
        // A query that this version cannot read leaves the filter as it is.
        if let text = old.filter, text != filter.text {
            if text.isEmpty { dropFilter() } else { try? filter(by: text) }
        }
        if let view = old.view { show(view) }
        updateViewport()
        revision += 1
    }
}
