import Testing

/// Rules for every source file, demos and tests included.
struct SourceTests {
    private let files = Repository.sources

    @Test func filesAreShort() {
        #expect(files.count > 20)
        for file in files {
            #expect(file.lineCount <= 600, "\(file) has \(file.lineCount) lines")
        }
    }

    /// At the top; in tests and demos, whose line numbers are in golden files, at the end.
    @Test func filesNameTheirLicence() {
        for file in files {
            #expect(
                file.lines.prefix(2).contains { $0.hasSuffix(" SPDX-License-Identifier: MIT") }
                    || file.lines.suffix(2).contains { $0.hasSuffix(" SPDX-License-Identifier: MIT") }, "\(file)")
        }
    }

    @Test func functionsAreShort() {
        var count = 0
        for file in files where file.path.hasPrefix("Sources/") {
            for function in functions(in: file.lines) {
                count += 1
                let place = "\(file):\(function.lowerBound + 1)"
                #expect(function.count <= 90, "the function at \(place) has \(function.count) lines")
            }
        }
        #expect(count > 2_000)
        #expect(functions(in: ["    func f() {", "        g()", "    }", "    var a = 1"]) == [0..<3])
        #expect(functions(in: ["init(", "    _ a: Int", ") throws {", "}", "}"]) == [0..<4])
        #expect(functions(in: ["int f(void) {", "    return 1;", "}", "", "int g(void);"]) == [0..<3])
        #expect(functions(in: ["func f() { g() }", "func h()", "struct A {", "}"]) == [])
    }

    @Test func uncheckedCodeHasAProof() {
        for file in files where file.isSwift && !file.path.hasPrefix("Tests/TidyTests/") {
            for index in file.lines.indices where isUnchecked(file.lines[index]) {
                #expect(
                    isProved(index, in: file.lines), "\(file):\(index + 1) needs a comment that says why it is safe")
            }
        }
    }

    @Test(arguments: [
        (["// Why.", "final class A: @unchecked Sendable {"], 1, true),
        (["// Why.", "/// What.", "@usableFromInline", "final class A: @unchecked Sendable {"], 3, true),
        (["final class A: @unchecked Sendable {", "    // Why."], 0, true),
        (["nonisolated(unsafe) var a = 1  // Why."], 0, true),
        (["// Why.", "nonisolated(unsafe) var a = 1", "nonisolated(unsafe) var b = 1"], 2, true),
        (["/// What.", "final class A: @unchecked Sendable {", "    /// More."], 1, false),
        (["// Why.", "", "final class A: @unchecked Sendable {"], 2, false),
        (["@exclusivity(unchecked)", "var a = 1"], 0, false),
        (["// Why.", "@exclusivity(unchecked)", "var a = 1", "@exclusivity(unchecked)", "var b = 1"], 3, true),
    ])
    func aProofIsAPlainCommentNextToIt(_ lines: [String], _ index: Int, _ expected: Bool) {
        #expect(isUnchecked(lines[index]))
        #expect(isProved(index, in: lines) == expected)
    }

    @Test func testsDoNotSleep() {
        // `[^c] ` leaves out declarations (`func`): clocks of tests have to declare a function of that name.
        let sleep = /(?:^|[^c] |[^\w ])(?:[un]?sleep|nanosleep|Thread\.sleep|Task\.sleep)\s*\(/
        // They show tasks and threads that sleep.
        let probes = [
            "Tests/Support/TaskProbe/SleepingTasks.swift", "Tests/Observe/ChainInspectorTests/StallTests.swift",
        ]
        for file in files where file.isTest && !probes.contains(file.path) {
            #expect(file.places { $0.contains("sl" + "eep") && $0.contains(sleep) } == [])
        }
        #expect("Thread.sl\("eep")(forTimeInterval: 1)".contains(sleep))
        #expect(!"asleep(1)".contains(sleep))
        #expect(!"func sl\("eep")(until deadline: Instant)".contains(sleep))
    }

    /// A wait by the wall clock lasts an hour longer where that clock is set back by an hour.
    @Test func limitedWaitsUseTheMonotonicClock() {
        let wait =
            /\.wait\((?:wallT|t)imeout:|wallDeadline:|DispatchWallTime|(?:sem|pthread_\w+)_timed\w+\(|\.(?:wait|lock)\((?:until|before):/
        // They choose the clock.
        let exceptions = ["Condition", "Semaphore"].map { "Sources/Runtime/ChainSystem/\($0).swift" }
        for file in files where file.path.hasPrefix("Sources/") && !exceptions.contains(file.path) {
            #expect(file.places { $0.contains(wait) } == [])
        }
        #expect("_ = woken.wait(timeout: .now() + .seconds(1))".contains(wait))
        #expect("queue.asyncAfter(wallDeadline: .now()) {}".contains(wait))
        #expect(!"promise.get(timeout: .seconds(1))".contains(wait))
    }

    /// Waits of tests have one limit, on the monotonic clock (`Tests/Support/TestWaits`): a wall clock may be set, and a
    /// limit of seconds fails on a busy machine.
    @Test func testsWaitWithTheOneLimit() {
        // `.now()` alone does not wait.
        let wait = /\.wait\(timeout: (?!\.now\(\)\))|Date\(\) \+|Date\(timeIntervalSinceNow|poll\(nil/
        // Files in which a wait in small steps is part of the helper, or of a load that is no test.
        let helpers = [
            "Tests/Support/TestWaits/TestWaits.swift", "Tests/Viewer/ChainAttachTests/Support/Waiting.swift",
            "Tests/Support/TerminalHarness/PseudoTerminal.swift", "Tests/Support/GrowthProbe/Program.swift",
            "Tests/Viewer/DemosTests/PictureTests.swift", "Tests/TidyTests/SourceTests.swift",
        ]
        for file in files where file.isTest && !helpers.contains(file.path) {
            #expect(file.places { $0.contains(wait) } == [])
        }
        for line in ["semaphore.wait(timeout: .now() + 60)", "let limit = Date() + 60", "poll(nil, 0, 100)"] {
            #expect(line.contains(wait))
        }
    }

    /// On other systems than Linux, too, where nothing of a `#if defined(__linux__)` is compiled.
    @Test func functionsOfTasksAreDefinedEverywhere() throws {
        let portable = files.filter { $0.target == "CChainTasks" }.flatMap { portableLines(of: $0.lines) }
        var count = 0
        for line in portable where line.hasSuffix(");") {
            guard let match = try /^[a-z][\w ]*[ *](chain_\w+)\(/.firstMatch(in: line) else { continue }
            count += 1
            let isDefined = portable.contains {
                !$0.hasSuffix(");") && ($0.contains(" \(match.1)(") || $0.contains("*\(match.1)("))
            }
            #expect(isDefined, "\(match.1) is defined on Linux only")
        }
        #expect(count > 30)
        let example = ["#if defined(__linux__)", "a", "#if B", "b", "#endif", "#else", "c", "#endif", "d"]
        #expect(portableLines(of: example) == ["c", "d"])
    }

    @Test func noMarksOfOpenWork() {
        // Split, so that this file does not hold them.
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X:", "HA" + "CK:"]
        for path in Repository.paths where !path.hasPrefix("Tests/Viewer/DashboardTests/Golden/") {
            guard let text = Repository.text(path) else { continue }
            for mark in marks { #expect(!text.contains(mark), "\(path) holds a \(mark)") }
        }
    }

    @Test func noPathOfAHomeFolder() {
        let home = /(?:^|[^\w.$}~-])\/(?:home|root|Users)\/\w/
        // A plain search first, because the pattern is slow.
        let folders = ["home", "root", "Users"].map { "/\($0)/" }
        for path in Repository.paths {
            guard let text = Repository.text(path), folders.contains(where: text.contains) else { continue }
            for line in text.split(separator: "\n") where line.contains(home) {
                Issue.record("\(path) names a path in a home folder: \(line)")
            }
        }
        #expect(" /ho\("me")/ann/x".contains(home))
    }
}

/// Returns the line ranges of functions of more than one line. A function ends at the first closing brace with its
/// indentation.
private func functions(in lines: [String]) -> [Range<Int>] {
    lines.indices.compactMap { first in
        let line = lines[first]
        // Plain tests first, because the patterns are slow.
        guard line.hasSuffix("{") || line.hasSuffix("("), line.contains("(") else { return nil }
        let isSwift = line.contains(/^\s*(?:[@a-z][\w()]* )*(?:func \S|init[?(<]|subscript\()/)
        guard isSwift || line.contains(/^[a-z][\w \*]*\w\(/) else { return nil }
        let indent = line.prefix { $0 == " " }
        guard let opening = lines[first...].firstIndex(where: { $0.hasSuffix("{") }), opening - first < 15,
            let last = lines[opening...].dropFirst().firstIndex(where: { $0.hasPrefix(indent + "}") })
        else { return nil }
        return first..<last + 1
    }
}

/// Returns the beginnings of functions of a C file, of those lines that are compiled on systems other than Linux.
private func portableLines(of lines: [String]) -> [String] {
    var portable: [String] = []
    var depth = 0
    // The depth of the condition that holds on Linux only.
    var linux: Int?
    for line in lines {
        if line.hasPrefix("#if") {
            depth += 1
            if line == "#if defined(__linux__)" { linux = depth }
        } else if line.hasPrefix("#endif") {
            if linux == depth { linux = nil }
            depth -= 1
        } else if line == "#else", linux == depth {
            linux = nil
        } else if linux == nil, line.first?.isLetter == true {
            portable.append(line)
        }
    }
    return portable
}

private func isUnchecked(_ line: String) -> Bool {
    // A plain search first, because the pattern is slow.
    guard line.contains("unchecked") || line.contains("unsafe") else { return false }
    return code(line).contains(/@unchecked\s+Sendable|nonisolated\(unsafe\)|@exclusivity\(unchecked\)/)
}

/// Whether a plain comment, not documentation, is on the line, up to 16 lines before it or up to 2 lines after it, with
/// no empty line between.
private func isProved(_ index: Int, in lines: [String]) -> Bool {
    func isEmpty(_ line: String) -> Bool { line.allSatisfy(\.isWhitespace) }
    func isComment(_ line: String) -> Bool { line.contains(/^\s*\/\/(?!\/)/) }
    let before = lines[..<index].suffix(16).reversed().prefix { !isEmpty($0) }
    let after = lines[index...].dropFirst().prefix(2).prefix { !isEmpty($0) }
    return lines[index].contains(/\s\/\/(?!\/)/) || before.contains(where: isComment)
        || after.contains(where: isComment)
}

// SPDX-License-Identifier: MIT
