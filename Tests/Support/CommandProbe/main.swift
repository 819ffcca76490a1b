import ChainInspector
import PromiseRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// The inspected program for chainviewTests: `CommandProbe NAME [read-only] [port] [flight] [from PATH] [COMMAND…]`. It
// performs the commands in its arguments, prints `ready`, then reads one command a line from standard input or the FIFO
// at PATH, and answers each with `ok`. A command's events are collected at once unless it begins with `quietly`.

alarm(600)
var arguments = CommandLine.arguments.dropFirst()
let name = arguments.popFirst() ?? "probe"
var options = InspectorOptions()
if arguments.first == "read-only" {
    options.isReadOnly = true
    arguments.removeFirst()
}
if arguments.first == "port" {
    options.endpoints = [.unix, .tcp(port: 0)]
    arguments.removeFirst()
}
if arguments.first == "flight" {
    options.flightRecorder = .init()
    arguments.removeFirst()
}
if arguments.first == "from" {
    guard let path = arguments.dropFirst().first, dup2(open(path, O_RDONLY), STDIN_FILENO) == STDIN_FILENO else {
        exit(2)
    }
    arguments.removeFirst(2)
}
let inspector = try Inspector.start(name: name, options: options)
var resolvers: [String: Resolver<String>] = [:]

/// A hostile text: controls of both sets, escape sequences, bidi controls, and a fake row.
let hostile =
    text(of: 0...0x1F)
    + "\u{1B}]0;owned\u{7}\u{1B}[2J\u{1B}[31mred\u{1B}]52;c;b3duZWQ=\u{1B}\\\u{1B}P+q\u{1B}\\\u{7F}"
    + text(of: 0x80...0x9F) + "\u{202E}\u{2066}\u{200F}\u{2028}\u{FEFF}\u{E000}end"

func text(of scalars: ClosedRange<UInt8>) -> String {
    String(String.UnicodeScalarView(scalars.map { Unicode.Scalar($0) }))
}

/// Prints without buffering, because the test waits for it.
func say(_ line: String, on descriptor: Int32 = STDOUT_FILENO) {
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
}

/// Makes a chain of three nodes, and returns the resolver of the first.
func pending(_ label: String) -> Resolver<String> {
    let (promise, resolver) = Promise<String>.pending(label: label)
    promise.map(label: "read \(label)") { $0.count }.failed(label: "complain of \(label)") { _ in }
    return resolver
}

/// Performs a command, and collects its events unless it begins with `quietly`.
@MainActor func obey(_ command: String) {
    if command.hasPrefix("quietly ") { return carryOut(String(command.dropFirst(8))) }
    carryOut(command)
    inspector.collectNow()
}

@MainActor func carryOut(_ command: String) {
    let words = command.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    switch words.first {
    case "chain":
        resolvers[rest] = pending(rest)
    case "many":
        for number in 1...(Int(rest) ?? 1) {
            resolvers["\(number)"] = pending("chain \(number)")
            // Collected in between, so that no event is lost.
            if number % 100 == 0 { inspector.collectNow() }
        }
    case "settle": resolvers.removeValue(forKey: rest)?.fulfill("done")
    case "hostile":
        let (promise, resolver) = Promise<String>.pending(label: "begin " + hostile)
        promise.failed(label: "after it") { _ in }
        resolver.reject(Hostile())
    case "print": say(rest)
    case "complain": say(rest, on: STDERR_FILENO)
    case "lines": for line in 1...(Int(rest) ?? 1) { say("line \(line)") }
    case "where": for address in inspector.addresses { say(address) }
    case "trap": signal(SIGINT) { _ in _exit(43) }
    case "exit": exit(Int32(rest) ?? 0)
    case "signal":
        signal(Int32(rest) ?? SIGTERM, SIG_DFL)
        kill(getpid(), Int32(rest) ?? SIGTERM)
    default: say("what is \(command)?")
    }
}

struct Hostile: Error, CustomStringConvertible {
    var description: String { hostile }
}

for command in arguments { obey(command) }
say("ready")
while let command = readLine() {
    obey(command)
    say("ok")
}
while true { pause() }

// SPDX-License-Identifier: MIT
