import ArgumentParser
import Foundation
import Frames
import TerminalHarness
import Testing

@testable import ChainAttach
@testable import chainview

/// The commands in the README are valid and work.
@Suite(.serialized, .onItsOwnThread) struct ReadmeCommandTests {
    private let readme: String
    /// The README of the demo server.
    private let serverReadme: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        serverReadme = try String(contentsOf: root.appending(path: "demos/server/README.md"), encoding: .utf8)
    }

    /// The arguments after `chainview` in code spans, and in lines of code up to the explanation.
    private var commands: Set<String> {
        let spans = readme.matches(of: /`chainview ?([^`\n]*)`/).map { String($0.1) }
        let lines = readme.matches(of: /(?m)^    chainview(.*)$/).map { match in
            match.1.components(separatedBy: "  ")[0].components(separatedBy: " > ")[0]
                .trimmingCharacters(in: .whitespaces)
        }
        return Set(spans + lines)
    }

    @Test func eachCommandIsUnderstood() throws {
        #expect(commands.count > 15 && commands.contains("attach shop") && commands.contains("cancel shop 12 --chain"))
        // Skips help, which is thrown like an error.
        for words in commands where !words.contains("--help") && words != "run" {
            do { _ = try Chainview.parseAsRoot(ShellWords.split(words)) } catch {
                // A completion script is thrown like an error, too.
                if Chainview.exitCode(for: error) == .success { continue }
                Issue.record("chainview \(words): \(Chainview.message(for: error))")
            }
        }
    }

    @Test func commandsAboutTheShopWorkWithAShop() throws {
        let place = Place()
        let shop = try place.probe("shop")
        for name in ["shop.chain", "crash.chain", "monday.chain", "tuesday.chain"] { try place.recording(name) }
        for number in 1...5 { try shop.tell("chain order \(number)") }
        // Sorted, so that the whole chain is cancelled after the node.
        let named = commands.filter {
            $0.contains(/^(?:ps|snapshot|events|diff|attach shop|cancel shop)\b/) && !$0.contains("4242")
        }
        #expect(named.count > 6)
        for words in named.sorted() {
            let isLasting = !words.contains("--help")
            let end =
                isLasting && words.hasPrefix("attach")
                ? " --headless --for 500ms" : isLasting && words.hasPrefix("events") ? " --for 500ms" : ""
            let outcome = try place.run(words + end)
            // The shop has no event meanwhile.
            let isSilent = words.hasPrefix("events shop")
            #expect(outcome.status == 0 && outcome.output.isEmpty == isSilent, "\(words): \(outcome)")
        }
    }

    /// The README of the demo server shows what its commands print, but for the numbers.
    @Test func whatTheServersCommandsPrintIsUpToDate() throws {
        let place = Place()
        let server = try place.probe("server")
        for number in 1...2 { try server.tell("chain order \(number)") }
        try place.run("ps server", untilItPrints: "6 live")
        let first = try place.run("ps server --live").output.split(separator: "\n")[0]
        let head = first.dropFirst("server \(server.pid)".count)
        #expect(head.hasPrefix("  2 chains · 6 nodes · 6 live") && serverReadme.contains(head + "\n"), "\(head)")
        let shown = try place.run("cancel server 1")
        #expect(shown.status == 0 && serverReadme.contains(shown.output), "\(shown)")
    }

    @Test func theExportsWork() throws {
        let place = Place()
        let shop = try place.probe("shop")
        try place.recording("shop.chain")
        try shop.tell("chain order 1")
        try shop.tell("settle order 1")
        let exports = commands.filter { $0.hasPrefix("export") && !$0.contains("--help") }
        #expect(exports.count > 4)
        for words in exports.sorted() {
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
            let collector = words.contains("--otlp") ? try TestCollector(answers: [answer]) : nil
            let typed = words.replacing("127.0.0.1:4318", with: "127.0.0.1:\(collector?.port ?? 0)")
            let outcome = try place.run(typed + (words.contains("--follow") ? " --for 500ms" : ""))
            #expect(outcome.status == 0, "\(typed): \(outcome)")
            if words.contains("--otlp") { #expect(outcome.errors.contains("sent 3 spans"), "\(outcome)") }
        }
    }

    @Test func theDemosAreThere() throws {
        let made = readme.matches(of: /make demo(?: ARGS="([^"]*)")?/).map { "demo \($0.1 ?? "")" }
        #expect(made.count > 2)
        for words in Set(made) {
            let outcome = try Shell.run(words + " --headless --for 200ms")
            #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(words): \(outcome)")
        }
    }

    @Test func theConfigurationIsRight() throws {
        let examples = readme.matches(of: /(?ms)^```toml\n(.*?)^```/).map { String($0.1) }
        #expect(!examples.isEmpty)
        for example in examples { #expect(ConfigFile(example, file: "README.md").problems.isEmpty, "\(example)") }
        // All themes, and no others.
        let section = try #require(readme.firstMatch(of: /(?ms)^\| theme \|.*?\n\n/)).0
        #expect(section.matches(of: /(?m)^\| `([a-z-]+)` \|/).map { String($0.1) } == Theme.all.map(\.name))
    }

    @Test func theTableOfExitCodesIsThatOfTheHelp() throws {
        let rows = readme.matches(of: /(?m)^\| (\d+) \|/).compactMap { Int32($0.1) }
        #expect(rows == [0, 1, 64, 65, 66, 69, 70, 74, 77])
        let help = try Shell.run("--help").output
        for code in rows { #expect(help.contains("\(code) "), "\(code)") }
    }
}
