// SPDX-License-Identifier: MIT

import Foundation
import PromiseRuntime

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URL` (for a GET) or a `URLRequest`.
public protocol RequestConvertible: Sendable {
    /// The request to send.
    var urlRequest: URLRequest { get }
}

extension URLRequest: RequestConvertible {
    /// The request itself.
    public var urlRequest: URLRequest { self }
}

extension URL: RequestConvertible {
    /// A GET request for the URL.
    public var urlRequest: URLRequest { URLRequest(url: self) }
}

// Requests as promises have four names, so that each name needs one declaration (TheRules, P3). Time limits are the
// request's (`timeoutInterval`) and the session's; `timeout` of the promise works as on any promise.
extension URLSession {
    /// Sends a request. The promise is fulfilled with the answer. It is rejected with a `URLError` if there is no
    /// answer, and with ``HTTPStatusError`` if the status is not in `accepting` (TheRules, P10).
    ///
    /// Cancelling the promise cancels the `URLSessionTask`, on the promise's executor. The request has begun when the
    /// call returns. The whole body is held in memory.
    ///
    /// - Parameters:
    ///   - source: A `URL` or a `URLRequest`.
    ///   - accepting: The statuses that fulfil. An answer that did not come by HTTP has no status, and fulfils.
    ///   - label: The name in the dashboard; by default the method, host and path.
    ///   - executor: Runs the handlers of the chain; by default the runtime's.
    public func load(
        _ source: some RequestConvertible, accepting: Range<Int> = 200..<300, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<LoadedResponse> {
        send(source.urlRequest, accepting, label, executor, file, line) { $0 }
    }

    /// As ``load(_:accepting:label:on:file:line:)``, with the body alone.
    public func loadData(
        _ source: some RequestConvertible, accepting: Range<Int> = 200..<300, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Data> {
        send(source.urlRequest, accepting, label, executor, file, line) { $0.data }
    }

    /// As ``load(_:accepting:label:on:file:line:)``, with the body as text, decoded on the executor; rejected with
    /// ``UnreadableTextError`` if it is not text.
    public func loadText(
        _ source: some RequestConvertible, accepting: Range<Int> = 200..<300, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<String> {
        send(source.urlRequest, accepting, label, executor, file, line) { try $0.text() }
    }

    /// As ``load(_:accepting:label:on:file:line:)``, with the body decoded from JSON, on the executor; rejected with a
    /// `DecodingError` if it is not JSON of this type.
    public func loadJSON<Value: Decodable & Sendable>(
        _ type: Value.Type, _ source: some RequestConvertible, decoder: JSONDecoder = JSONDecoder(),
        accepting: Range<Int> = 200..<300, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        send(source.urlRequest, accepting, label, executor, file, line) { try $0.json(type, decoder: decoder) }
    }

    /// Sends a request and blocks the calling thread until the answer or an error arrives: for scripts, which may block
    /// their main thread. Makes no promise. If the calling thread is a worker of a pool, another thread may take its
    /// place meanwhile (TheRules, E2).
    ///
    /// In a task, the result is immediately a failure with ``RefusedWaitError``, because all tasks share a few threads.
    /// The same holds on the only thread that serves the session's `delegateQueue`, because that queue delivers the
    /// answer. In asynchronous code use ``load(_:accepting:label:on:file:line:)``.
    ///
    /// - Parameters:
    ///   - source: A `URL` or a `URLRequest`; its `timeoutInterval` bounds the wait for each part of the answer.
    ///   - accepting: The statuses that succeed.
    @available(*, noasync, message: "it blocks a thread that all tasks share: use try await load(…).value")
    public func loadBlocking(
        _ source: some RequestConvertible, accepting: Range<Int> = 200..<300, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Result<LoadedResponse, any Error> {
        let request = source.urlRequest
        func refusal(_ reason: RefusedWaitError.Reason) -> Result<LoadedResponse, any Error> {
            .failure(RefusedWaitError(reason, awaiting: request.label, file: file, line: line))
        }
        let isQueueOfMain = delegateQueue === OperationQueue.main && Thread.isMainThread
        if isQueueOfMain || (OperationQueue.current === delegateQueue && delegateQueue.maxConcurrentOperationCount == 1)
        {
            return refusal(.deliveryThread)
        }
        let isInTask = withUnsafeCurrentTask { $0 != nil }
        guard !isInTask else { return refusal(.task) }
        let answer = Answer()
        dataTask(with: request) { data, response, error in
            answer.deliver(request.outcome(data, response, error, accepting))
        }.resume()
        return PoolExecutor.blocking { answer.wait() }
    }
}

extension URLSession {
    // Makes one promise without further links, so that cancelling the promise cancels the `URLSessionTask`.
    private func send<Value: Sendable>(
        _ request: URLRequest, _ accepting: Range<Int>, _ label: String, _ executor: (any PromiseExecutor)?,
        _ file: StaticString, _ line: UInt, convert: @escaping @Sendable (LoadedResponse) throws -> Value
    ) -> Promise<Value> {
        let (promise, resolver) = Promise<Value>.pending(
            label: label.isEmpty ? request.label : label, on: executor, file: file, line: line)
        let converter = executor ?? promise.runtime.executor
        let task = dataTask(with: request) { data, response, error in
            switch request.outcome(data, response, error, accepting) {
            case .failure(let error): resolver.reject(error)
            case .success(let answer):
                // The answer is converted on the executor, because the session's queue is for its deliveries.
                converter.execute { resolver.settle(Result { try convert(answer) }) }
            }
        }
        resolver.onCancel { task.cancel() }
        task.resume()
        return promise
    }
}

extension URLRequest {
    /// `GET host/path`: without the query, which may hold secrets.
    fileprivate var label: String {
        let target = url.map { ($0.host ?? $0.scheme ?? "") + $0.path } ?? "?"
        return "\(httpMethod ?? "GET") \(target)"
    }

    fileprivate func outcome(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, _ accepting: Range<Int>
    ) -> Result<LoadedResponse, any Error> {
        guard error == nil, let response else { return .failure(error ?? URLError(.badServerResponse)) }
        let answer = LoadedResponse(data: data ?? Data(), response: response)
        if let status = answer.status, !accepting.contains(status) {
            return .failure(HTTPStatusError(method: httpMethod ?? "GET", url: response.url ?? url, answer: answer))
        }
        return .success(answer)
    }
}

/// A result for one waiting thread.
private final class Answer: @unchecked Sendable {
    // Sendable: `result` is written once before the signal, and read once after it.
    private var result: Result<LoadedResponse, any Error>?
    private let isReady = DispatchSemaphore(value: 0)

    func deliver(_ result: Result<LoadedResponse, any Error>) {
        self.result = result
        isReady.signal()
    }

    func wait() -> Result<LoadedResponse, any Error> {
        isReady.wait()
        return result!
    }
}
