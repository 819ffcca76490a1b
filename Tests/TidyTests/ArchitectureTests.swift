import Testing

/// The paths and targets in ARCHITECTURE.md exist.
struct ArchitectureTests {
    @Test func everyPathExists() throws {
        let text = try #require(Repository.text("ARCHITECTURE.md"))
        let paths = text.matches(of: /`((?:Sources|Tests|demos|Benchmarks)\/[^`\s]*)`/).map { String($0.1) }
        #expect(paths.count > 40)
        for path in Set(paths).sorted() where !Repository.exists(path) {
            Issue.record("ARCHITECTURE.md names \(path), which does not exist")
        }
    }

    @Test func everyTargetIsInTheManifest() throws {
        let text = try #require(Repository.text("ARCHITECTURE.md"))
        let manifests = Repository.paths.filter { $0.hasSuffix("Package.swift") }.compactMap(Repository.text).joined()
        let targets = text.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.1) }
        #expect(targets.count > 15)
        for target in targets { #expect(manifests.contains("name: \"\(target)\""), "\(target)") }
    }
}

// SPDX-License-Identifier: MIT
