import ChainWire

/// Where a program is reached; made by ``Discovery/resolve(_:)``.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        case unix(path: String)
        case tcp(host: String, port: UInt16, tokenFile: String)
        case ssh(program: String, host: String, process: String)
    }

    let kind: Kind

    /// As a ``Target`` would be typed.
    public var description: String {
        switch kind {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port, _): Target.tcp(host: host, port: port).description
        case .ssh(_, let host, let process): "ssh:\(host)/\(process)"
        }
    }
}
