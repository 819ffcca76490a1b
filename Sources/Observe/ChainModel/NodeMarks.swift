// SPDX-License-Identifier: MIT

/// A remark on a node besides its state.
///
/// This is the only table of marks. Code that lists marks uses `allCases` or a `switch` without a default, so that no
/// mark is left out.
public enum NodeMark: UInt16, CaseIterable, Hashable, Sendable {
    /// The node's cancellation was requested, and the node is still live.
    case cancelRequested = 1
    /// The node is settled, yet its handler still runs.
    case stillOnThread = 2
    /// The node was made before recording began, or the event of its creation was lost: facts are missing.
    case seenLate = 4
    /// The node's cancellation, requested or done, came from a viewer.
    case byViewer = 8
    /// A second attempt to settle the node had no effect.
    case settledAgain = 16
    /// The node was rejected, and then released before anything had handled the error.
    case unhandled = 32
    /// The node's memory was freed in the observed program.
    case released = 64
    /// A resolver in the program's hands settles the node.
    case external = 128
    /// The node's handler blocked a worker of a pool for longer than the pool allows, without using the processor.
    case hasBlocked = 256
    /// The node's handler tried to wait where the wait could never have ended, and was refused.
    case hasMisusedAwait = 512

    /// The name of the mark's case, for output that programs read.
    public var name: String { Self.names[rawValue.trailingZeroBitCount] }

    /// Cached, because making a string of an enumeration case takes a microsecond.
    private static let names = allCases.map { "\($0)" }
}

/// The remarks on a node besides its state.
public struct NodeMarks: OptionSet, Hashable, Sendable {
    /// The bits: the raw values of ``NodeMark``.
    public let rawValue: UInt16

    /// Wraps raw bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// One mark.
    @inlinable
    public init(_ mark: NodeMark) { self.init(rawValue: mark.rawValue) }

    /// The marks in this set, in the order of the cases of ``NodeMark``.
    public var list: [NodeMark] { isEmpty ? [] : NodeMark.allCases.filter { contains(NodeMarks($0)) } }

    @inlinable package static var cancelRequested: NodeMarks { NodeMarks(.cancelRequested) }
    @inlinable package static var stillOnThread: NodeMarks { NodeMarks(.stillOnThread) }
    @inlinable package static var seenLate: NodeMarks { NodeMarks(.seenLate) }
    @inlinable package static var byViewer: NodeMarks { NodeMarks(.byViewer) }
    @inlinable package static var settledAgain: NodeMarks { NodeMarks(.settledAgain) }
    @inlinable package static var unhandled: NodeMarks { NodeMarks(.unhandled) }
    @inlinable package static var released: NodeMarks { NodeMarks(.released) }
    @inlinable package static var external: NodeMarks { NodeMarks(.external) }
    @inlinable package static var hasBlocked: NodeMarks { NodeMarks(.hasBlocked) }
    @inlinable package static var hasMisusedAwait: NodeMarks { NodeMarks(.hasMisusedAwait) }
}
