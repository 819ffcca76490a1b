import ChainEvents

/// The number of a node as users type it, here and on the command line: `17` or `#17`.
public enum NodeNumber {
    /// Reads one; nil for what is none.
    public static func read(_ text: String) -> NodeID? {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        // A sign before it would be read, too.
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = UInt64(digits), number > 0 else {
            return nil
        }
        return NodeID(number)
    }
}
