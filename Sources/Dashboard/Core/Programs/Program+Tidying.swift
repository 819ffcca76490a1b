import ChainModel
import ChainRows

// Archiving and folding of rows as time passes.
extension Program {
    /// Archives settled chains. Folds fulfilled nodes inside live chains, and nodes with many children. Nodes around
    /// the selected node are left as they are. `watched` is a node of the chain at the top of the screen.
    mutating func tidy(selected: NodeIndex?, watched: NodeIndex?) -> RowModel.Tidying {
        rowModel.tidy(in: forest, now: now, selected: selected, watched: watched)
    }
}
