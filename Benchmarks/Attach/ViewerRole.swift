// SPDX-License-Identifier: MIT

import ChainAttach
import ChainBus
import ChainEvents
import ChainModel
import ChainSource
import Dispatch
import Foundation
import Synchronization

/// A viewer without a screen: folds the batches of a program.
///
///     digest    counts and hashes the live nodes of its forest; `digest COUNT HASH`
///     live      counts the live nodes of its forest; `live COUNT`
enum ViewerRole {
    static func run(folder: String, target: String) {
        guard let target = try? Target(target) else { fatalError("no target") }
        let source = AttachedProcess(target)
        let woken = DispatchSemaphore(value: 0)
        let mailbox = Mailbox<EventBatch>(
            limit: 400_000, overflow: .wait, cost: { 1 + $0.events.count + $0.nodes.count }, wake: { woken.signal() })
        let subscription = source.batches.subscribe(mailbox)
        source.start()
        let forest = Mutex<ChainForest?>(nil)
        Thread.detachNewThread {
            while let line = readLine() {
                forest.withLock { forest in
                    switch line {
                    case "digest": answer("digest", forest.map { Digest.words(of: $0) } ?? "0 0")
                    default: answer("live", forest?.totals.counts.liveCount ?? 0)
                    }
                }
            }
            exit(0)
        }
        answer("ready")
        withExtendedLifetime(subscription) {
            while true {
                woken.wait()
                let mail = mailbox.drain()
                for batch in mail.elements {
                    forest.withLock { forest in
                        if forest == nil { forest = ChainForest(process: batch.process) }
                        forest?.apply(batch)
                    }
                }
            }
        }
    }
}
