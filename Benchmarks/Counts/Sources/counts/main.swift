import PromiseRuntime
import Workloads

// Without arguments: allocations and bytes, a line each, NAME VALUE UNIT. With `instructions NAME`: nothing but that
// piece of work inside of `counted_region`, for callgrind; `instructions` alone says which there are, and how many units
// each does. With `events`: how many events three links tell.
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
