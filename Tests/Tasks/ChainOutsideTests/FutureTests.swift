import ChainEvents
import ChainSystem
import Foundation
import TestWaits
import Testing

@testable import ChainOutside

/// Pending futures of SwiftNIO. The program that is read has classes with the names and the properties of SwiftNIO's.
@Suite(.enabled(if: Right.problem == nil, Right.reason))
struct FutureTests {
    @Test func pendingFuturesAreFoundWithTheirEventLoop() throws {
        let program = try NIOProgram()
        let process = try OutsideProcess(program.pid)
        let state = try process.state()
        let texts = state.batches.flatMap { batch in
            batch.events.filter { $0.kind == .created && $0.text != 0 }.map { event in
                (event, batch.texts[Int(event.text) - 1])
            }
        }
        let loops = texts.filter { $0.0.detail == UInt16(NodeKind.executor.rawValue) && $0.1 == "program" }
        try #require(loops.count == 1, "\(texts)")
        let futures = texts.filter { $0.0.detail == UInt16(NodeKind.future.rawValue) }
        #expect(futures.allSatisfy { $0.0.other == loops[0].0.node && $0.0.flags.contains(.late) }, "\(texts)")
        // Of five types, and one of them twice; those with a value, and the one that was released, are left out.
        #expect(
            futures.map(\.1).sorted() == ["closure #2 in Program.main()", "closure #3 in Program.main()"]
                + Array(repeating: "without a callback", count: 4))
        let holds = state.batches.flatMap(\.events).filter { $0.kind == .heldBy && $0.node == loops[0].0.node }
        #expect(holds.map { "\($0.thread)" } == [program.thread])
    }

    @Test func aFutureEndsWithItsValue() throws {
        let program = try NIOProgram()
        let reader = try OutsideReader(program.pid)
        reader.readsFutures = true
        reader.scanAll()
        #expect(reader.needsPass)
        reader.scanAll()
        #expect(!reader.needsPass)
        // Only what two looks in a row have found is believed.
        #expect(reader.lookAgain().futures?.count == 0)
        let pending = try #require(reader.lookAgain().futures)
        #expect(pending.futures.map(\.address) == program.addresses.sorted())
        #expect(pending.count == 6 && pending.loops.map(\.value.type) == ["NIOCore.SelectableEventLoop"])
        #expect(pending.futures.filter { $0.callbackCount == 3 }.map(\.address) == [program.addresses[1]])

        var publisher = FuturePublisher()
        let made = publisher.update(pending, at: 5) { _ in "next" }
        #expect(made.events.filter { $0.kind == .created }.count == 7)
        #expect(publisher.update(pending, at: 6) { _ in "next" }.events == [])

        try program.settleFirst()
        let rest = try #require(reader.lookAgain().futures)
        #expect(rest.futures.map(\.address) == program.addresses.dropFirst().sorted())
        let ended = publisher.update(rest, at: 7) { _ in "next" }
        #expect(ended.events.map(\.kind) == [.fulfilled])
    }

    @Test func aProgramWithoutSwiftNIOHasNone() throws {
        let probe = try Probe("idle", 1)
        let reader = try OutsideReader(probe.pid)
        reader.readsFutures = true
        reader.scanAll()
        #expect(!reader.needsPass && reader.lookAgain().futures == nil)
    }
}

/// A running program whose module is named NIOCore. Ends with this object.
private final class NIOProgram {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// The pending futures; the second has three callbacks.
    let addresses: [UInt64]
    /// The id of the event loop's thread.
    let thread: String
    var pid: Int32 { process.processIdentifier }

    /// Compiled once for all tests.
    private static let program = Result { () throws -> String in
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("futures-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (source, program) = (folder.path + "/main.swift", folder.path + "/program")
        try Data(NIOProgram.source.utf8).write(to: URL(fileURLWithPath: source))
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-swift-version", "5", "-parse-as-library", "-module-name", "NIOCore", source, "-o", program,
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        return program
    }

    init() throws {
        process.executableURL = URL(fileURLWithPath: try Self.program.get())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let words = Self.line(output).split(separator: " ").map(String.init)
        try #require(words.count == 7, "\(words)")
        thread = words[0]
        addresses = words.dropFirst().map(number)
    }

    deinit {
        if process.isRunning { kill(pid, SIGKILL) }
        process.waitUntilExit()
    }

    /// Gives the first future a value.
    func settleFirst() throws {
        try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
        try #require(Self.line(output) == "done")
    }

    private static func line(_ pipe: Pipe) -> String {
        var text = ""
        while !text.hasSuffix("\n"), case let part = pipe.fileHandleForReading.availableData, !part.isEmpty {
            text += String(decoding: part, as: UTF8.self)
        }
        return String(text.dropLast())
    }

    private static let source = """
        import Glibc

        public protocol EventLoop: AnyObject {}
        struct CallbackList {
            struct Wrapper { var callback: () -> CallbackList }
            var firstCallback: Wrapper?
            var furtherCallbacks: [Wrapper]?
        }
        public final class EventLoopFuture<Value> {
            var _value: Result<Value, Error>?
            let eventLoop: EventLoop
            var _callbacks = CallbackList()
            init(_ loop: EventLoop, _ value: Result<Value, Error>? = nil) { (eventLoop, _value) = (loop, value) }
        }
        final class LockStorage: ManagedBuffer<pthread_t?, Int> {}
        struct NIOLockedValueBox { let _storage: ManagedBuffer<pthread_t?, Int> }
        final class NIOThread {
            let desiredName: String? = nil
            let handle: NIOLockedValueBox
            init(_ thread: pthread_t) {
                handle = NIOLockedValueBox(_storage: LockStorage.create(minimumCapacity: 1) { _ in thread })
            }
        }
        final class SelectableEventLoop: EventLoop {
            let name = "loop"
            let thread: NIOThread
            init(_ thread: pthread_t) { self.thread = NIOThread(thread) }
        }
        struct Large { var numbers = (1, 2, 3), byte: UInt8 = 4 }
        struct Failure: Error {}
        func address(_ object: AnyObject) -> String { String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16) }

        @main struct Program {
            static func main() async {
                var thread = pthread_t()
                pthread_create(&thread, nil, { _ in while true { pause() } }, nil)
                let id = UnsafeRawPointer(bitPattern: UInt(thread))!.load(fromByteOffset: 0x2D0, as: Int32.self)
                let loop = SelectableEventLoop(thread)
                let first = EventLoopFuture<Int>(loop)
                first._callbacks.firstCallback = .init { CallbackList() }
                let many = EventLoopFuture<String>(loop)
                many._callbacks.firstCallback = .init { CallbackList() }
                many._callbacks.furtherCallbacks = [.init { CallbackList() }, .init { CallbackList() }]
                let rest: [AnyObject] = [
                    EventLoopFuture<Void>(loop), EventLoopFuture<Large>(loop), EventLoopFuture<UInt8>(loop),
                    EventLoopFuture<Int>(loop),
                ]
                let settled: [AnyObject] = [
                    EventLoopFuture<Int>(loop, .success(255)), EventLoopFuture<Void>(loop, .success(())),
                    EventLoopFuture<String>(loop, .failure(Failure())), EventLoopFuture<UInt8>(loop, .success(255)),
                ]
                do { _ = EventLoopFuture<Int>(loop) }
                let futures: [AnyObject] = [first, many] + rest
                print(id, futures.map(address).joined(separator: " "))
                fflush(nil)
                while readLine() != nil {
                    first._value = .success(7)
                    print("done")
                    fflush(nil)
                }
                _ = (settled, rest)
            }
        }
        """
}

// SPDX-License-Identifier: MIT
