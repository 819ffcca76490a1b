// SPDX-License-Identifier: MIT

import CCounting
import PromiseRuntime
import Workloads

// Makes three links as `counts instructions three-links` does, and nothing else. It is built without hooks for events,
// so the difference of instructions is the cost of the hooks. A program of its own, because a build without hooks needs
// no inspector.
ChainRuntime(executor: InlineExecutor.shared).run {
    Workloads.threeLinks(1_000)
    counted_region({ _ in Workloads.threeLinks(1_000) }, nil)
}
