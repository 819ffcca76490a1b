// SPDX-License-Identifier: MIT

import ChainBus
import Dashboard
import Frames
import PromiseRuntime
import Terminal

import struct Frames.Size  // Darwin has a Size, too (MacTypes.h).

/// The dashboard on the terminal: reads input and batches, dispatches them, draws changes. Runs on one thread.
final class Session {
    let feeds: [Feed]
    /// Shows moments of the recording, or of the past of the sources.
    let replayer: Replayer
    /// The recordings of live programs under way.
    var recordings: [LiveRecording] = []
    let store: StateStore<State, Action, Effect>
    private let effects = EffectQueue()
    /// What other threads do for the session, except for reading moments.
    let background: SessionWork
    /// Whether the file of a call site is being searched for.
    var isFindingFile = false
    /// An event that came after typed characters, and is still to be handled.
    private var nextEvent: ScreenEvent?
    let screenOptions: ScreenOptions
    var screen: Screen
    var drawnRevision: UInt64?
    var isOver = false
    private var endingSignal: Int32?
    /// Why the session cannot go on.
    var failure: Failure?
    let glyphs: Glyphs
    /// Whether to print the statistics of the queues at the end.
    private let printsStatistics: Bool
    /// The output of the program that `chainview run` started.
    let output: OutputPaneState?
    private var dashboardFrame: Frame?
    private var drawnOutput: UInt64?
    private let settingsStore: SettingsStore?
    private let initialSettings: ViewSettings
    /// The saved settings, loaded as soon as the programs' names are known.
    private var savedSettings: SavedSettings?
    /// Problems with the configuration, the saved settings or a recording, for the status line.
    private var pendingNotes: [String] = []

    /// The command to run for alerts; nil if none is configured.
    let alertCommand: AlertCommand?

    /// About how many events and nodes are applied between two checks for input. Applying them takes some milliseconds.
    private static let applyLimit = 16_384

    /// How long a source waits for the dashboard, which applies nothing while an editor is open or the terminal is
    /// stalled. Applying what fits into a feed takes less time. A recording of the source is held up for as long.
    private static let patience = Duration.seconds(2)

    /// How long the end of the session waits for files to be written, in nanoseconds.
    private static let endLimit: UInt64 = 5_000_000_000

    /// The time between two ticks of an idle dashboard, in nanoseconds.
    private static let idleInterval: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - screen: an open screen, which ``run()`` closes.
    ///   - remembers: whether to load and save settings, if the options allow that.
    convenience init(
        _ sources: [NamedSource], _ settings: Settings, screen: Screen, output: OutputPaneState? = nil,
        remembers: Bool = true
    ) {
        self.init(sources, nil, settings, screen, output, remembers)
    }

    /// Makes a session on a recording.
    ///
    /// - Parameters:
    ///   - path: the recording's file.
    ///   - first: the actions that show the first moment.
    convenience init(_ playback: Playback, of path: String, _ first: [Action], _ settings: Settings, screen: Screen) {
        self.init([], playback, settings, screen, nil, true)
        let notes = playback.openingNotes
        for action in first { dispatch(action) }
        pendingNotes += notes
        findDamage(path)
    }

    private init(
        _ sources: [NamedSource], _ playback: Playback?, _ settings: Settings, _ screen: Screen,
        _ output: OutputPaneState?,
        _ remembers: Bool
    ) {
        self.screen = screen
        self.output = output
        let options = settings.stateOptions
        screenOptions = settings.screenOptions
        glyphs = options.glyphs
        printsStatistics = settings.display.printsStatistics
        settingsStore = remembers ? settings.store : nil
        alertCommand =
            settings.configuration.alertCommand.isEmpty
            ? nil : AlertCommand(settings.configuration.alertCommand)
        if let first = settings.problems.first {
            let more = settings.problems.count - 1
            pendingNotes = ["\(first)" + (more > 0 ? " (and \(more) more: run `chainview config --check`)" : "")]
        }
        let size = Self.dashboardSize(screen.size, output)
        store = StateStore(State(size: size, options: options), reduce: reduce(into:_:)) { [effects] effect, _ in
            effects.waiting.append(effect)
        }
        var initial = settings.configuredSettings.overlaid(with: settings.flagSettings)
        if initial.view == nil, sources.count > 1 { initial.view = .overview }
        store.dispatch(.restore(initial))
        initialSettings = store.withState { $0.viewSettings }
        let waker = screen.waker
        background = SessionWork { waker.wake() }
        // Made before the sources are started, so that no batch is missed.
        let histories =
            playback == nil ? LiveHistories(sources, limit: settings.configuration.historyMemory) : nil
        replayer = Replayer(playback, histories) { waker.wake() }
        feeds = Feed.all(sources, patience: Self.patience, wake: { waker.wake() })
        replayer.dispatch = { [unowned self] in dispatch($0) }
    }

    /// Runs until the user quits. Returns the signal to raise again, if a signal ended the session.
    func run() throws -> Int32? {
        defer {
            output?.willClose()
            screen.close()
            finish(until: SystemClock.shared.nanoseconds &+ Self.endLimit)
            histories?.stop()
            for feed in feeds { feed.stop() }
            saveSettings()
            if printsStatistics { DebugStatistics.print(store.withState { $0.queueStatistics }, feeds) }
        }
        do { try loop() } catch let error as ScreenError { throw Failure(screen: error) }
        if let failure { throw failure }
        return endingSignal
    }

    /// Performs the commands for marks that wait, ends all recordings, and prints what failed and what was recorded.
    private func finish(until end: UInt64) {
        replayer.dispatch = { if case .report(let problem) = $0 { Streams.printError(problem + ".") } }
        if !replayer.finishMarks(until: end) {
            Streams.printError("the last changes of marks are lost: the disk of the recording does not answer.")
        }
        finishRecordings(until: end)
    }

    private func loop() throws {
        var nextTick = SystemClock.shared.nanoseconds
        // Whether background work ran since the last tick. It runs once per tick, and again while there is more work.
        var hasWorked = false
        while !isOver {
            if SystemClock.shared.nanoseconds >= nextTick {
                // A result may open the editor, and end the session if the screen cannot be opened again.
                takeResults()
                guard !isOver else { return }
                drain()
                let now = SystemClock.shared.nanoseconds
                tick(now)
                showPendingNotes()
                nextTick = now + (isIdle ? Self.idleInterval : frameInterval)
                if !isOver { try draw() }
                hasWorked = false
            }
            let isIdle = isIdle
            // After input the next tick comes within a frame, because input may start work.
            let soon = min(nextTick, SystemClock.shared.nanoseconds + frameInterval)
            let rest = nextTick &- min(nextTick, SystemClock.shared.nanoseconds)
            let isBusy = !hasWorked || hasBatches || store.withState { $0.hasWork }
            switch try takeEvent(timeout: isBusy ? 0 : rest) {
            case .key(let key)?: nextTick = try act(try typed(key), then: soon)
            case .mouse(let mouse)?:
                // Ignored below the dashboard, because the pane has nothing to click.
                if mouse.row < dashboardSize.rows { nextTick = try act(.mouse(mouse), then: soon) }
            case .pasted(let text)?: nextTick = try act(.pasted(text), then: soon)
            case .resized?: nextTick = try act(.resized(dashboardSize), then: soon)
            case .interrupted?: isOver = true
            case .terminate(let signal)?: (isOver, endingSignal) = (true, signal)
            case .resumed?:
                replayer.skipPause()
                // Drawn at once, because the terminal was cleared and an idle dashboard ticks rarely.
                drawnRevision = nil
                try draw()
            // Shows results at once. Acts on the rest only if idle, because otherwise the next frame is near.
            case .wake?:
                if takeResults(), !isOver { try draw() }
                if isIdle { nextTick = min(nextTick, SystemClock.shared.nanoseconds + frameInterval) }
            case nil where isBusy && rest > 0:
                hasWorked = !hasBatches
                if hasBatches { nextTick = soon }
                work()
            case nil: break
            }
        }
    }

    private func takeEvent(timeout: UInt64) throws -> ScreenEvent? {
        if let event = nextEvent {
            nextEvent = nil
            return event
        }
        return try screen.nextEvent(timeout: timeout)
    }

    /// Returns the action of a key. Characters of a typed line that have come after it are taken along, because a
    /// filter tests nodes, and the screen is drawn, after each action.
    private func typed(_ key: KeyPress) throws -> Action {
        guard let first = key.typedCharacter, store.withState({ $0.isTyping }) else { return .key(key) }
        var text = String(first)
        while let event = try screen.nextEvent(timeout: 0) {
            guard case .key(let next) = event, let character = next.typedCharacter else {
                nextEvent = event
                break
            }
            text.append(character)
        }
        return text.count == 1 ? .key(key) : .typed(text)
    }

    /// Applies waiting batches, then the action, and draws at once. Returns `nextTick`.
    private func act(_ action: Action, then nextTick: UInt64) throws -> UInt64 {
        drain()
        dispatch(action)
        if !isOver { try draw() }
        return nextTick
    }

    /// The histories that looking back reads; nil for a recording.
    var histories: LiveHistories? { replayer.histories }

    /// The time between two frames, in nanoseconds.
    private var frameInterval: UInt64 { store.withState { 1_000_000_000 / UInt64(max(1, $0.options.refreshRate)) } }

    private func drain() { for feed in feeds { feed.drain(limit: Self.applyLimit / feeds.count, dispatch) } }

    private var hasBatches: Bool { feeds.contains(where: \.hasBatches) }

    /// Applies waiting batches, or does one slice of background work.
    private func work() { if hasBatches { drain() } else { dispatch(.work) } }

    /// Performs the results of other threads; returns whether there were any.
    @discardableResult private func takeResults() -> Bool {
        let results = background.takeResults()
        for result in results { result(self) }
        return replayer.takeResult() || !results.isEmpty
    }

    private func tick(_ now: UInt64) {
        followRecordings()
        histories?.note(warningCounts: store.withState { $0.liveWarningCounts })
        replayer.tick(now)
        guard let shown = replayer.shown else { return dispatch(.tick(wall: WallClock.now, monotonic: now)) }
        dispatch(.tick(wall: shown.wall, monotonic: shown.time))
        if histories != nil { dispatch(.tickLive(wall: WallClock.now, monotonic: now)) }
    }

    /// Whether the dashboard may sleep until an event comes.
    private var isIdle: Bool { !replayer.isMoving && store.withState { $0.isIdle } }

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

    /// Restores the saved settings once the names of all programs are known. For a single live program that is before
    /// its first nodes; for a recording it is after the nodes of the first moment.
    private func restoreSettings() {
        guard let settingsStore, savedSettings == nil else { return }
        let (names, now) = store.withState { ($0.programNames, $0.viewSettings) }
        guard names.count == max(1, feeds.count) else { return }
        let found = SavedSettings(settingsStore, names: names, initial: initialSettings, now: now)
        savedSettings = found
        dispatch(.resume(found.shown))
        if let problem = found.problem { pendingNotes.append(problem) }
    }

    /// Shows the pending notes. Called after a tick, because messages expire by the clock.
    private func showPendingNotes() {
        guard !pendingNotes.isEmpty else { return }
        dispatch(.report(pendingNotes.joined(separator: "; ")))
        pendingNotes = []
    }

    private func saveSettings() {
        guard let savedSettings, let problem = savedSettings.save(store.withState { $0.viewSettings }) else { return }
        Streams.printError(problem + ".")
    }

    /// Returns the size of the dashboard above the output pane.
    private static func dashboardSize(_ size: Size, _ output: OutputPaneState?) -> Size {
        Size(columns: size.columns, rows: size.rows - (output?.rows(on: size) ?? 0))
    }

    var dashboardSize: Size { Self.dashboardSize(screen.size, output) }

    func dispatch(_ action: Action) {
        store.dispatch(action)
        switch action {
        case .connected, .replayed: restoreSettings()
        default: break
        }
        while !effects.waiting.isEmpty { perform(effects.waiting.removeFirst()) }
    }
}

/// Effects that the store has returned and the session has not performed.
private final class EffectQueue {
    var waiting: [Effect] = []
}
