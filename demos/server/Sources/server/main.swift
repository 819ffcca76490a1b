import ChainInspector
import Foundation
import ShopService

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.wantsHelp {
        say(Options.help)
        exit(0)
    }
    let inspector = try Inspector.start(name: "server")
    let server = try await ShopServer.start(port: options.port)
    say("listening on http://127.0.0.1:\(server.port)")
    let signal = await firstSignal(of: [SIGINT, SIGTERM])
    say("stopping on \(signal == SIGINT ? "SIGINT" : "SIGTERM")")
    await server.stop()
    inspector.stop()
} catch let error as BadUsage {
    end(64, error)
} catch let error as CannotListen {
    end(69, error)
} catch {
    end(70, error)
}

/// Written at once, also into a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func end(_ status: Int32, _ error: any Error) -> Never {
    FileHandle.standardError.write(Data("server: \(error)\n".utf8))
    exit(status)
}

/// Waits for a signal, which does nothing else meanwhile.
func firstSignal(of signals: [Int32]) async -> Int32 {
    let (received, told) = AsyncStream<Int32>.makeStream()
    let sources = signals.map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { told.yield(number) }
        source.resume()
        return source
    }
    defer { sources.forEach { $0.cancel() } }
    for await number in received { return number }
    return SIGTERM
}
