import Foundation
import PromiseFoundation
import PromiseRuntime
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// Code as users of PromiseFoundation write it: this target sees public declarations only.

/// A user's own kind of request.
private struct Page: RequestConvertible {
    var path: String
    var urlRequest: URLRequest { URLRequest(url: URL(fileURLWithPath: path)) }
}

struct PromiseFoundationUseTests {
    @Test("a request that is not answered is an error")
    func request() async {
        let text = URLSession.shared.loadText(Page(path: "/nowhere/at-all"), label: "page")
            .timeout(.seconds(60))
            .catch { _ in "none" }
        #expect(await (try? text.value) == "none")
    }

    @Test("handlers run on an operation queue")
    func queue() async throws {
        let queue = OperationQueue()
        queue.name = "letters"
        let executor = OperationQueueExecutor(queue)
        #expect(executor.identity.name == "letters")
        #expect(try await Promise.resolve(1).map(on: executor) { $0 + 1 }.value == 2)
    }
}

// SPDX-License-Identifier: MIT
