import ArgumentParser
import Foundation
import Frames
import TerminalHarness
import Testing

@testable import chainview

/// The commands in the README are valid and work.
@Suite(.serialized, .onItsOwnThread) struct ReadmeCommandTests {
    private let readme: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
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

    @Test func eachIsUnderstood() throws {
        #expect(commands.count > 15 && commands.contains("attach shop") && commands.contains("cancel shop 12 --chain"))
        // Skips help, which ends like an error.
        for words in commands where !words.contains("--help") && words != "run" {
            do { _ = try Chainview.parseAsRoot(words.split(separator: " ").map(String.init)) } catch {
                // A completion script ends like an error, too.
                if Chainview.exitCode(for: error) == .success { continue }
                Issue.record("chainview \(words): \(Chainview.message(for: error))")
            }
        }
    }

    @Test func thoseAboutTheShopWorkInOne() throws {
        let place = try Place()
        let shop = try place.probe("shop")
        for number in 1...5 { try shop.tell("chain order \(number)") }
        // Sorted, so that the whole chain is cancelled after the node.
        let named = commands.filter { $0.contains(/^(?:ps|attach shop|cancel shop)\b/) && !$0.contains("4242") }
        #expect(named.count > 6)
        for words in named.sorted() {
            let isFrame = words.hasPrefix("attach") && !words.contains("--help")
            let outcome = try place.run(words + (isFrame ? " --headless --for 500ms" : ""))
            #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(words): \(outcome)")
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
        #expect(rows == [0, 64, 65, 66, 69, 70, 74, 77])
        let help = try Shell.run("--help").output
        for code in rows { #expect(help.contains("\(code) "), "\(code)") }
    }
}
