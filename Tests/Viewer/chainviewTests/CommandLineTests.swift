import Foundation
import TerminalHarness
import Testing

/// Command lines, and the output and exit code of each.
@Suite(.serialized, .onItsOwnThread) struct CommandLineTests {
    /// The limit does not hold for root.
    @Test(.enabled(if: geteuid() != 0), arguments: [1, 2, 3, 5])
    func withoutThreadsThereIsASentence(limit: Int) throws {
        let limited = "ps > /dev/null; ulimit -u \(limit); exec \"$0\""
        for words in ["demo checkout --headless --for 1s", "run --headless --for 1s true"] {
            let outcome = try Place().run("\(limited) \(words)")
            #expect(
                outcome.status == 74 && outcome.errors.split(separator: "\n").count == 1 || outcome.status == 0,
                "\(outcome)")
        }
    }

    private func run(_ words: String) throws -> Outcome { try Shell.run(words) }

    @Test(arguments: [(60, 12), (120, 32), (200, 60), (30, 8)])
    func aHeadlessFrameHasTheSizeAskedFor(columns: Int, rows: Int) throws {
        let outcome = try run("demo steps --headless --for 300ms --size \(columns)x\(rows)")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.lineCount <= rows && !outcome.output.isEmpty, "\(outcome.output)")
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(outcome.output)")
        #expect(outcome.output.contains("steps"), "\(outcome.output)")
    }

    @Test func withoutATerminalItIsHeadlessByItself() throws {
        for demo in ["checkout", "files .", "trip", "steps", "coffee", "counter", "pages", "mirrors", "storm", "stuck"]
        {
            let outcome = try run("demo \(demo) --for 200ms")
            #expect(outcome.status == 0 && outcome.output.contains("● live"), "\(demo): \(outcome)")
            #expect(!outcome.output.contains("\u{1B}"))
        }
        #expect(try run("demo stuck --for 200ms --ascii").output.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func listHelpAndVersionAreThere() throws {
        let list = try run("demo --list").output
        for demo in ["checkout", "files", "trip", "steps", "coffee", "counter", "pages", "mirrors", "storm", "stuck"] {
            #expect(list.contains("  \(demo) "))
        }
        let demo = try run("demo --help").output
        for option in [
            "--list", "--seed", "--speed", "--headless", "--for", "--size", "--read-only", "--no-color", "--ascii",
        ] {
            #expect(demo.contains(option))
        }
        #expect(demo.contains("(files FOLDER); cancel a folder,\n            its work stops\n"), "\(demo)")
        #expect(try run("help demo").output == demo)
        #expect(try run("help").output == run("--help").output)
        // Without a terminal, run replaces itself by the program.
        let words = try run("run --help").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("Without a terminal the program replaces chainview"))
        #expect(words.contains("the default without a terminal, except of run."), "\(words)")
        #expect(try run("--version").output.contains(/^\d+\.\d+\.\d+\n$/))
    }

    @Test(arguments: [
        ("demo stuk", 64, "Did you mean stuck?"),
        ("demo nope", 64, "no demo called nope. The demos are checkout, files"),
        ("demo files /no/such/folder", 66, "/no/such/folder"), ("demo --size 0x0", 64, "'0x0' is invalid"),
        ("demo --headless --size 10x3", 64, "invalid for '--size <COLSxROWS>': write two numbers from 30x8"),
        ("demo --size 5000000x5", 64, "to 10000x10000"),
        ("demo --size 10x", 64, "'10x'"), ("demo --size abc", 64, "'abc'"),
        ("demo --speed 0", 64, "--speed must be from 0.001"),
        ("demo --speed 1e-11", 64, "from 0.001 to 1000"), ("demo --speed 1001", 64, "0.001"),
        ("demo --speed nan", 64, "nan"),
        ("demo --speed x", 64, "'x'"), ("demo --for nonsense", 64, "'nonsense'"),
        ("demo --for -1s", 64, "'-1s' is invalid for '--for <duration>': write a time of at most 366 days, such as"),
        ("demo --for", 64, "write a time"), ("demo --seed -1", 64, "'-1'"), ("demo --speed -2", 64, "not -2.0"),
        ("demo --size -1x5", 64, "write two numbers"), ("--for -3s", 64, "'-3s'"), ("attach 1 --for -3s", 64, "'-3s'"),
        ("watch 1 --where live --fail --for -3s", 64, "'-3s'"), ("events 1 --for -3s", 64, "'-3s'"),
        ("record 1 -o x --for -3s", 64, "'-3s'"), ("record 1 -o x --last -3s", 64, "'-3s'"),
        ("record 1 -o x --max-size -1", 64, "not -1"), ("export 1 --jsonl --for -3s", 64, "'-3s'"),
        ("export 1 --dot --limit -1", 64, "from 1 on, not -1"), ("diff a b --over -3s", 64, "'-3s'"),
        ("diff a b --over 0s", 64, "--over 0s has nothing to compare"),
        ("diff a b --threshold -3", 64, "not -3.0"), ("attach tcp:localhost:+80", 64, "a host and a port"),
        ("demo --seed", 64, "--seed"), ("demo --nonsense", 64, "--nonsense"),
        ("demo --nonsense", 64, "chainview: unknown option '--nonsense'"),
        ("nonsense", 64, "no command nonsense: did you mean `chainview attach nonsense`?"),
        ("atach shop", 64, "no command atach: did you mean `chainview attach`?"), ("relay x y", 64, "y"),
        ("attch --help", 64, "no command attch: did you mean `chainview attach`?"),
        ("help attch", 64, "no command attch: did you mean `chainview help attach`?"),
        ("help nonsense", 64, "no command nonsense. Run"),
        ("demo checkout fast", 64, "the demo checkout takes no argument fast"),
        ("demo files . there", 64, "takes no argument there"),
        ("attach tcp:here", 64, "tcp: needs a host and a port"), ("attach ssh:-oProxy=x/1", 64, "begin with -"),
        ("attach exec:", 64, "exec: needs a command"), ("attach 'exec:\"a'", 64, "exec: needs a second"),
        ("attach 0", 64, "not a process id"), ("attach --wait", 64, "needs a target"),
        ("attach unix:", 64, "the path of a socket"), ("ps unix:", 64, "the path of a socket"),
        ("ps --live", 64, "for the tree of a target"), ("ps 1 --limit -1", 64, "--limit is a number of nodes, not -1"),
        ("ps 1 --limit=-1", 64, "number of nodes, not -1"), ("cancel 1", 64, "node"),
        ("cancel 1 x", 64, "'x' is invalid for '<node>': write its number in `chainview ps TARGET`"),
        ("cancel 1 '#0'", 64, "'#0'"), ("cancel 1 -- -3", 64, "'-3'"), ("cancel 1 2 --read-only", 64, "--read-only"),
        ("ps 1 --where state:nope", 64, "cannot be read at “nope”: there is no state nope"),
        ("ps 1 --where 'a and'", 64, "at its end"), ("ps --where a", 64, "name one"),
        ("run", 64, "name the program"), ("run --", 64, "name the program"), ("run --nonsense", 64, "--nonsense"),
        ("run no-such-program", 66, "no program no-such-program in any folder"),
        ("run ./none", 66, "no program ./none"),
        ("run /", 66, "no program /"), ("run /dev/null", 66, "is not executable"),
    ])
    func whatIsWrongIsOneSentence(words: String, status: Int, part: String) throws {
        let outcome = try run(words)
        #expect(outcome.status == status && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.hasPrefix("chainview: ") && outcome.errors.contains(part), "\(outcome)")
        #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome)")
    }

    @Test(arguments: [">/dev/full", ">&-"])
    func anOutputThatCannotBeWrittenIsReported(redirection: String) throws {
        for words in ["demo --for 100ms", "demo --list", "--help", "--version"] {
            let outcome = try run("\(words) \(redirection)")
            #expect(outcome.status == 74, "\(words): \(outcome)")
            #expect(outcome.errors.hasPrefix("chainview: cannot write to standard output"), "\(words): \(outcome)")
        }
    }

    @Test func aReaderThatGoesAwayAndAClosedInputDoNoHarm() throws {
        let first = try run("demo --for 200ms | head -1")
        #expect(first.status == 0 && first.lineCount == 1, "\(first)")
        let gone = try run("demo --for 500ms | true")
        #expect(gone.errors.isEmpty, "\(gone)")
        #expect(try run("demo --for 200ms <&-").status == 0)
    }

    @Test(arguments: [
        ("", "TERM is not set"), ("dumb", "cannot place its cursor"),
    ])
    func anUnsuitableTerminalIsOneSentence(name: String, part: String) throws {
        let viewer = try Viewer(["demo"], columns: 220, setting: ["TERM": name], waits: false)
        #expect(try viewer.terminal.waitForExit() == .exited(64))
        #expect(viewer.text.hasPrefix("chainview: ") && viewer.text.contains(part), "\(viewer.text)")
        #expect(viewer.text.contains("--headless") && !viewer.text.contains("\n"), "\(viewer.text)")
        #expect(viewer.terminal.modes == viewer.modes)
    }
}

// SPDX-License-Identifier: MIT
