import ChainTesting
import Foundation
import PromiseFoundation
import PromiseRuntime
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
    import TestWaits
#endif

@Suite(.serialized) final class RequestTests {
    private struct Item: Codable, Equatable, Sendable {
        var name: String
        var count: Int
    }

    private let server: LoopbackServer
    private let session: URLSession

    init() throws {
        server = try LoopbackServer { request in
            switch request.path {
            case "/text": ServerAnswer(200, "grüße", headers: ["Content-Type": "text/plain; charset=utf-8"])
            case "/json": ServerAnswer(200, #"{"name": "apple", "count": 3}"#)
            case "/echo":
                ServerAnswer(
                    201,
                    "\(request.method) \(request.headers["x-mark"] ?? "") "
                        + String(decoding: request.body, as: UTF8.self))
            case "/missing?secret=1": ServerAnswer(404, "no such thing\nand more")
            case "/moved": ServerAnswer(302, headers: ["Location": "/text"])
            case "/hang": nil
            default: ServerAnswer(500)
            }
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [:]
        session = URLSession(configuration: configuration)
    }

    deinit {
        session.invalidateAndCancel()
        server.stop()
    }

    // MARK: Answers

    @Test func p10TheAnswerComesWhole() throws {
        let answer = try value(of: session.load(server.url("/text")))
        #expect(answer.status == 200 && answer.data == Data("grüße".utf8))
        #expect(answer.http?.value(forHTTPHeaderField: "Content-Type") == "text/plain; charset=utf-8")
        #expect(try answer.text() == "grüße")
    }

    @Test func p10DataTextAndJSON() throws {
        #expect(try value(of: session.loadData(server.url("/text"))) == Data("grüße".utf8))
        #expect(try value(of: session.loadText(server.url("/text"))) == "grüße")
        #expect(try value(of: session.loadJSON(Item.self, server.url("/json"))) == Item(name: "apple", count: 3))
    }

    @Test func p10ARequestSendsItsMethodHeadersAndBody() throws {
        var request = URLRequest(url: server.url("/echo"))
        request.httpMethod = "POST"
        request.setValue("here", forHTTPHeaderField: "X-Mark")
        request.httpBody = Data("body".utf8)
        #expect(try value(of: session.loadText(request)) == "POST here body")
    }

    @Test func p10RedirectionsAreFollowed() throws {
        let answer = try value(of: session.load(server.url("/moved")))
        #expect(try answer.text() == "grüße")
        #expect(answer.response.url?.path == "/text")
    }

    @Test func p10RequestsAreLinksOfAChain() throws {
        let (session, server) = (session, server)
        let name = session.loadJSON(Item.self, server.url("/json"))
            .then { item in
                session.loadText(server.url("/text")).map { "\(item.name) \($0)" }
            }
        #expect(try value(of: name) == "apple grüße")
    }

    // MARK: Errors

    @Test func p10AnotherStatusIsAClearError() throws {
        let error = try #require(throws: HTTPStatusError.self) {
            try value(of: session.load(server.url("/missing?secret=1")))
        }
        #expect(error.status == 404 && error.method == "GET")
        #expect(try error.answer.text() == "no such thing\nand more")
        #expect("\(error)".hasPrefix("GET http://127.0.0.1:\(server.port)/missing answered 404 ("))
        #expect("\(error)".hasSuffix("): no such thing") && !"\(error)".contains("secret"))
        let taken = session.load(server.url("/missing?secret=1"), accepting: 200..<500)
        #expect(try value(of: taken).status == 404, "with accepting: it fulfils")
    }

    @Test func p10WithoutAnAnswerTheErrorIsTheSystems() throws {
        let refusing = try LoopbackServer(refuses: true) { _ in nil }
        #expect(throws: URLError.self) { try value(of: session.load(refusing.url("/"))) }
    }

    @Test func p10AnUnreadableBodyRejects() throws {
        #expect(throws: DecodingError.self) { try value(of: session.loadJSON(Item.self, server.url("/text"))) }
        let data = Data([0xFF, 0xFE, 0xFD])
        let response = URLResponse(
            url: server.url("/"), mimeType: nil, expectedContentLength: 3, textEncodingName: "UTF-8")
        let error = #expect(throws: UnreadableTextError.self) {
            try LoadedResponse(data: data, response: response).text()
        }
        #expect(error?.encoding == "utf-8" && error?.byteCount == 3)
    }

    // MARK: X4: cancellation

    @Test func p10CancellingReachesTheTask() throws {
        let promise = session.loadText(server.url("/hang"))
        let following = promise.map { $0.count }
        try server.unansweredRequest.wait("the request")
        promise.cancel("no longer wanted")
        #expect(promise.isCancelled)
        #expect(throws: PromiseCancelledError.self) { try value(of: following) }
        try server.unansweredClose.wait("the end of the connection")
    }

    @Test("P10, X2 a timeout cancels the request, also behind other links", arguments: [false, true])
    func p10ATimeoutCancelsTheTask(hasLinks: Bool) throws {
        let clock = VirtualClock()
        let promise = ChainRuntime(clock: clock).run {
            let request = session.load(server.url("/hang"))
            return (hasLinks ? request.tap { _ in }.map { $0 } : request).timeout(.seconds(1))
        }
        try server.unansweredRequest.wait("the request")
        #expect(!promise.isSettled)
        clock.advance(by: .seconds(1))
        #expect(throws: PromiseTimeoutError.self) { try value(of: promise) }
        try server.unansweredClose.wait("the end of the connection")
    }

    @Test func p10ConversionRunsOnTheExecutor() throws {
        let executor = ManualExecutor()
        let promise = session.loadJSON(Item.self, server.url("/json"), on: executor)
        try #require(wait { executor.pendingCount > 0 })
        #expect(!promise.isSettled)
        executor.runAll()
        #expect(try promise.result?.get().count == 3)
    }

    @Test func p10TheLabelIsTheRequestWithoutSecrets() throws {
        let promise = session.load(server.url("/missing?secret=1"))
        #expect(promise.label == "GET 127.0.0.1/missing")
        #expect(session.load(server.url("/text"), label: "words").label == "words")
        #expect(throws: HTTPStatusError.self) { try value(of: promise) }
    }

    // MARK: Blocking

    /// Loads on a thread of its own, because a blocking request in a task is refused.
    private func loadBlocking(_ path: String) throws -> Result<LoadedResponse, any Error> {
        let (session, url) = (session, server.url(path))
        let answer = Box<Result<LoadedResponse, any Error>?>(nil)
        let ended = Latch()
        Thread.detachNewThread {
            answer.change { $0 = session.loadBlocking(url) }
            ended.open()
        }
        try ended.wait("the answer")
        return try #require(answer.value)
    }

    @Test func p10ABlockingRequestReturnsAResult() throws {
        #expect(try loadBlocking("/text").get().text() == "grüße")
        #expect(throws: HTTPStatusError.self) { try loadBlocking("/other").get() }
    }

    @Test func p10ABlockingRequestInATaskIsRefused() async throws {
        let (session, url) = (session, server.url("/text"))
        @Sendable func load() -> (any Error)? {
            if case .failure(let error) = session.loadBlocking(url) { error } else { nil }
        }
        let error = try #require(await Task.detached { load() }.value as? RefusedWaitError)
        #expect(error.reason == .task && error.awaitedName == "GET 127.0.0.1/text")
        #expect("\(error)".hasPrefix("The wait at RequestTests.swift:"))
    }

    @Test func p10ABlockingRequestIsCompensatedOnAPool() throws {
        let pool = PoolExecutor(name: "fetch", width: 1)
        let (session, server) = (session, server)
        let ended = Latch(5)
        for _ in 0..<5 {
            pool.execute {
                if case .success = session.loadBlocking(server.url("/text")) { ended.open() }
            }
        }
        try ended.wait()
    }

    @Test func p10ABlockingRequestOnItsOwnQueueIsRefused() throws {
        let session = session
        let url = server.url("/text")
        let refused = Latch()
        session.delegateQueue.addOperation {
            if case .failure(let error) = session.loadBlocking(url),
                (error as? RefusedWaitError)?.reason == .deliveryThread
            {
                refused.open()
            }
        }
        try refused.wait()
    }
}

// SPDX-License-Identifier: MIT
