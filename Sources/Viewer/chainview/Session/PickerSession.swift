// SPDX-License-Identifier: MIT

import ChainAttach
import ChainListing
import ChainOutside
import ChainSystem
import Dashboard
import Foundation
import Frames
import Synchronization
import Terminal

/// The list of programs on the terminal. It runs on one thread; another thread searches for programs.
final class PickerSession {
    /// The result of a session.
    enum Outcome {
        case chosen(Target)
        case quit
        case ended(signal: Int32)
    }

    private let screen: Screen
    private let search: ProcessSearch
    private var picker: Picker
    private var targets: [String: Target] = [:]
    private let theme: Theme

    init(screen: Screen, discovery: Discovery, settings: Settings) {
        self.screen = screen
        theme = settings.theme
        picker = Picker(size: screen.size, glyphs: settings.glyphs)
        let waker = screen.waker
        search = ProcessSearch(discovery) { waker.wake() }
    }

    /// Runs until the user chooses a program or quits, or a signal comes. The screen stays open, unless this call
    /// throws.
    func run() throws -> Outcome {
        defer { search.stop() }
        do {
            while true {
                try screen.paint(picker.render(wall: WallClock.now), theme: theme)
                var outcome: Picker.Outcome?
                // Painted at least once a second, because the list shows ages.
                switch try screen.nextEvent(timeout: 1_000_000_000) {
                case .key(KeyPress(.character("z"), .control))?: try screen.suspend()
                case .key(KeyPress(.character("l"), .control))?: screen.redraw()
                case .key(let key)?: outcome = picker.press(key)
                case .mouse(let mouse)?: outcome = picker.click(mouse)
                case .resized(let size)?: picker.resize(size)
                case .interrupted?: return .quit
                case .terminate(let signal)?: return .ended(signal: signal)
                case .wake?: update()
                case .pasted?, .resumed?, nil: break
                }
                switch outcome {
                case .quit?: return .quit
                case .chosen(let process)?: if let target = targets[process.target] { return .chosen(target) }
                case nil: break
                }
            }
        } catch {
            screen.close()
            throw Failure(screen: error)
        }
    }

    private func update() {
        switch search.latest() {
        case .success(let found)?:
            let others = found.others.map { ($0.target, Target.pid($0.pid)) }
            targets = Dictionary(found.listening.map { ($0.target.description, $0.target) } + others) { first, _ in
                first
            }
            picker.take(found.listening.map(\.listed) + found.others, at: WallClock.now)
        case .failure(let error)?: picker.report(error.description)
        case nil: break
        }
    }
}

/// A search for programs, repeated once a second. It has a thread of its own, because a program that hangs delays the
/// search.
final class ProcessSearch: Sendable {
    /// The programs that listen, and those that do not.
    typealias Found = Result<(listening: [FoundProcess], others: [ListedProcess]), AttachError>

    private let found = Mutex<Found?>(nil)
    private let stopped = Semaphore()

    /// Starts the search; `wake` is called on another thread after each round.
    init(_ discovery: Discovery, wake: @escaping @Sendable () -> Void) {
        Signals.startThread("chainview.list") { [self] in
            let others = SwiftProcessSearch.ofSystem()
            repeat {
                let result: Found
                do throws(AttachError) {
                    let listening = try discovery.list()
                    result = .success((listening, others.listed(besides: listening)))
                } catch { result = .failure(error) }
                found.withLock { $0 = result }
                wake()
            } while !stopped.wait(for: .seconds(1))
        }
    }

    /// Returns the latest result if it was not returned before, and nil otherwise.
    func latest() -> Found? {
        found.withLock { found in
            defer { found = nil }
            return found
        }
    }

    /// Stops the search after the current round.
    func stop() { stopped.signal() }
}
