import ChainInsight
import ChainModel
import ChainRows
import Frames

/// All that a dashboard knows: a value that ``reduce(into:_:)`` changes and ``render(_:)`` draws.
///
/// Uniquely owned: it holds the forest, and the first change of a copy copies that.
public struct State {
    /// Options given at the start.
    public struct Options: Sendable {
        /// The colours.
        public var theme: Theme
        /// The signs.
        public var glyphs: Glyphs
        /// Whether cancelling is off, whatever the program allows.
        public var isReadOnly: Bool
        /// Seconds to add to UTC for times of day.
        public var clockOffset: Int
        /// The name that cancellations are requested under.
        public var actor: String
        /// What is kept of settled nodes.
        public var limits: ForestLimits
        /// Limit of events and nodes buffered while frozen.
        public var frozenLimit: Int
        /// Frames a second at most, while something moves.
        public var refreshRate: Int
        /// The warnings and their limits.
        public var warnings: WarningOptions
        /// Queries by name, for `/`.
        public var savedQueries: [String: String]
        /// Finds nodes that come folded to one row, with what is under them; nil for none.
        public var unimportant: Query?
        /// Whether the owner keeps the past of live programs, so that it can be looked at.
        public var keepsHistory: Bool

        /// Chains of more nodes are kept in lists, in chunks of at most so many.
        var longFrom = 256
        var chunkLimit = 256
        /// The least limit of a queue of nodes, if not the usual one.
        var queueLimit: Int?

        /// The usual choices.
        public init(
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

    /// How the selection moves by itself.
    enum Following {
        /// Keeps the first row selected, until the user moves.
        case first
        /// Keeps the newest chain selected.
        case newest
        /// Keeps the selected node on its line and in sight, whatever happens.
        case selected
        /// Keeps the selected node selected.
        case nothing
    }

    /// Where the keys go.
    enum Mode: Equatable {
        /// To the view.
        case normal
        case filter(String)
        case command(String)
        case confirm(Confirmation)
        case help(scroll: Int)
        case marks(selected: Int)
    }

    /// One line for the user, for a while.
    struct Status: Equatable {
        enum Tone { case plain, warning }
        var text: String
        var tone: Tone
        /// Nanoseconds since 1970.
        var until: UInt64
        /// Whether it stays until the next key.
        var isSticky = false
    }

    /// Choices made at the start, and changed on the command line of the dashboard.
    public internal(set) var options: Options
    /// The programs, in the order of their sources.
    var programs: [Program] = []
    /// The screen.
    public internal(set) var size: Size
    /// What keys act on.
    var selection: RowID?
    /// Changes with the picture; the session redraws when it differs from the last one drawn.
    public internal(set) var revision: UInt64 = 0

    /// The view that is shown.
    public internal(set) var view = ViewID.chains
    var tree = ChainsView()
    var calledChains = CalledChains()
    var timeStrip = TimeStrip()
    /// The live programs, while their past is shown; else nil.
    var lookingBack: LookingBack?
    /// The recordings of live programs that run.
    var recordings: [RecordingStatus] = []
    var threads = ThreadsView()
    var timeline = TimelineView()
    var sites = SitesView()
    var warnings = WarningsView()
    var events = EventsView()
    var profile = ProfileView()

    var filter = Filter()
    var alerts: [Alert] = []
    /// When the bell rang last, in nanoseconds since 1970.
    var lastBell: UInt64 = 0
    var mode = Mode.normal
    var typing = Typing()
    var helpSearch = HelpSearch()
    var filterHistory = LineHistory()
    var commandHistory = LineHistory()
    var status: Status?
    /// The settings that `:reset` restores.
    var defaults = ViewSettings()
    var following = Following.first
    /// The node that was selected before the newest chain was followed.
    var selectedBefore: RowID?
    /// Whether the user opened or closed the detail pane; nil shows it where there is room beside the rows.
    var wantsDetail: Bool?
    var detailScroll = 0
    var linkSelection: LinkSelection?
    /// Back stack: nodes left by links and commands, newest last.
    var visited: [RowID] = []
    /// The detail pane's size, as dragged: columns beside the rows, rows below them; nil is the default.
    var detailColumns: Int?
    var detailRows: Int?
    /// Call sites that the user folded, such as `Module/File.swift:31`; new nodes come folded.
    var foldedSites: [String] = []
    /// Whether the border is being dragged.
    var isDraggingDivider = false
    /// Whether the present moment is dragged along the time strip.
    var isDraggingStrip = false
    var isDraggingScrollBar = false
    /// Nodes, in the order in which they were tagged.
    var tags: [RowID] = []
    /// Tagged nodes that are not in the moment of a recording that is shown.
    var absentTags: [RowID] = []
    /// Until when rows neither fold nor move down, because nodes are being tagged; nanoseconds since 1970.
    var tagHold: UInt64 = 0
    /// Confirmed cancellations with nodes that have not settled.
    var cancellations: [CancelProgress] = []
    /// Whether the picture is frozen.
    public internal(set) var isFrozen = false
    /// When it was frozen, in nanoseconds since 1970.
    var frozenAt: UInt64?
    var descriptions = NodeDetailCache()
    var workSchedule = WorkSchedule()
    var lastCommand: UInt64 = 0
    /// Nanoseconds since 1970.
    var wall: UInt64 = 0
    /// The ``redrawKey()`` of the picture that was drawn last.
    var drawnKey: UInt64 = 0

    /// The columns of the tree, from left to right, as far as there is room.
    public internal(set) var columns = TreeColumn.usual
    /// The order of the chains.
    public internal(set) var order = TreeOrder()

    /// A dashboard with nothing to look at yet.
    public init(size: Size, options: Options = Options()) {
        self.size = size
        self.options = options
        defaults = remembered
    }

    /// Which table of keys is in force.
    public var context: KeyMap.Context {
        switch mode {
        case .normal: .view(view)
        case .command: .command
        case .filter: .filter
        case .confirm: .confirm
        case .help: .help
        case .marks: .marks
        }
    }

    /// Whether each program has a row of its own.
    var showsPrograms: Bool { programs.count > 1 }

    /// Whether nothing but the passing of time can change the picture: the loop may sleep until something comes.
    public var isIdle: Bool {
        let isCounting = !cancellations.isEmpty && !isFrozen
        return programs.allSatisfy(\.isIdle) && !isAboutToAsk && !isCounting && tagHold <= wall
            && !EventsView.isIncomplete(self) && !EventsView.needsRenewal(self)
    }
}

/// The question before a cancellation: bound to nodes, never to rows.
struct Confirmation: Equatable {
    /// What one program is asked for.
    struct Part: Equatable {
        var source: SourceID
        var process: ProcessKey
        var scope: CancelScope
        /// The live nodes that were counted, for their mark.
        var nodes: [NodeID]
    }

    var parts: [Part]
    /// What is to be cancelled, in words: `order 17`.
    var what: String
    /// Live nodes in it.
    var count: Int
    /// Whether there are more than were counted.
    var isAtLeast = false
    /// Whether a span is pending too, which is not cancelled.
    var hasSpan = false
    /// Live nodes around it that run in a task that is cancelled with it (TheRules, X6).
    var aroundCount = 0
    /// The first few of them, in words.
    var labels: [String]
    /// How long the picture has been frozen, in nanoseconds; nil where it is live.
    var frozenAge: UInt64?

    /// Where counting stops.
    static let countLimit = 10_000
    static let labelLimit = 4
}
