import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// Each binding in the tables of keys acts, and the help lists it.
@Suite struct KeyTests {
    @Test func noKeyIsBoundTwiceInOneContext() {
        for context in KeyMap.Context.allCases {
            let keys = KeyMap.bindings(in: context).flatMap(\.keys)
            #expect(Set(keys).count == keys.count, "\(context)")
        }
    }

    /// A user learns a key once. Only in a recording, in the boxes over the screen and while typing do keys mean something
    /// else.
    @Test func aKeyMeansTheSameInEveryView() {
        var meanings: [KeyPress: Intent] = [:]
        for context in [.allViews, .live] + ViewID.allCases.map(KeyMap.Context.view) {
            for binding in KeyMap.bindings(in: context) {
                for key in binding.keys {
                    let other = meanings.updateValue(binding.intent, forKey: key)
                    #expect(other == nil || other == binding.intent, "\(key) in \(context): \(binding.text)")
                }
            }
        }
    }

    @Test func everyKeyOfTheTablesIsFound() {
        for context in KeyMap.Context.allCases {
            for binding in KeyMap.bindings(in: context) {
                #expect(!binding.keys.isEmpty)
                for key in binding.keys { #expect(KeyMap.intent(for: key, in: context) == binding.intent) }
            }
        }
    }

    @Test func everyIntentOfAViewHasAKey() {
        func check<View: DashboardView>(_ view: View) {
            let bound = Set(View.bindings.map(\.intent))
            for own in View.Own.allCases { #expect(bound.contains(.own(own.rawValue)), "\(View.name): \(own)") }
        }
        for id in ViewID.allCases { check(ViewModels()[id]) }
    }

    /// A key either changes something, asks for something, or says why not.
    @Test(arguments: KeyMap.Context.allCases) func everyKeyAnswers(_ context: KeyMap.Context) {
        for binding in KeyMap.bindings(in: context) {
            for key in binding.keys {
                var screen = Self.screen(in: context)
                #expect(
                    screen.state.context
                        == ([.allViews, .replay, .live, .past].contains(context) ? .view(.chains) : context))
                let before = (screen.state.revision, screen.state.mode, screen.effects.count)
                screen.act(.key(key))
                let isSilent =
                    screen.state.revision == before.0 && screen.state.mode == before.1
                    && screen.effects.count == before.2
                #expect(!isSilent, "\(key) in \(context)")
            }
        }
    }

    /// Returns a screen on which the keys of the context act.
    private static func screen(in context: KeyMap.Context) -> Screen {
        var screen = GoldenTests.checkout(80, 12, options: .init(keepsHistory: context == .live))
        screen.type("jj")
        switch context {
        case .allViews, .live: break
        case .view(let view): screen.type("\(view.rawValue)")
        case .replay: screen.act(ReplayTests.still)
        case .past: screen.act(LookingBackTests.still)
        case .command: screen.type(":")
        case .filter: screen.type("/order")
        case .confirm: screen.type("<Home>c")
        case .help: screen.type("?j")
        case .marks:
            screen.act(ReplayTests.still)
            screen.act(.marks((1...3).map { ReplayMark(time: UInt64($0), name: "mark \($0)") }))
            screen.type("'j")
        }
        return screen
    }

    /// Without rows a key changes the view or the mode, opens the details, has an effect, or says why it does nothing.
    @Test(arguments: [false, true]) func keysWithoutRowsAnswer(isConnected: Bool) {
        for binding in KeyMap.bindings(in: .allViews) where binding.intent != .show(.chains) {
            var screen = Screen(80, 24, connected: isConnected)
            screen.act(.key(binding.keys[0]))
            let isAnswered =
                screen.message?.isEmpty == false || screen.state.view != .chains || screen.state.mode != .normal
                || screen.state.detail.isWanted != nil || !screen.effects.isEmpty
            #expect(isAnswered, "\(binding.text)")
            #expect(screen.frame.size == Size(columns: 80, rows: 24))
        }
    }

    /// The contexts of keys for time: without a history, live, looking back, and in a recording.
    private static let times: [[KeyMap.Context]] = [[], [.live], [.past, .replay], [.replay]]

    @Test(arguments: times) func helpHoldsEveryBindingThatActs(_ time: [KeyMap.Context]) {
        for view in ViewID.allCases {
            let entries = HelpText(view: view, time: time, glyphs: .unicode).sections.flatMap(\.entries)
            for context in KeyMap.Context.allCases where !time.isEmpty || ![.live, .past].contains(context) {
                for binding in HelpText.bindings(of: context, in: view, time: time) {
                    #expect(entries.contains(HelpText.Entry(keys: binding.keyNames(), text: binding.text)))
                }
            }
        }
    }

    /// Of two meanings that a key has in different tables, the help lists the one that acts in this view.
    @Test(arguments: times) func helpGivesAKeyOneMeaning(_ time: [KeyMap.Context]) {
        for view in ViewID.allCases {
            var meanings: [KeyPress: String] = [:]
            for context in [.view(view), .allViews] + time {
                for binding in HelpText.bindings(of: context, in: view, time: time) {
                    for key in binding.keys {
                        #expect(meanings.updateValue(binding.text, forKey: key) == nil, "\(key) in \(view), \(time)")
                        #expect(KeyMap.intent(for: key, in: .view(view), time: time) == binding.intent)
                    }
                }
            }
        }
    }

    @Test func helpCanBeScrolledToItsEnd() {
        var screen = GoldenTests.checkout(60, 12)
        screen.type("?")
        for _ in 0..<500 { screen.type("j") }
        let box = HelpBox(size: screen.state.size, glyphs: .unicode)
        #expect(screen.help?.scroll == box.scrollLimit)
        screen.type("<Esc>")
        #expect(screen.state.context == .view(.chains))
    }

    @Test func footerNamesTheKeysThatActNow() {
        var screen = GoldenTests.checkout(120, 40)
        let footer = { (screen: Screen) in screen.frame.rowText(39) }
        screen.type("<End>")
        #expect(!footer(screen).contains("cancel"))
        screen.go(to: 406)
        #expect(footer(screen).contains("c cancel"))
        #expect(footer(screen).contains("w why"))
        screen.type("c")
        #expect(footer(screen).contains("y cancel"))
        screen.type("n?")
        #expect(footer(screen).contains("Esc close"))
    }

    /// A key that a view binds itself is offered where it acts, whatever the common key needs.
    @Test func footerNamesTheKeysOfTheView() {
        let footer = { (screen: Screen) in screen.frame.rowText(39) }
        var profile = GoldenTests.checkout(160, 40)
        profile.type("7")
        profile.tick(5_100)
        #expect(footer(profile).contains("w slowest"), "\(footer(profile))")
        var empty = Screen(160, 40)
        empty.type("7")
        #expect(!footer(empty).contains("w slowest"))
        var threads = ThreadsViewTests.shop(160, 40)
        #expect(footer(threads).contains("⏎ go to"), "the node that runs there")
        threads.type("g")
        #expect(threads.selectedID == nil && !footer(threads).contains("⏎ go to"), "nothing runs there")
        threads.type("G")
        guard case .executor? = threads.state.threads.current else {
            Issue.record("\(threads.text)")
            return
        }
        #expect(threads.selectedID == nil && footer(threads).contains("⏎ go to"), "lists its queue")
    }

    @Test func quitSuspendRedrawAreEffects() {
        var screen = GoldenTests.checkout(80, 24)
        screen.type("<^L><^Z>q<^C>")
        #expect(screen.effects == [.redraw, .suspend, .quit, .quit])
    }
}

// SPDX-License-Identifier: MIT
