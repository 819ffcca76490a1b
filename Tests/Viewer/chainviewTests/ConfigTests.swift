import ChainInsight
import ChainModel
import ChainRows
import Dashboard
import Foundation
import Frames
import TerminalHarness
import Testing

@testable import chainview

/// Configuration files, and the messages for invalid ones.
@Suite struct ConfigTests {
    private func read(_ text: String) -> ConfigFile { ConfigFile(text, file: "c.toml") }

    @Test func theDefaultFileHoldsTheDefaults() {
        let file = read(ConfigKey.defaultFile)
        #expect(file.problems.isEmpty && file.configuration == Configuration())
        for key in ConfigKey.all { #expect(ConfigKey.defaultFile.contains("\n\(key.name) = \(key.value)\n")) }
        // Each line can be left out.
        #expect(read("").problems.isEmpty && read("").configuration == Configuration())
    }

    @Test func everyKeyIsRead() {
        let text = """
            theme = "Colour-Blind"
            ascii = true
            alert-command = "notify-send"
            refresh-rate = 60
            view = "sites"
            detail = "closed"
            read-only = true
            [tree]
            sort = "run"
            invert = true
            siblings = true
            group = true
            columns = ["Wait", "value", "wait"]
            unimportant = "label:log"
            [warnings]
            warn = ["deep-chain", "long-handler", "lost-events"]
            allow = ["lost-events"]
            never-settled-after = "2h"
            long-handler-after = "250ms"
            cancellation-ignored-after = "1m"
            long-queue-wait-after = "1.5s"
            blocked-worker-after = "3s"
            suspended-task-after = "90s"
            main-actor-held-after = "4s"
            deep-chain-from = 10
            too-many-threads-from = 3
            [keep]
            settled-nodes = 1
            settled-leaves = 0
            settled-for = "30s"
            chain-nodes = 100
            nodes = 1000
            [history]
            memory = "8M"
            [queries]
            slow = "run>100ms"
            "two words" = "kind:all and not state:fulfilled"
            """
        let file = read(text)
        #expect(file.problems.isEmpty, "\(file.problems)")
        var wanted = Configuration()
        (wanted.theme, wanted.isASCII, wanted.refreshRate, wanted.view) = (.colorBlind, true, 60, .sites)
        wanted.columns = [.node, .wait, .value]
        wanted.unimportant = try? Query("label:log")
        wanted.alertCommand = "notify-send"
        (wanted.detail, wanted.isReadOnly) = (.closed, true)
        wanted.order = TreeOrder(column: .run, isInverted: true, sortsSiblings: true, isGrouped: true)
        wanted.warnings.enabled = [.deepChain, .longHandler]
        wanted.warnings[.neverSettled] = 7_200_000_000_000
        wanted.warnings[.longHandler] = 250_000_000
        wanted.warnings[.cancellationIgnored] = 60_000_000_000
        wanted.warnings[.longQueueWait] = 1_500_000_000
        wanted.warnings[.blockedWorker] = 3_000_000_000
        wanted.warnings[.suspendedTask] = 90_000_000_000
        wanted.warnings[.mainActorHeld] = 4_000_000_000
        (wanted.warnings[.deepChain], wanted.warnings[.tooManyThreads]) = (10, 3)
        (wanted.limits.settledNodeLimit, wanted.limits.settledLeafLimit) = (1, 0)
        (wanted.limits.ageLimit, wanted.limits.chainNodeLimit, wanted.limits.nodeLimit) = (30_000_000_000, 100, 1000)
        wanted.historyMemory = 8 << 20
        wanted.queries = ["slow": "run>100ms", "two words": "kind:all and not state:fulfilled"]
        #expect(file.configuration == wanted)
        for key in ConfigKey.all {
            #expect("\n\(text)".contains("\n\(key.name) = "), "the text above has no \(key.name)")
            let other = read(ConfigKey.defaultFile.replacing("\n\(key.name) = ", with: "\n# \(key.name) = "))
            #expect(other.configuration == Configuration() && other.problems.isEmpty)
        }
    }

    @Test func theAdviceOfWarningsNamesKeysThatExist() {
        let named = WarningKind.allCases.flatMap { kind in
            (kind.advice(for: .then) + kind.advice(for: .task)).matches(of: /configuration \(([a-z-]+)\)/).map {
                String($0.output.1)
            }
        }
        #expect(named.contains("long-handler-after") && Set(named).isSubset(of: ConfigKey.all.map(\.name)), "\(named)")
    }

    @Test(arguments: [
        ("thme = 1", 1, "there is no key \"thme\": did you mean theme?"),
        ("\n\n  colours = 1", 3, "there is no key \"colours\": the keys here are theme, ascii"),
        ("[warnings]\nx = 1", 2, "there is no key \"x\" in [warnings]: the keys here are warn, allow"),
        ("[warings]", 1, "did you mean warnings?"), ("warnings = 3", 1, "warnings is a table, [warnings], not 3."),
        (
            "theme = \"mauve\"", 1,
            "theme is one of auto, dark, light, high-contrast, color-blind, terminal, not \"mauve\"."
        ),
        ("theme = 7", 1, "not 7."), ("ascii = \"yes\"", 1, "ascii is true or false, not \"yes\"."),
        ("refresh-rate = 0", 1, "refresh-rate is a whole number from 1 to 60, not 0."),
        ("refresh-rate = 1.5", 1, "not 1.5."), ("view = \"rows\"", 1, "view is one of chains, threads, timeline,"),
        ("detail = [\n1,\n2]", 1, "not a list."), ("detail = 1979-05-27", 1, "not a date or time."),
        (
            "# a\n[warnings] # b\n\n# c\nallow = [\n  \"deep-chain\", # d\n  \"nope\"]", 5,
            "warnings.allow is a list of warnings (all, never-settled"
        ),
        ("warnings.never-settled-after = 60", 1, "is a duration such as \"500ms\", \"60s\" or \"10m\", not 60."),
        ("[warnings]\nnever-settled-after = \"0s\"", 2, "not \"0s\"."), ("[keep]\nnodes = 10", 2, "from 1000 to"),
        ("[history]\nmemory = \"1M\"", 2, "history.memory is \"0\", or a number of bytes"),
        ("history.memory = 64", 1, "not 64."),
        ("[queries]\na = \"b\"\nslow = \"run>\"", 3, "the query \"slow\" cannot be read at"),
        ("[queries]\nx = 3", 2, "is a text such as \"run>100ms\", not 3."), ("queries = 1", 1, "[queries], not 1."),
        ("a = ", 1, "this is not TOML: "), ("theme = \"dark\"\ntheme = \"light\"", 2, "this is not TOML: "),
        ("text = '''\n[no.table]\n'''\nview = 3", 1, "there is no key \"text\""),
        ("\nkeep = { nodes = 5 }", 2, "keep.nodes is a whole number"),
    ])
    func mistakesAreReportedWithTheirLine(text: String, line: Int, words: String) throws {
        let problem = try #require(read(text).problems.first)
        #expect(problem.line == line && "\(problem)".contains(words), "\(problem)")
        #expect("\(problem)".hasPrefix("c.toml:\(line): ") && !"\(problem)".contains("\n"))
        #expect([".", "?"].contains("\(problem)".last))
    }

    /// An invalid key keeps its default; the other keys apply.
    @Test func theRestHolds() {
        let file = read("theme = 3\nrefresh-rate = 7\n[queries]\nbad = \"(\"\ngood = \"x\"\n[keep]\nnodes = \"no\"")
        #expect(file.problems.map(\.line) == [1, 4, 7])
        #expect(file.configuration.refreshRate == 7 && file.configuration.queries == ["good": "x"])
        #expect(file.configuration.theme == nil && file.configuration.limits == ForestLimits())
    }

    @Test func linesOfKeysAreFound() {
        let text = """
            # [not.this]
            a.b = "x # no" # yes
            "quoted key" = 'single'
            long = \"""
            c = 1
            [x]
            ""\\""\"""
            list = [ [1, 2],
              { deep = 1 }, # ]
            ]
            [ table . "in.ner" ]
            d = { e = 1, f = { g = 2 } }
            [[many]]
            h = 1979-05-27T07:32:00Z
            """
        let lines = TOMLKeyLines(text)
        let wanted: [([String], Int)] = [
            (["a", "b"], 2), (["quoted key"], 3), (["long"], 4), (["list"], 8), (["table"], 11),
            (["table", "in.ner"], 11), (["table", "in.ner", "d", "f", "g"], 12), (["many"], 13), (["many", "h"], 14),
            (["list", "deep"], 9),
        ]
        for (path, line) in wanted { #expect(lines.line(of: path) == line, "\(path)") }
        #expect(lines.line(of: ["c"]) == nil && lines.line(of: ["many", "nothing"]) == 13)
        #expect(TOMLKeyLines("\u{FEFF}# It's a table\n[a]\nb = 1\n").line(of: ["a", "b"]) == 3)
        // Any text is read to its end without a trap.
        for text in [
            "[", "[[", "a", "=", "a=", "a={", "a=[", "\"", "'''", "a=\"\\", "}", ",", "]", "a=[}", "a={]", ".=.",
        ] {
            _ = TOMLKeyLines(text)
        }
    }

    @Test func aColumnThatIsNoneIsNamed() {
        let file = read("[tree]\nsort = \"run\"\ncolumns = [\"wait\", \"waits\"]\n")
        #expect(
            file.problems.map(\.description) == [
                "c.toml:3: tree.columns is a list of columns (state, node, thread, wait, run, total, value, id, site, "
                    + "executor), not \"waits\"."
            ])
        #expect(file.configuration.columns == TreeColumn.usual)
    }

    @Test func textsAreQuoted() {
        let texts = ["", "plain", "a\"b\\c", "tab\tline\nbell\u{7}", "del\u{7F}\u{85}", "漢字 👩‍👩‍👧"]
        for text in texts {
            #expect(ConfigFile("[queries]\na = \(TOMLText.quoted(text))", file: "").problems.count < 2)
            var kept = ViewSettings()
            (kept.filter, kept.folded) = (text, texts)
            kept.columns = [.node, .run]
            kept.order = TreeOrder(column: .wait, isInverted: text.isEmpty, sortsSiblings: true)
            #expect(ViewSettings(toml: kept.toml(for: [text])) == kept)
        }
    }
}

/// The precedence of file, environment and flags.
@Suite struct SettingsTests {
    private func settings(
        _ words: String, file: String = "", environment: [String: String] = [:]
    ) throws -> Settings {
        let place = Place()
        try FileManager.default.createDirectory(
            atPath: place.path + "/config/chainview", withIntermediateDirectories: true)
        try file.write(toFile: place.path + "/config/chainview/config.toml", atomically: true, encoding: .utf8)
        let all = place.environment.merging(environment) { $1 }
        let options = try DisplayOptions.parse(words.split(separator: " ").map(String.init))
        return try Settings(options, folders: Folders(environment: { all[$0] }))
    }

    @Test func flagsCountMoreThanTheFile() throws {
        let file = "theme = \"light\"\nview = \"sites\"\nread-only = true\n[warnings]\nwarn = [\"deep-chain\"]"
        let own = try settings("", file: file)
        #expect(own.theme == .light && own.configuredSettings.view == .sites && own.isReadOnly && !own.isColorless)
        #expect(own.stateOptions.warnings.enabled == [.deepChain] && own.stateOptions.isReadOnly)
        let other = try settings("--theme dark --view events -W lost-events -A deep-chain", file: file)
        #expect(other.theme == .dark && other.flagSettings.view == .events && other.configuredSettings.view == .sites)
        #expect(other.stateOptions.warnings.enabled == [.lostEvents])
        #expect(try settings("--theme auto", file: file).theme == .dark)
        #expect(try settings("--no-config", file: file).configuration == Configuration())
    }

    @Test func theThemeSuitsTheTerminal() throws {
        for (value, theme) in [
            ("0;15", Theme.light), ("0;default;7", .light), ("15;0", .dark), ("12;8", .dark), ("x", .dark), ("", .dark),
        ] {
            #expect(try settings("", environment: ["COLORFGBG": value]).theme == theme, "\(value)")
            let named = try settings("", file: "theme = \"terminal\"", environment: ["COLORFGBG": value])
            #expect(named.theme == .terminal)
        }
        #expect(try settings("", environment: ["NO_COLOR": "1"]).isColorless)
        #expect(try !settings("", environment: ["NO_COLOR": ""]).isColorless)
    }

    @Test func singleWarningsCountMoreThanAll() throws {
        let all = Set(WarningKind.allCases)
        for (words, wanted) in [
            ("-A all", []), ("-A all -W deep-chain", [.deepChain]), ("-W deep-chain -A all", [.deepChain]),
            ("-A lost-events -A deep-chain", all.subtracting([.lostEvents, .deepChain])), ("-W all", all),
            ("--allow=all --warn=abandoned", [.abandoned]),
        ] as [(String, Set<WarningKind>)] {
            #expect(try settings(words).stateOptions.warnings.enabled == wanted, "\(words)")
        }
        #expect(throws: (any Error).self) { try settings("-W all -A all") }
    }

    @Test func sessionsKeepEachOthersSettings() throws {
        let place = Place()
        let store = SettingsStore(folder: place.path, configuredSettings: ViewSettings(), flagSettings: ViewSettings())
        let sessions = (0..<2).map { _ in
            SavedSettings(store, names: ["shop"], initial: ViewSettings(), now: ViewSettings())
        }
        var (first, second) = (ViewSettings(), ViewSettings())
        first.theme = "light"
        second.dims = true
        #expect(sessions[0].save(first) == nil && sessions[1].save(second) == nil)
        let (saved, _) = store.load(["shop"])
        #expect(saved.theme == "light" && saved.dims == true)
    }

    @Test func placesAreThoseOfTheStandard() {
        func folders(_ variables: [String: String]) -> Folders { Folders(environment: { variables[$0] }) }
        let home = folders(["HOME": "/h/me"])
        #expect(home.configuration == "/h/me/.config/chainview/config.toml")
        #expect(home.state == "/h/me/.local/state/chainview")
        let own = folders(["HOME": "/h/me", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"])
        #expect(own.configuration == "/c/chainview/config.toml" && own.state == "/s/chainview")
        // A relative path is ignored.
        #expect(folders(["HOME": "/h", "XDG_CONFIG_HOME": "c"]).configuration == "/h/.config/chainview/config.toml")
        #expect(folders([:]).configuration == nil && folders([:]).state == nil)
    }
}

// SPDX-License-Identifier: MIT
