import Foundation
import Testing

/// Rules for the repository as a whole.
struct RepositoryTests {
    @Test func theTopLevelHoldsOnlyListedEntries() {
        let allowed: Set = [
            "Package.swift", "Sources", "Tests", "demos", "Benchmarks", "README.md", "Makefile", "LICENSE",
            "CHANGELOG.md", ".ci", ".github", ".swift-format", ".gitignore", "ARCHITECTURE.md",
        ]
        let present = Set(Repository.paths.compactMap { $0.split(separator: "/").first.map(String.init) })
        #expect(present.subtracting(allowed) == [])
        for entry in ["Package.swift", "Makefile", "LICENSE", "CHANGELOG.md", ".ci", ".swift-format", ".gitignore"] {
            #expect(present.contains(entry))
        }
    }

    @Test func packagesArePinned() throws {
        let manifests = Repository.paths.filter { $0.hasSuffix("Package.swift") }
        #expect(manifests.contains("Package.swift"))
        for path in manifests {
            for line in try #require(Repository.text(path)).split(separator: "\n") where line.contains(/\.package\(/) {
                // Not pinned, because a product depends on them under a trait: a user's program has to be free to choose
                // their versions.
                if path == "Package.swift", line.contains(/apple\/swift-(distributed-tracing|log)", from: "1\./) {
                    continue
                }
                #expect(
                    line.contains(/exact: "\d+\.\d+\.\d+"|\.package\((?:name: "\w+", )?path: "/), "\(path): \(line)")
            }
        }
    }

    @Test func makeExplainsEachOfItsTargets() throws {
        let makefile = try #require(Repository.text("Makefile"))
        let phony = try #require(makefile.firstMatch(of: /\.PHONY: (.*)/)).1.split(separator: " ")
        let explained = makefile.matches(of: /(?m)^([a-z]+):.*## \S/).map(\.1)
        #expect(Set(phony) == Set(explained))
        #expect(!makefile.contains("man -l"), "macOS has no such option")
        for target in ["help", "demo", "test", "check", "bench", "tsan", "format", "picture", "record", "clean"] {
            #expect(explained.contains { $0 == target }, "make \(target) is missing")
        }
    }

    @Test func ciRunsEachStep() throws {
        let run = try #require(Repository.text(".ci/run"))
        #expect(FileManager.default.isExecutableFile(atPath: Repository.root.appending(path: ".ci/run").path))
        #expect(run.contains("\nset -euo pipefail\n"))
        let lanes = run.matches(of: /(?m)^(?:\w+=\S+ )*lane \w+ (.*?)(?: &)?$/).map(\.1)
        for step in ["check", "test", "counts", "tsan", "growth"] {
            #expect(lanes.contains { $0.contains(try! Regex("\"make \(step)[ \"]")) }, "make \(step)")
        }
    }

    @Test func theChangelogBeginsWithTheVersionOrWhatFollowsIt() throws {
        let changelog = try #require(Repository.text("CHANGELOG.md"))
        let source = try #require(Repository.text("Sources/Viewer/chainview/Chainview.swift"))
        let version = try #require(source.firstMatch(of: /static let text = "(\d+\.\d+\.\d+)"/)).1
        let sections = changelog.matches(of: /(?m)^## \[(.+?)\]/).map(\.1)
        #expect(sections.first { $0 != "Unreleased" } == version)
        #expect(changelog.contains(/\n### (Added|Changed|Deprecated|Removed|Fixed|Security)\n/))
    }
}

// SPDX-License-Identifier: MIT
