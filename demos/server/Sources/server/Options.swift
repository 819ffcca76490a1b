/// The options of the command line.
struct Options {
    /// The port; 0 for any free one.
    var port: UInt16 = 8080
    var wantsHelp = false

    static let help = """
        usage: server [--port PORT]

        A small shop that answers JSON on http://127.0.0.1:PORT (default 8080; 0 for any that is free).
        CHAINVIEW=1 in the environment lets chainview attach to it.
        Exit codes: 0 stopped by SIGINT or SIGTERM, 64 usage, 69 cannot listen, 70 anything else.
        """

    init(_ arguments: some Sequence<String>) throws {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--port":
                guard let text = rest.next(), let port = UInt16(text) else {
                    throw BadUsage(description: "--port wants a number from 0 to 65535")
                }
                self.port = port
            default: throw BadUsage(description: "\(argument.debugDescription) is unknown; see server --help")
            }
        }
    }
}

/// The error of an invalid command line, in one sentence.
struct BadUsage: Error, CustomStringConvertible {
    var description: String
}

// SPDX-License-Identifier: MIT
