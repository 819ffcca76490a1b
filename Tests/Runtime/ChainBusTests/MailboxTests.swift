import ChainBus
import Foundation
import TestWaits
import Testing

struct MailboxTests {
    @Test func b2_mailIsDrainedInOrderAndWhole() {
        let mailbox = Mailbox<Int>(limit: 10) {}
        #expect(mailbox.drain().isEmpty)
        for number in 1...3 { #expect(mailbox.push(number)) }
        let mail = mailbox.drain()
        #expect(mail.elements == [1, 2, 3])
        #expect(mail.droppedCount == 0)
        #expect(mail.ending == nil)
        #expect(mailbox.drain().isEmpty)
    }

    @Test func b2_pastTheLimitElementsAreDroppedAndCountedAsOneGap() {
        let mailbox = Mailbox<Int>(limit: 10, cost: { $0 }) {}
        #expect(mailbox.push(4))
        #expect(mailbox.push(5))
        #expect(!mailbox.push(2))
        #expect(!mailbox.push(1), "it would fit, but the gap has begun")
        let mail = mailbox.drain()
        #expect(mail.elements == [4, 5])
        #expect(mail.droppedCount == 2)
        #expect(mail.droppedCost == 3)
        #expect(mailbox.push(1), "a drained mailbox takes again")
        #expect(mailbox.drain().droppedCount == 0)
    }

    @Test func b2_anEmptyMailboxAcceptsAnElementPastTheLimit() {
        let mailbox = Mailbox<Int>(limit: 10, cost: { $0 }) {}
        #expect(mailbox.push(.max))
        #expect(!mailbox.push(.max))
        #expect(mailbox.drain().elements == [.max])
        #expect(mailbox.push(0))
        #expect(!mailbox.push(11))
    }

    @Test func anEmitterThatWaitsForRoomLosesNothing() throws {
        let mailbox = Mailbox<Int>(limit: 3, overflow: .wait) {}
        let received = Log<Int>()
        try onThreads(3) { index in
            guard index == 2 else {
                for number in 0..<2_000 { #expect(mailbox.push(number * 2 + index)) }
                return
            }
            var count = 0
            while count < 4_000 {
                let mail = mailbox.drain()
                #expect(mail.elements.count <= 3)
                #expect(mail.droppedCount == 0)
                for number in mail.elements { received.add(number) }
                count += mail.elements.count
                sched_yield()
            }
        }
        let numbers = received.entries
        #expect(numbers.filter { $0 % 2 == 0 } == (0..<2_000).map { $0 * 2 })
        #expect(numbers.filter { $0 % 2 == 1 } == (0..<2_000).map { $0 * 2 + 1 })
    }

    @Test func closingEndsWaitingPushes() throws {
        let mailbox = Mailbox<Int>(limit: 1, overflow: .wait) {}
        mailbox.push(1)
        try onThreads(3) { index in
            if index < 2 { #expect(!mailbox.push(2)) } else { mailbox.close() }
        }
        #expect(!mailbox.push(3))
        #expect(mailbox.drain().elements == [1])
    }

    /// Only the first of those that do not fit waits.
    @Test func anEmitterWaitsForRoomAsLongAsItsPatienceLasts() {
        let mailbox = Mailbox<Int>(limit: 1, patience: .milliseconds(100), cost: { _ in 1 }) {}
        let duration = ContinuousClock().measure {
            #expect(mailbox.push(0))
            for number in 1...1_000 { #expect(!mailbox.push(number)) }
        }
        #expect(duration > .milliseconds(99) && duration < .seconds(50))
        let mail = mailbox.drain()
        #expect(mail.elements == [0] && mail.droppedCount == 1_000 && mail.droppedCost == 1_000)
        #expect(mailbox.push(1) && !mailbox.push(2) && mailbox.drain().elements == [1])
    }

    @Test func b2_theWakeCallComesOnlyIfTheMailboxWasEmpty() {
        let wakes = Log<Int>()
        let mailbox = Mailbox<Int>(limit: 2) { wakes.add(1) }
        for number in 0..<5 { mailbox.push(number) }
        #expect(wakes.entries.count == 1)
        _ = mailbox.drain()
        mailbox.onCompleted()
        #expect(wakes.entries.count == 2)
        _ = mailbox.drain()
        mailbox.push(1)
        mailbox.onError(Failure())
        #expect(wakes.entries.count == 2)
        #expect(mailbox.drain().isEmpty)
    }

    @Test func b2_theWakeCallMayDrain() {
        let seen = Log<Int>()
        let box = Box<Mailbox<Int>?>(nil)
        let mailbox = Mailbox<Int>(limit: 1) { box.value?.drain().elements.forEach { seen.add($0) } }
        box.value = mailbox
        for number in 0..<10 { mailbox.push(number) }
        #expect(seen.entries == Array(0..<10))
        box.value = nil
    }

    @Test func b2_theEndComesOnceAfterAllElements() {
        let subject = PublishSubject<Int>()
        let mailbox = Mailbox<Int>(limit: 1) {}
        _ = subject.subscribe(mailbox)
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        let mail = mailbox.drain()
        #expect(mail.elements == [1])
        #expect(mail.droppedCount == 1)
        #expect(mail.ending == .completed)
        #expect(mailbox.drain().isEmpty)
    }

    @Test func b2_aSlowSubscriberHoldsUpNeitherTheEmitterNorTheOthers() throws {
        let subject = PublishSubject<Int>()
        let slow = Mailbox<Int>(limit: 100) {}
        let fast = Log<Int>()
        let bag = DisposeBag()
        subject.subscribe(slow).disposed(by: bag)
        subject.subscribe(onNext: { fast.add($0) }).disposed(by: bag)
        for number in 0..<10_000 { subject.onNext(number) }
        #expect(fast.entries.count == 10_000)
        let mail = slow.drain()
        #expect(mail.elements == Array(0..<100))
        #expect(mail.droppedCount == 9_900)
    }

    @Test func b2_everyElementPushedFromManyThreadsIsDrainedOrCountedAsDropped() throws {
        let signal = DispatchSemaphore(value: 0)
        let mailbox = Mailbox<[Int]>(limit: 64) { signal.signal() }
        let drained = Log<Mailbox<[Int]>.Mail>()
        let pushers = Countdown(from: 3)
        try onThreads(4) { thread in
            if thread == 0 {
                while true {
                    #expect(signal.waitForSignal())
                    let mail = mailbox.drain()
                    drained.add(mail)
                    if mail.ending != nil { break }
                }
            } else {
                for number in 0..<5_000 { mailbox.push([thread, number]) }
                if pushers.finish() { mailbox.onCompleted() }
            }
        }
        let elements = drained.entries.flatMap(\.elements)
        #expect(elements.count + drained.entries.reduce(0) { $0 + $1.droppedCount } == 15_000)
        for thread in 1...3 {
            let numbers = elements.filter { $0[0] == thread }.map { $0[1] }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<))
        }
        #expect(drained.entries.allSatisfy { $0.elements.count <= 64 })
    }
}

// SPDX-License-Identifier: MIT
