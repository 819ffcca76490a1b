import ChainInspector
import Foundation
import ShopService

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.wantsHelp {
        say(Options.help)
        exit(0)
    }
    // Before the line about listening, because its reader may send a signal at once.
    let signals = Signals([SIGINT, SIGTERM])
    let inspector = Inspector.startIfRequested(name: "server")
    defer { inspector?.stop() }
    let server = try await ShopServer.start(port: options.port)
    say("listening on http://127.0.0.1:\(server.port)")
    let signal = await signals.first()
    say("stopping on \(signal == SIGINT ? "SIGINT" : "SIGTERM")")
    await server.stop()
} catch let error as BadUsage {
    end(64, error)
} catch let error as CannotListen {
    end(69, error)
} catch {
    end(70, error)
}

/// Prints without buffering, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func end(_ status: Int32, _ error: any Error) -> Never {
    FileHandle.standardError.write(Data("server: \(error)\n".utf8))
    exit(status)
}

/// Catches signals, and waits for them.
struct Signals {
    private let received: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init(_ numbers: [Int32]) {
        let (received, continuation) = AsyncStream<Int32>.makeStream()
        self.received = received
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
    }

    /// Waits for the first signal.
    func first() async -> Int32 {
        for await number in received { return number }
        return SIGTERM
    }
}

// SPDX-License-Identifier: MIT
