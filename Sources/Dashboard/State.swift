import ChainEvents
import ChainModel
import Frames

/// All that a dashboard knows: a value that ``reduce(into:_:)`` changes and ``render(_:)`` draws.
///
/// Uniquely owned: it holds the forest, and the first change of a copy copies that.
public struct State {
    /// What stays as it was at the start.
    public struct Options: Sendable {
        /// The colours.
        public var theme: Theme
        /// The signs.
        public var glyphs: Glyphs
        /// Whether cancelling is off, whatever the program allows.
        public var isReadOnly: Bool
        /// Seconds to add to UTC for times of day.
        public var clockOffset: Int
        /// Who the program is told asked for a cancellation.
        public var actor: String
        /// What is kept of settled nodes.
        public var limits: ForestLimits
        /// Events and nodes that wait at most while the picture is frozen.
        public var frozenLimit: Int

        /// The usual choices.
        public init(
            theme: Theme = .dark, glyphs: Glyphs = .unicode, isReadOnly: Bool = false, clockOffset: Int = 0,
            actor: String = "the dashboard", limits: ForestLimits = ForestLimits(), frozenLimit: Int = 200_000
        ) {
            self.theme = theme
            self.glyphs = glyphs
            self.isReadOnly = isReadOnly
            self.clockOffset = clockOffset
            self.actor = actor
            self.limits = limits
            self.frozenLimit = frozenLimit
        }
    }

    /// A row that is on the screen, and who it was when it came there.
    struct WindowRow: Equatable {
        var row: TreeRow
        var id: NodeID
    }

    /// What the selection does by itself.
    enum Following {
        /// Nobody has moved yet: the first row, whoever that is.
        case first
        /// The newest chain.
        case newest
        /// Nothing: it stays on its node.
        case nobody
    }

    /// A node and the line of the tree's pane that it is kept on, so that what comes and goes above moves nothing.
    struct Anchor: Equatable {
        var id: NodeID
        var line: Int
    }

    /// What the keys go to besides the tree.
    enum Mode: Equatable {
        case tree
        case filter(String)
        case confirm(Confirmation)
        case help(scroll: Int)
    }

    /// One line for the user, for a while.
    struct Status: Equatable {
        enum Tone { case plain, warning }
        var text: String
        var tone: Tone
        /// Nanoseconds since 1970.
        var until: UInt64
    }

    /// Choices made at the start.
    public let options: Options
    var source = SourceID(0)
    /// Who is looked at.
    public internal(set) var process: ProcessInfo?
    /// Why there is nothing more to come, once that is so.
    public internal(set) var ending: String?
    /// The chains, once there is a program.
    public internal(set) var forest: ChainForest?
    /// The screen.
    public internal(set) var size: Size
    /// The node that keys act on.
    public internal(set) var selection: NodeID?
    /// Changes whenever the picture would: a loop draws when it is not the one that it drew last.
    public internal(set) var revision: UInt64 = 0

    var outline = Outline()
    var changes = ForestChanges()
    var mode = Mode.tree
    var status: Status?
    var following = Following.first
    var anchor: Anchor?
    /// The first row of the tree that is shown, its number among all rows, and those shown.
    var top = 0
    var rowCount = 0
    var window: [WindowRow] = []
    /// The line of the window that is selected; nil when it is out of sight.
    var selectedLine: Int?
    /// The number of the selected row when last seen.
    var selectedRow = 0
    /// What the user said of the detail pane; nil is: shown where there is room beside the tree.
    var wantsDetail: Bool?
    var detailScroll = 0
    var tags: [NodeID] = []
    var frozen: Frozen?
    var rate = RateMeter()
    var requests: [Request] = []
    var lastCommand: UInt64 = 0
    /// Nanoseconds since 1970, and of the program's clock.
    var wall: UInt64 = 0
    var now: UInt64 = 0
    /// What the running times on the screen show; see ``DurationText/step(_:)``.
    var runningStep: UInt64 = 0

    /// A dashboard with nothing to look at yet.
    public init(size: Size, options: Options = Options()) {
        self.size = size
        self.options = options
    }

    /// Whether the picture stands still.
    public var isFrozen: Bool { frozen != nil }

    /// Which table of keys is in force.
    public var context: KeyMap.Context {
        switch mode {
        case .tree: .tree
        case .filter: .filter
        case .confirm: .confirm
        case .help: .help
        }
    }

    /// The moment that is shown, in nanoseconds of the program's clock.
    var shownNow: UInt64 { frozen?.now ?? now }

    var selectedIndex: NodeIndex? { selection.flatMap { forest?.index(of: $0) } }

    /// Whether nothing but the passing of time can change the picture: the loop may sleep until something comes.
    public var isIdle: Bool {
        guard let forest else { return true }
        return frozen != nil || ending != nil
            || forest.totals.counts.liveCount == 0 && !outline.hasAnyDue && !outline.hasAnyTidy
    }
}

/// A command on its way, and who was marked for it.
struct Request {
    var id: UInt64
    var nodes: [NodeID]
}

/// The question before a cancellation: bound to nodes, never to rows.
struct Confirmation: Equatable {
    var scope: CancelScope
    /// What is to be cancelled, in words: `order 17`.
    var what: String
    /// Live nodes in the scope; the count stops at ``Confirmation/countLimit``.
    var count: Int
    /// The live nodes that were counted.
    var nodes: [NodeID]
    /// The first few of them, in words.
    var labels: [String]

    static let countLimit = 10_000
    static let labelLimit = 4
}

/// What waits while the picture stands still.
struct Frozen {
    /// The moment that is shown, in nanoseconds of the program's clock.
    var now: UInt64
    var batches: [EventBatch] = []
    /// Events and nodes that wait.
    var waitingCount = 0
    /// The limit was passed: what had waited was dropped, but for the tables.
    var isOverflown = false
}
