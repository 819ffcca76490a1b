// SPDX-License-Identifier: MIT

import PromiseRuntime
import Workloads

// Without arguments: prints allocations and bytes, a line each, NAME VALUE UNIT. With `instructions NAME`: does that
// piece of work alone inside of `counted_region`, for callgrind. With `instructions`: prints the pieces and their
// units. With `events`: prints how many events three links make.
let arguments = Array(CommandLine.arguments.dropFirst())
let runtime = ChainRuntime(executor: InlineExecutor.shared)
runtime.run {
    switch arguments.first {
    case "instructions" where arguments.count == 2:
        guard let piece = pieces.first(where: { $0.name == arguments[1] }) else { fatalError("no such piece of work") }
        piece.run()
    case "instructions": for piece in pieces { print(piece.name, piece.units) }
    case "events": print(Recorded.eventsOfThreeLinks())
    default: printAllocations()
    }
}
