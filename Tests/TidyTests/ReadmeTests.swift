import Foundation
import Testing

/// The commands in READMEs and articles are valid, and their links lead to files.
struct ReadmeTests {
    private static let pages = Repository.paths.filter { $0.hasSuffix(".md") && $0 != "CHANGELOG.md" }

    /// A stranger reads one page; what does not fit belongs in the manual.
    @Test func theReadmeIsShort() throws {
        let readme = try #require(Repository.text("README.md"))
        #expect(SourceFile(path: "README.md", text: readme).lineCount <= 150)
    }

    @Test(arguments: pages) func everyMakeTargetExists(_ path: String) throws {
        let readme = Markdown(Repository.text(path) ?? "")
        let makefile = try #require(Repository.text("Makefile"))
        let targets = Set(makefile.matches(of: /(?m)^([a-z]+):/).map(\.1))
        let named = readme.code.flatMap { $0.matches(of: /(?:^|[\s;&(])make ([a-z]+)/).map(\.1) }
        #expect(!named.isEmpty || !path.hasSuffix("README.md"))
        for target in named { #expect(targets.contains(target), "make \(target)") }
    }

    @Test(arguments: pages) func everySubcommandExists(_ path: String) {
        let readme = Markdown(Repository.text(path) ?? "")
        let known = subcommands()
        let named = readme.code.flatMap {
            $0.matches(of: /(?:^|[\s;&(\/])chainview ([a-z]+(?:-[a-z]+)*)\b/).map { String($0.1) }
        }
        for name in named { #expect(known.contains(name), "chainview \(name)") }
    }

    @Test(arguments: pages) func everyLinkLeadsSomewhere(_ path: String) {
        let readme = Markdown(Repository.text(path) ?? "")
        let folder = path.split(separator: "/").dropLast().map { "\($0)/" }.joined()
        for target in readme.links where !target.contains(/^(?:https?:|mailto:|#)/) {
            #expect(Repository.exists(folder + target.split(separator: "#")[0]), "\(target)")
        }
        for article in readme.text.matches(of: /<doc:(\w+)>/).map(\.1) {
            #expect(Repository.exists("\(folder)\(article).md"), "\(article)")
        }
    }

    @Test func everyArticleOfTheManualIsListed() throws {
        let folder = "Sources/Viewer/chainview/chainview.docc/"
        let root = try #require(Repository.text(folder + "chainview.md"))
        let readme = try #require(Repository.text("README.md"))
        let articles = Repository.paths.filter { $0.hasPrefix(folder) && !$0.hasSuffix("/chainview.md") }
        #expect(articles.count > 5)
        for path in articles {
            #expect(root.contains("<doc:\(path.dropFirst(folder.count).dropLast(3))>"), "\(path)")
            #expect(readme.contains("(\(path))"), "\(path)")
        }
    }

    /// The names in string literals of the sources.
    @Test func everyVariableOfTheEnvironmentIsInTheManual() throws {
        let manual = try #require(Repository.text("Sources/Viewer/chainview/chainview.docc/Settings.md"))
        let sources = Repository.sources.filter { $0.path.hasPrefix("Sources/") && $0.isSwift }
        let names = Set(sources.flatMap(\.lines).flatMap { $0.matches(of: /"(CHAINVIEW(?:_[A-Z]+)*)"/).map(\.1) })
        #expect(names.count > 10)
        for name in names { #expect(manual.contains(name), "\(name)") }
    }

    @Test func everyProductThatTheReadmeNamesIsDeclared() throws {
        let readme = Markdown(try #require(Repository.text("README.md")))
        let manifest = try #require(Repository.text("Package.swift"))
        let named = readme.text.matches(of: /\.product\(name: "(\w+)", package: "(\w+)"\)/)
        #expect(named.count >= 2)
        for product in named {
            #expect(manifest.contains(".library(name: \"\(product.1)\""), "\(product.1)")
            #expect(manifest.contains("    name: \"\(product.2)\","), "\(product.2)")
        }
    }

    /// Returns the names of chainview's commands: those given as `commandName`, and those derived from names of types.
    private func subcommands() -> Set<String> {
        var names: Set<String> = []
        for file in Repository.sources where file.target == "chainview" && !file.isTest {
            let text = file.lines.joined(separator: "\n")
            for match in text.matches(of: /commandName: "([a-z-]+)"/) { names.insert(String(match.1)) }
            for match in text.matches(of: /struct (\w+): (?:Async)?ParsableCommand/) {
                let words = match.1.replacing(/([a-z])([A-Z])/) { "\($0.1)-\($0.2)" }.lowercased()
                names.insert(words.replacing(/-?command$/, with: ""))
            }
        }
        return names
    }
}

struct MarkdownTests {
    @Test func codeAndLinksAreFound() {
        let markdown = Markdown(
            """
            Say `make demo`, see [this](a/b.md#c) and ![that](d.svg). Prose may make sense.

            ```sh
            make test
            ```

                chainview demo
            <img src="e.svg" alt="x">
            """)
        #expect(markdown.code == ["make test", "    chainview demo", "make demo"])
        #expect(Set(markdown.links) == ["a/b.md#c", "d.svg", "e.svg"])
    }
}

/// A parser of the parts of Markdown that these tests need.
private struct Markdown {
    let text: String
    /// Lines of code blocks, fenced or indented, then spans of code in prose.
    private(set) var code: [String] = []
    private(set) var links: [String] = []

    init(_ text: String) {
        self.text = text
        var prose: [Substring] = []
        var isFenced = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isFenced.toggle()
            } else if isFenced || line.hasPrefix("    ") {
                code.append(String(line))
            } else {
                prose.append(line)
            }
        }
        let joined = prose.joined(separator: "\n")
        code += joined.matches(of: /`([^`\n]+)`/).map { String($0.1) }
        links += joined.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
        links += joined.matches(of: /(?:src|href|srcset)="([^"]+)"/).map { String($0.1) }
    }
}

// SPDX-License-Identifier: MIT
