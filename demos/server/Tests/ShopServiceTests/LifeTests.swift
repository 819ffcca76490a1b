import Foundation
import ShopService
import Testing

/// Start and stop of the server, in this process and as a program.
@Suite(.timeLimit(.minutes(5)))
struct LifeTests {
    @Test func aPortInUseIsReported() async throws {
        try await Running.server { running in
            let port = running.server.port
            let error = await #expect(throws: CannotListen.self) { try await ShopServer.start(port: port) }
            #expect(error?.isTaken == true)
            #expect(error?.description.hasPrefix("cannot listen on 127.0.0.1:\(port): another program") == true)
        }
    }

    @Test func aServerThatStopsAnswersItsClients() async throws {
        try await Running.server { running in
            async let answer = running.get("/wait?ms=600000")
            _ = try await running.eventually("the request") { running.server.chainCount == 1 ? () : nil }
            await running.server.stop(grace: .seconds(600))
            #expect(try await answer.status == 503)
            #expect(try await answer.fields["reason"] as? String == "the server stops")
            await #expect(throws: (any Error).self) { try await running.get("/healthz") }
        }
    }

    @Test func theProgramStopsOnSIGTERM() async throws {
        let program = try Program(["--port", "0"])
        let line = program.firstLine()
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) }, "\(line)")
        #expect(line == "listening on http://127.0.0.1:\(port)")
        async let answer = Answer.get("/wait?ms=600000", port: port)
        while try await Answer.get("/healthz", port: port).fields["chains"] as? Int != 1 {}

        // The port is taken now.
        let second = try Program(["--port", "\(port)"])
        #expect(await second.status() == 69)
        #expect(second.errors().hasPrefix("server: cannot listen on 127.0.0.1:\(port): another program listens there"))

        program.terminate()
        #expect(try await answer.status == 503)
        #expect(await program.status() == 0)
    }

    @Test func theProgramCanBeAttachedToWhereThatIsAskedFor() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = folder.appending(path: "s").path

        let program = try Program(["--port", "0"], environment: ["CHAINVIEW": socket])
        let line = program.firstLine()
        #expect(FileManager.default.fileExists(atPath: socket))

        // A server that cannot listen removes its socket, too.
        let port = try #require(line.split(separator: ":").last)
        let second = try Program(["--port", "\(port)"], environment: ["CHAINVIEW": socket + "2"])
        #expect(await second.status() == 69)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["s"])

        program.terminate()
        #expect(await program.status() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(arguments: [["--port"], ["--port", "65536"], ["--prot", "1"]])
    func badUsageIsReported(_ arguments: [String]) async throws {
        let program = try Program(arguments)
        #expect(await program.status() == 64)
        #expect(program.errors().split(separator: "\n").count == 1)
    }
}

/// The server as a process.
private struct Program {
    private let process = Process()
    private let output = Pipe()
    private let errorOutput = Pipe()
    private let ended: AsyncStream<Int32>

    /// Starts the server without an inspector, unless `environment` asks for one.
    init(_ arguments: [String], environment: [String: String] = ["CHAINVIEW": "0"]) throws {
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "server")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errorOutput
        let (ended, continuation) = AsyncStream<Int32>.makeStream()
        self.ended = ended
        process.terminationHandler = { continuation.yield($0.terminationStatus) }
        try process.run()
    }

    func firstLine() -> String {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) { line += byte }
        return String(decoding: line, as: UTF8.self)
    }

    func errors() -> String { String(decoding: errorOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }

    func terminate() { process.terminate() }

    func status() async -> Int32? { await ended.first { _ in true } }
}

// SPDX-License-Identifier: MIT
