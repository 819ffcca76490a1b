import CCounting
import PromiseRuntime
import Workloads

// Three links as `counts instructions three-links` does them, and nothing else: built without hooks, what is left is
// what they cost. A program of its own, since a build without hooks needs no inspector.
ChainRuntime(executor: InlineExecutor.shared).run {
    Workloads.threeLinks(1_000)
    counted_region({ _ in Workloads.threeLinks(1_000) }, nil)
}
