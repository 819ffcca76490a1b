import ChainBus
import ChainEvents
import ChainSource
import Dashboard
import Frames
import PromiseRuntime
import Terminal

/// The dashboard on the terminal: reads what happens, dispatches it, draws what changed. One thread.
final class Session {
    private let feeds: [Feed]
    private let store: StateStore<State, Action, Effect>
    private let effects = EffectQueue()
    private let screenOptions: ScreenOptions
    private var screen: Screen
    private var drawnRevision: UInt64?
    private var isOver = false
    private var endingSignal: Int32?
    private let glyphs: Glyphs
    /// Whether the queues are printed at the end.
    private let printsStatistics: Bool
    /// What a program writes that was started together with the dashboard.
    private let output: ShownOutput?
    private var dashboardFrame: Frame?
    private var drawnOutput: UInt64?
    /// What is remembered from session to session, and once the programs are known, what was.
    private let memory: Memory?
    private let begun: ViewSettings
    private var recollection: SavedSettings?
    /// What is wrong with the files, to be said on the status line.
    private var words: String?

    /// Events and nodes that are taken in at once: some milliseconds. The rest is, as long as no key comes and no frame.
    private static let foldLimit = 16_384

    /// How often an idle dashboard looks at the clock.
    private static let idleInterval: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - screen: open; closed by ``run()``.
    ///   - remembers: whether what is set is kept for the next time, if the settings allow that.
    init(
        _ sources: [NamedSource], _ settings: Settings, screen: Screen, output: ShownOutput? = nil,
        remembers: Bool = true
    ) {
        self.screen = screen
        self.output = output
        let options = settings.stateOptions
        screenOptions = settings.screenOptions
        glyphs = options.glyphs
        printsStatistics = settings.display.printsStatistics
        memory = remembers ? settings.memory : nil
        words = settings.problems.first.map { first in
            let more = settings.problems.count - 1
            return "\(first)" + (more > 0 ? " (and \(more) more: chainview config --check)" : "")
        }
        let size = Self.dashboardSize(screen.size, output)
        store = StateStore(State(size: size, options: options), reduce: reduce(into:_:)) { [effects] effect, _ in
            effects.waiting.append(effect)
        }
        store.dispatch(.recall(settings.base.overlaid(with: settings.demanded)))
        begun = store.withState { $0.remembered }
        let waker = screen.waker
        feeds = Feed.all(sources, wake: { waker.wake() })
    }

    /// Runs until somebody quits. Gives the signal to raise again, if one ended it.
    func run() throws -> Int32? {
        defer {
            output?.willClose()
            screen.close()
            for feed in feeds { feed.stop() }
            keep()
            if printsStatistics { DebugStatistics.print(store.withState { $0.queueStatistics }, feeds) }
        }
        do {
            var nextTick = SystemClock.shared.now
            // Since the last tick: once at least, then as long as there is any.
            var hasWorked = false
            while !isOver {
                let now = SystemClock.shared.now
                if now >= nextTick {
                    drain()
                    tick(now)
                    sayWords()
                    nextTick = now + (store.withState { $0.isIdle } ? Self.idleInterval : frameInterval)
                    try draw()
                    hasWorked = false
                }
                let isIdle = store.withState { $0.isIdle }
                // What a key changed may begin something that goes on by itself.
                let soon = min(nextTick, SystemClock.shared.now + frameInterval)
                let rest = nextTick &- min(nextTick, SystemClock.shared.now)
                let isBusy = !hasWorked || hasMail || store.withState { $0.hasWork }
                switch try screen.nextEvent(timeout: isBusy ? 0 : rest) {
                case .key(let key)?: nextTick = try act(.key(key), then: soon)
                case .mouse(let mouse)?:
                    // The pane below has nothing to click.
                    if mouse.row < dashboardSize.rows { nextTick = try act(.mouse(mouse), then: soon) }
                case .pasted(let text)?: nextTick = try act(.pasted(text), then: soon)
                case .resized?: nextTick = try act(.resized(dashboardSize), then: soon)
                case .interrupted?: isOver = true
                case .terminate(let signal)?: (isOver, endingSignal) = (true, signal)
                case .resumed?:
                    // The terminal was cleared: nothing waits for the next tick of an idle dashboard.
                    drawnRevision = nil
                    try draw()
                // While something moves, what waits is taken in with the next frame.
                case .wake?: if isIdle { nextTick = min(nextTick, SystemClock.shared.now + frameInterval) }
                case nil where isBusy && rest > 0:
                    hasWorked = !hasMail
                    if hasMail { nextTick = soon }
                    work()
                case nil: break
                }
            }
        } catch let error as ScreenError {
            throw Failure(screen: error)
        }
        return endingSignal
    }

    /// Takes in what waits before what was typed, so that a key acts on what is there, and draws at once. Gives the time
    /// of the next tick.
    private func act(_ action: Action, then nextTick: UInt64) throws -> UInt64 {
        drain()
        step(action)
        if !isOver { try draw() }
        return nextTick
    }

    /// Between two frames while something moves; what is typed is drawn at once.
    private var frameInterval: UInt64 { store.withState { 1_000_000_000 / UInt64(max(1, $0.options.refreshRate)) } }

    private func drain() { for feed in feeds { feed.drain(limit: Self.foldLimit / feeds.count, step) } }

    private var hasMail: Bool { feeds.contains(where: \.hasMail) }

    /// Uses the time before the next tick.
    private func work() { if hasMail { drain() } else { step(.work) } }

    private func tick(_ now: UInt64) {
        step(.tick(wall: WallClock.now, process: now))
    }

    private func draw() throws {
        let (revision, theme, frame) = store.withState { state in
            (state.revision, state.options.theme, state.revision == drawnRevision ? nil : render(state))
        }
        if let frame { dashboardFrame = frame }
        let outputRevision = output?.revision
        guard frame != nil || outputRevision != drawnOutput, var whole = dashboardFrame else { return }
        if let output, output.rows(on: screen.size) > 0 {
            let rows = output.rows(on: screen.size)
            var both = Frame(size: screen.size, charset: glyphs.charset)
            both.draw(whole, row: 0, column: 0)
            output.pane(rows: rows).paint(into: &both, rows: rows, glyphs: glyphs)
            whole = both
        }
        try screen.paint(whole, theme: theme)
        (drawnRevision, drawnOutput) = (revision, outputRevision)
    }

    /// Shows things as they were the last time, once it is known whose they are, and before their first nodes come.
    private func recall() {
        guard let memory, recollection == nil else { return }
        let (names, now) = store.withState { ($0.programNames, $0.remembered) }
        guard names.count == feeds.count else { return }
        let found = SavedSettings(memory, names: names, begun: begun, now: now)
        recollection = found
        step(.recall(found.shown))
        words = found.complaint ?? words
    }

    /// What was read is said once there is a clock to say it by.
    private func sayWords() {
        guard let text = words else { return }
        words = nil
        step(.report(text))
    }

    /// Keeps what was set for the next time.
    private func keep() {
        guard let recollection, let complaint = recollection.keep(store.withState { $0.remembered }) else { return }
        Streams.complain(complaint + ".")
    }

    /// What the pane below leaves of a screen.
    private static func dashboardSize(_ size: Size, _ output: ShownOutput?) -> Size {
        Size(columns: size.columns, rows: size.rows - (output?.rows(on: size) ?? 0))
    }

    private var dashboardSize: Size { Self.dashboardSize(screen.size, output) }

    private func step(_ action: Action) {
        store.dispatch(action)
        if case .connected = action { recall() }
        while !effects.waiting.isEmpty { perform(effects.waiting.removeFirst()) }
    }
}

/// Effects on their way from the store to the session.
private final class EffectQueue {
    var waiting: [Effect] = []
}

extension Session {
    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let source, let command): feeds[source.rawValue].send(command)
        case .requestSnapshot(let source): feeds[source.rawValue].requestSnapshot()
        case .redraw:
            screen.redraw()
            drawnRevision = nil
        case .quit: isOver = true
        case .suspend: attempt("suspend") { try screen.suspend() }
        case .toggleOutput: toggleOutput()
        case .copy(let text): attempt("copy") { try screen.setClipboard(text) }
        case .save(let path, let content, let overwrites):
            step(SavedFile(path: path).write(content, overwrites: overwrites))
        case .openEditor(let site): openEditor(site)
        }
    }

    private func attempt(_ what: String, _ action: () throws -> Void) {
        do { try action() } catch { step(.report("cannot \(what): \(error)")) }
    }

    private func toggleOutput() {
        guard let output else {
            return step(.report("no program was started from here: `chainview run PROGRAM` keeps what it writes"))
        }
        output.isShown.toggle()
        if output.isShown, output.rows(on: screen.size) == 0 {
            step(.report("the screen is too low for the output of \(output.program)"))
        }
        step(.resized(dashboardSize))
    }

    private func openEditor(_ site: CodeLocation) {
        let editor = Editor()
        guard let file = editor.find(site) else {
            step(.report("no file \(site.fileName) below this folder: start chainview where the sources are"))
            return
        }
        screen.close()
        let failure = editor.open(file, line: Int(site.line))
        do {
            screen = try Screen(options: screenOptions)
        } catch {
            isOver = true
            Streams.complain("\(error)")
            return
        }
        drawnRevision = nil
        step(.resized(dashboardSize))
        if let failure { step(.report(failure)) }
    }
}
