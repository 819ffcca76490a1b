import ChainEvents
import ChainSystem
import ChainWire
import Foundation
import TestWaits
import Testing

@testable import ChainAttach

/// The programs that a token is sent to, and those that it is not.
@Suite struct TokenFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a program that opens a port. `token` is the path of the port's token file.
    private func program() throws -> (probe: Probe, target: Target, port: UInt16, token: String) {
        let probe = try Probe(["port", "shop"], in: folder)
        let address = probe.nextLine()
        let port = try #require(UInt16(address.split(separator: ":").last ?? ""))
        return (probe, try Target(address), port, folder.folder.tokenPath(port: port))
    }

    /// Attaches for the program's hello, and returns the program's name.
    private func visit(_ target: Target, _ discovery: Discovery? = nil) throws -> String {
        let endpoint = try (discovery ?? folder.discovery).resolve(target)
        return try OneShotClient.hello(of: endpoint, timeLimit: waitLimit).process.name
    }

    @Test func aTokenOfAProgramThatWasKilledIsNotSent() throws {
        let (probe, target, port, token) = try program()
        #expect(try visit(target) == "shop")
        probe.kill9()
        #expect(FileManager.default.fileExists(atPath: token))
        // The port's new listener belongs to the same user: only the token's file can show that it is another program.
        let impostor = try Probe(["impostor", "\(port)"], in: folder)
        #expect(impostor.nextLine() == "listening")
        let error = #expect(throws: AttachError.self) { try visit(target) }
        #expect(error?.kind == .gone && error?.description.contains("has ended") == true)
        // The impostor counts the bytes of its first connection, which has to be this one.
        let socket = try Descriptor.socket(family: AF_INET)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        shutdown(socket.number, Int32(SHUT_WR))
        #expect(impostor.nextLine() == "0")
    }

    #if os(Linux)
        /// Another user took the port after the program's end, and the token was copied, as from another machine.
        @Test(.enabled(if: geteuid() == 0, "only root can be several users"))
        func anotherUsersPortIsNotSentAToken() throws {
            let (probe, target, port, token) = try program()
            let copy = folder.base + "/copy"
            try String(contentsOfFile: token, encoding: .utf8).write(toFile: copy, atomically: false, encoding: .utf8)
            chmod(copy, 0o600)
            var discovery = folder.discovery
            discovery.tokenFile = copy
            #expect(try visit(target, discovery) == "shop")
            probe.kill9()
            let impostor = try Probe(["impostor", "\(port)"], in: folder, environment: ["PROBE_USER": "12345"])
            #expect(impostor.nextLine() == "listening")
            let error = #expect(throws: AttachError.self) { try visit(target, discovery) }
            #expect(error?.kind == .foreign && error?.description.contains("(user 12345)") == true)
            #expect(impostor.nextLine() == "0")
        }
    #endif
}

// SPDX-License-Identifier: MIT
