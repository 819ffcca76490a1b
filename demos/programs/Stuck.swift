import Dispatch
import PromiseRuntime
import Synchronization

extension Demo {
    /// Three defects that make no noise in a program without a dashboard.
    static let stuck = Demo(
        "stuck", "one that never settles, one whose resolver is dropped, one that blocks its thread",
        caption: "three chains that hang, each for another reason: try w (why it waits), 5 (warnings), 2 (threads)"
    ) {
        context in
        let office = Office(context: context)
        office.askTheOtherOffice()
        office.forgetACall()
        office.waitAtTheDesk()
    }
}

private final class Office: Sendable {
    private struct Diary {
        var resolvers: [Resolver<String>] = []
        var complaintCount = 0
        var errandCount = 0
    }

    private let context: DemoContext
    private let diary = Mutex(Diary())

    init(context: DemoContext) { self.context = context }

    /// The resolver is kept and never used.
    func askTheOtherOffice() {
        let (answer, resolver) = Promise<String>.pending(label: "answer from the other office")
        diary.withLock { $0.resolvers.append(resolver) }
        answer.map(label: "read it") { $0.count }
            .failed(label: "complain") { _ in self.diary.withLock { $0.complaintCount += 1 } }
    }

    /// The resolver goes out of scope in the handler that should have kept it.
    func forgetACall() {
        context.pause(2, label: "call back in 2 s").then(label: "forget to") {
            let (call, _) = Promise<String>.pending(label: "call")
            return call
        }
        .failed(label: "apologise") { _ in self.diary.withLock { $0.complaintCount += 1 } }
    }

    /// A handler waits ten minutes for a semaphore that is not signalled, on a thread of a pool of two.
    func waitAtTheDesk() {
        let desk = context.pool("desk", width: 2)
        Promise(label: "wait at the desk", on: desk) { [context] in
            if context.isRealTime { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(600)) }
        }
        .done(label: "go home") { self.diary.withLock { $0.errandCount += 1 } }
    }
}

// SPDX-License-Identifier: MIT
