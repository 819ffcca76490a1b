import Foundation
import TerminalHarness
import Testing

/// What commands report about a server that speaks another protocol, or another version of chainview's protocol.
@Suite(.serialized, .onItsOwnThread) struct OtherVersionTests {
    /// A server that sends the same bytes to each client.
    private final class Stranger: Sendable {
        private let socket: Int32

        init(at path: String, sending bytes: [UInt8]) throws {
            #if canImport(Glibc)
                socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #else
                socket = Foundation.socket(AF_UNIX, SOCK_STREAM, 0)
            #endif
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let isBound = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(socket, 8) == 0
                }
            }
            guard isBound else { throw HarnessError(description: "cannot listen at \(path): \(errno)") }
            let listener = socket
            Thread {
                while true {
                    let peer = accept(listener, nil, nil)
                    guard peer >= 0 else { return }
                    _ = bytes.withUnsafeBytes { write(peer, $0.baseAddress, $0.count) }
                    // Until the viewer disconnects.
                    var byte: UInt8 = 0
                    while read(peer, &byte, 1) > 0 {}
                    close(peer)
                }
            }
            .start()
        }

        deinit {
            shutdown(socket, Int32(SHUT_RDWR))
            close(socket)
        }
    }

    /// A preamble (see `Wire`) of a future version.
    private static let future: [UInt8] =
        [0x63, 0x68, 0x61, 0x69, 0x6E, 0x76, 0x77, 0x9E] + [9, 0, 9, 0] + [0, 0, 0, 0]

    @Test(arguments: [
        (future, "version 9"), (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "does not speak chainview's protocol"),
    ])
    func anErrorIsOneSentence(sent: [UInt8], part: String) throws {
        let place = Place()
        let path = place.path + "/s"
        let stranger = try Stranger(at: path, sending: sent)
        for words in ["ps unix:\(path)", "attach unix:\(path) --for 5s", "cancel unix:\(path) 1"] {
            let outcome = try place.run(words)
            #expect(outcome.status == 65 && outcome.output.isEmpty, "\(words): \(outcome)")
            #expect(outcome.errors.hasPrefix("chainview: ") && outcome.errors.contains(part), "\(words): \(outcome)")
            #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(words): \(outcome)")
        }
        withExtendedLifetime(stranger) {}
    }
}

// SPDX-License-Identifier: MIT
