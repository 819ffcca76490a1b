import Foundation
import PromiseRuntime
import Testing

/// Handlers that are isolated to the main actor by `isolation:`, which the compiler checks.
@MainActor @Suite(.nothingLeft) struct MainActorHandlerTests {
    @MainActor private final class Window {
        var lines: [String] = []

        func add(_ line: String) {
            dispatchPrecondition(condition: .onQueue(.main))
            lines.append(line)
        }
    }

    private let window = Window()
    private let isolated = IsolatedRuntime()

    @Test func everyOperationRunsItsHandlerOnTheMainActor() async throws {
        let window = window
        let outcome = isolated.runtime.run {
            Promise(on: PoolExecutor.shared) { 1 }
                .map(isolation: MainActor.shared) { number in
                    window.add("map \(number)")
                    return number + 1
                }
                .tap(isolation: MainActor.shared) { window.add("tap \($0)") }
                .then(isolation: MainActor.shared) { number in
                    window.add("then \(number)")
                    return Promise<Int>.reject(Failure("\(number)"))
                }
                .failed(isolation: MainActor.shared) { window.add("failed \($0)") }
                .recover(isolation: MainActor.shared) { error in
                    window.add("recover \(error)")
                    return Promise<Int>.reject(error)
                }
                .catch(isolation: MainActor.shared) { error in
                    window.add("catch \(error)")
                    return 3
                }
                .anyway(isolation: MainActor.shared) { window.add("anyway \((try? $0.get()) ?? 0)") }
                .finally(isolation: MainActor.shared) { window.add("finally") }
                .done(isolation: MainActor.shared) { window.add("done \($0)") }
        }
        try await outcome.value
        #expect(
            window.lines == [
                "map 1", "tap 2", "then 2", "failed 2", "recover 2", "catch 2", "anyway 3",
                "finally", "done 3",
            ])
    }

    @Test func aHandlerRunsLaterAlsoOnTheMainActor() async throws {
        let window = window
        let done = Promise.resolve(1).done(isolation: MainActor.shared) { _ in window.add("handler") }
        window.add("attached")
        try await done.value
        #expect(window.lines == ["attached", "handler"])
    }

    @Test func aThrowRejects() async {
        let failing = Promise.resolve(1).done(isolation: MainActor.shared) { _ in throw Failure() }
        await #expect(throws: Failure.self) { try await failing.value }
    }
}

// SPDX-License-Identifier: MIT
