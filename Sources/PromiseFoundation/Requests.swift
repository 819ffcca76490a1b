import Foundation
import PromiseRuntime

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What can be asked for: a `URL` (then it is a GET) or a `URLRequest`.
public protocol RequestConvertible: Sendable {
    /// The request to send.
    var request: URLRequest { get }
}

extension URLRequest: RequestConvertible {
    /// Itself.
    public var request: URLRequest { self }
}

extension URL: RequestConvertible {
    /// A GET of it.
    public var request: URLRequest { URLRequest(url: self) }
}

// Four names, so that one declaration is enough for each (TheRules, P3). Time limits are the request's
// (`timeoutInterval`) and the session's; `timeout` of the promise works as on any.
extension URLSession {
    /// Sends a request; fulfilled with the answer, rejected with a `URLError` where none came, or with
    /// ``HTTPStatusError`` where its status is not one of `accepting` (TheRules, P10).
    ///
    /// Cancelling the promise cancels the task: the connection is given up, on the promise's executor. It has begun when
    /// the call returns. The whole body is held in memory.
    ///
    /// - Parameters:
    ///   - source: a `URL` or a `URLRequest`.
    ///   - accepting: the statuses that fulfil; 200 to 299 unless said otherwise. An answer that did not come by HTTP
    ///     has none, and fulfils.
    ///   - label: what the dashboard calls it; by itself the method, host and path.
    ///   - executor: runs the handlers of what follows; by itself the runtime's.
    public func load(
        _ source: some RequestConvertible, accepting: Range<Int> = 200..<300, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<LoadedResponse> {
        send(source.request, accepting, label, executor, file, line) { $0 }
    }

    /// As ``load(_:accepting:label:on:file:line:)``, with the body alone.
    public func loadData(
        _ source: some RequestConvertible, accepting: Range<Int> = 200..<300, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Data> {
        send(source.request, accepting, label, executor, file, line) { $0.data }
    }

    /// As ``load(_:accepting:label:on:file:line:)``, with the body as text, made on the executor; rejected with ``UnreadableText`` where it is
    /// none.
    public func loadText(
        _ source: some RequestConvertible, accepting: Range<Int> = 200..<300, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<String> {
        send(source.request, accepting, label, executor, file, line) { try $0.text() }
    }

    /// As ``load(_:accepting:label:on:file:line:)``, with the body decoded from JSON, on the executor; rejected with a
    /// `DecodingError` where it is none or another type's.
    public func loadJSON<Value: Decodable & Sendable>(
        _ type: Value.Type, _ source: some RequestConvertible, decoder: JSONDecoder = JSONDecoder(),
        accepting: Range<Int> = 200..<300, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        send(source.request, accepting, label, executor, file, line) { try $0.json(type, decoder: decoder) }
    }

    /// Sends a request and blocks the calling thread until the answer or an error is there: for scripts, which may do
    /// so on their main thread. No promise is made. On a worker of a pool another one stands in meanwhile (TheRules,
    /// E2).
    ///
    /// The session delivers on its `delegateQueue`; where that can not, since this is its thread, the result is
    /// ``WaitMisuse`` at once.
    ///
    /// - Parameters:
    ///   - source: a `URL` or a `URLRequest`; its `timeoutInterval` bounds the wait for each part of the answer.
    ///   - accepting: the statuses that succeed; 200 to 299 unless said otherwise.
    public func loadBlocking(
        _ source: some RequestConvertible, accepting: Range<Int> = 200..<300
    ) -> Result<LoadedResponse, any Error> {
        let request = source.request
        let isQueueOfMain = delegateQueue === OperationQueue.main && Thread.isMainThread
        if isQueueOfMain || (OperationQueue.current === delegateQueue && delegateQueue.maxConcurrentOperationCount == 1)
        {
            return .failure(WaitMisuse(request: request.label))
        }
        let answer = Answer()
        dataTask(with: request) { data, response, error in
            answer.put(request.outcome(data, response, error, accepting))
        }.resume()
        return PoolExecutor.blocking { answer.wait() }
    }
}

extension URLSession {
    // One promise, not a link after another, so that to cancel it reaches the task.
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
                // The session's queue is for its deliveries.
                converter.execute { resolver.settle(Result { try convert(answer) }) }
            }
        }
        resolver.onCancel { task.cancel() }
        task.resume()
        return promise
    }
}

/// The error of a blocking request on the one thread that could deliver its answer.
public struct WaitMisuse: Error, Hashable, CustomStringConvertible {
    /// What was asked for.
    public var request: String

    /// What happened and what to do instead.
    public var description: String {
        "\(request) would have blocked for ever: this thread serves the queue that the session delivers on. "
            + "Use load(…), which gives a promise, or a session with another delegateQueue."
    }
}

extension URLRequest {
    /// `GET host/path`: without the query, which may hold secrets.
    fileprivate var label: String {
        let place = url.map { ($0.host ?? $0.scheme ?? "") + $0.path } ?? "?"
        return "\(httpMethod ?? "GET") \(place)"
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

/// One result that a thread waits for.
private final class Answer: @unchecked Sendable {
    // Sendable: `result` is written once before the signal, and read once after it.
    private var result: Result<LoadedResponse, any Error>?
    private let isThere = DispatchSemaphore(value: 0)

    func put(_ result: Result<LoadedResponse, any Error>) {
        self.result = result
        isThere.signal()
    }

    func wait() -> Result<LoadedResponse, any Error> {
        isThere.wait()
        return result!
    }
}
