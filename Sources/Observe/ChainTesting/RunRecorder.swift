// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import PromiseRuntime

/// A recorder that turns records into events with virtual time and reproducible numbers. Nodes, threads, sites and
/// executors are numbered from 1 in the order of their first record.
final class RunRecorder: EventSink {
    fileprivate struct State {
        var events: [ChainEvent] = []
        var texts: [String] = []
        // The numbers in the events, by what they stand for.
        var nodes: [NodeID: NodeID] = [:]
        // The node of number 1, of number 2, and so on.
        var nodeIDs: [NodeID] = []
        var threads: [UInt: ThreadID] = [:]
        var executors: [ExecutorID: ExecutorID] = [:]
        var sites: [CodeLocation: SiteID] = [:]
    }

    private let clock: VirtualClock
    private let state = Lock(State())
    /// The maximum number of Unicode scalars of a text.
    private static let textLimit = 4096

    init(clock: VirtualClock) { self.clock = clock }

    func record(_ record: EventRecord, text: String?) {
        let time = clock.nanoseconds
        let thread = callingThread
        state.withLock { state in
            var event = ChainEvent(time: time, record.kind, node: state.number(record.node))
            if record.kind == .renamed {
                event.other = record.other
            } else if record.other != .none {
                event.other = state.number(record.other)
            }
            event.thread = state.threads.number(thread)
            event.flags = record.flags
            event.detail = record.kind == .queued ? state.executors.number(record.detail) : record.detail
            if record.kind == .created, record.site.filePointer != nil {
                event.site = state.sites.number(record.site.site)
            }
            if let text, !text.isEmpty {
                state.texts.append(String(text.unicodeScalars.prefix(Self.textLimit)))
                event.text = UInt32(state.texts.count)
            }
            state.events.append(event)
        }
    }

    /// Returns the events so far.
    func batch(process: ProcessKey) -> EventBatch {
        state.withLock { state in
            var batch = EventBatch(process: process, sequence: 1, time: clock.nanoseconds)
            batch.sites = Dictionary(uniqueKeysWithValues: state.sites.map { ($1, $0) })
            batch.threads = Dictionary(uniqueKeysWithValues: state.threads.values.map { ($0, "thread-\($0)") })
            batch.executors = Dictionary(
                uniqueKeysWithValues: state.executors.map { ($1, ExecutorNames.name(of: $0) ?? "?") })
            batch.events = state.events
            batch.texts = state.texts
            batch.loss.madeCount = UInt64(state.events.count)
            batch.loss.deliveredCount = batch.loss.madeCount
            return batch
        }
    }

    /// Returns the runtime's id of the node with a number in the events.
    func node(numbered number: NodeID) -> NodeID? {
        state.withLock { state in
            let index = Int(clamping: number.rawValue) - 1
            return state.nodeIDs.indices.contains(index) ? state.nodeIDs[index] : nil
        }
    }
}

private var callingThread: UInt {
    #if canImport(Darwin) || canImport(Musl)
        UInt(bitPattern: pthread_self())
    #else
        pthread_self()
    #endif
}

extension RunRecorder.State {
    fileprivate mutating func number(_ node: NodeID) -> NodeID {
        if let known = nodes[node] { return known }
        nodeIDs.append(node)
        let number = NodeID(rawValue: UInt64(nodeIDs.count))
        nodes[node] = number
        return number
    }
}

extension Dictionary where Value: FixedWidthInteger {
    fileprivate mutating func number(_ key: Key) -> Value {
        if let known = self[key] { return known }
        let number = Value(truncatingIfNeeded: count + 1)
        self[key] = number
        return number
    }
}
