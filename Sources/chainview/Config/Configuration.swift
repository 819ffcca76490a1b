import ChainInsight
import ChainModel
import Dashboard
import Frames

/// What the configuration file says; the defaults where it says nothing.
struct Configuration: Equatable {
    /// Nil for the one that suits the terminal.
    var theme: Theme?
    var isASCII = false
    var refreshRate = 30
    var view = ViewID.chains
    var detail = DetailVisibility.auto
    var isReadOnly = false
    var order = TreeOrder()
    var warnings = WarningOptions()
    var limits = ForestLimits()
    var queries: [String: String] = [:]
}

/// What is wrong with a configuration file: a sentence each.
struct ConfigProblem: Equatable, CustomStringConvertible {
    var file: String
    /// From 1; nil where it is the whole file.
    var line: Int?
    var message: String

    var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(message)" }
}
