// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation

/// An address of a server, as the system's `connect` takes it.
struct ServerAddress: Sendable {
    var family: Int32
    /// The bytes of a `sockaddr` of the family.
    var bytes: [UInt8]
}

/// The search for the addresses of a name, on a thread of its own: the system's search has no limit of its own, and a
/// silent name server holds it for minutes. A caller that waits no longer leaves the thread behind.
final class NameLookup: Sendable {
    typealias Found = Result<[ServerAddress], HTTPFailure>

    private let found = Lock<Found?>(nil)
    private let isDone = Semaphore()

    /// Starts the search; nil where the system has no thread left.
    init?(_ search: @escaping @Sendable () -> Found) {
        let isStarted = SystemThread.detached("chainview.names") { [found, isDone] in
            let addresses = search()
            found.withLock { $0 = addresses }
            isDone.signal()
        }
        guard isStarted else { return nil }
    }

    /// Returns the result; nil if it has not come after `limit`.
    func wait(for limit: Duration) -> Found? {
        if isDone.wait(for: limit) { isDone.signal() }
        return found.withLock { $0 }
    }

    /// Returns the addresses that the system finds. May block for minutes.
    static func search(_ host: String, port: UInt16) -> Found {
        var hints = addrinfo()
        #if canImport(Darwin) || canImport(Musl)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0 else { return .failure(HTTPFailure(description: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(list) }
        var addresses: [ServerAddress] = []
        var next = list
        while let address = next?.pointee {
            let bytes = UnsafeRawBufferPointer(start: address.ai_addr, count: Int(address.ai_addrlen))
            addresses.append(ServerAddress(family: address.ai_family, bytes: Array(bytes)))
            next = address.ai_next
        }
        return .success(addresses)
    }
}
