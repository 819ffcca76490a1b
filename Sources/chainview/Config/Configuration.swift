import ChainInsight
import ChainModel
import ChainRows
import Dashboard
import Frames

/// The settings of the configuration file.
struct Configuration: Equatable {
    /// Nil for `auto`: the theme that suits the terminal.
    var theme: Theme?
    var isASCII = false
    var refreshRate = 30
    var view = ViewID.chains
    var detail = DetailVisibility.auto
    var isReadOnly = false
    var order = TreeOrder()
    var columns = TreeColumn.usual
    /// Nil for none.
    var unimportant: Query?
    var warnings = WarningOptions()
    var limits = ForestLimits()
    /// Bytes that the past of the live programs takes at most; 0 for none.
    var historyMemory: UInt64 = 64 << 20
    var queries: [String: String] = [:]
    /// A command for `/bin/sh`; empty for none.
    var alertCommand = ""
}

/// An error in a configuration file, in one sentence.
struct ConfigProblem: Equatable, CustomStringConvertible {
    var file: String
    /// The line from 1; nil for the whole file.
    var line: Int?
    var message: String

    var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(message)" }
}
