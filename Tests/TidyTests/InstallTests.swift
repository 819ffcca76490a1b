import Foundation
import Testing

/// `make install`, in a folder that holds the makefile and, as `make release` leaves them, stand-ins for built files.
struct InstallTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "install-\(UUID().uuidString)")
    private var release: URL { folder.appending(path: ".build/release") }

    private func make(_ arguments: String...) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/make")
        process.arguments = ["-s", "-f", Repository.root.appending(path: "Makefile").path] + arguments
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private func build(_ names: [String]) throws {
        try FileManager.default.createDirectory(at: release, withIntermediateDirectories: true)
        for name in names { try Data(name.utf8).write(to: release.appending(path: name)) }
    }

    private static let files = ["chainview", "chainview.1", "chainview.bash", "chainview.zsh", "chainview.fish"]

    @Test func itRefusesWhatIsNotBuilt() throws {
        try build(Array(Self.files.dropLast()))
        defer { try? FileManager.default.removeItem(at: folder) }
        let answer = try make("install", "PREFIX=\(folder.path)/there")
        #expect(answer.status != 0)
        #expect(answer.output.contains("chainview.fish is not built yet. Run make release first"))
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "there").path))
    }

    @Test func itCopiesEachFileToItsPlace() throws {
        try build(Self.files + ["libChainPreload.so"])
        defer { try? FileManager.default.removeItem(at: folder) }
        let answer = try make("install", "PREFIX=\(folder.path)/there")
        #expect(answer.status == 0, "\(answer.output)")
        var copied = [
            "bin/chainview": "chainview", "share/man/man1/chainview.1": "chainview.1",
            "share/bash-completion/completions/chainview": "chainview.bash",
            "share/zsh/site-functions/_chainview": "chainview.zsh",
            "share/fish/vendor_completions.d/chainview.fish": "chainview.fish",
        ]
        #if os(Linux)
            copied["lib/libChainPreload.so"] = "libChainPreload.so"
        #endif
        for (path, content) in copied {
            let file = folder.appending(path: "there/\(path)")
            #expect((try? String(contentsOf: file, encoding: .utf8)) == content, "\(path)")
        }
        #expect(FileManager.default.isExecutableFile(atPath: folder.appending(path: "there/bin/chainview").path))
    }
}

// SPDX-License-Identifier: MIT
