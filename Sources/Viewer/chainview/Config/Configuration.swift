// SPDX-License-Identifier: MIT

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
    /// The query for nodes that are folded when they appear; nil for none.
    var unimportant: Query?
    var warnings = WarningOptions()
    var limits = ForestLimits()
    /// The maximum number of bytes for the past of the live programs; 0 for no history.
    var historyMemory: UInt64 = 64 << 20
    /// The saved queries, by name.
    var queries: [String: String] = [:]
    /// A command line for `/bin/sh`, run for alerts; empty for none.
    var alertCommand = ""
}

/// An error in a configuration file, in one sentence.
struct ConfigProblem: Equatable, CustomStringConvertible {
    var file: String
    /// The number of the line, from 1; nil if no line is known for the error.
    var line: Int?
    var message: String

    var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(message)" }
}
