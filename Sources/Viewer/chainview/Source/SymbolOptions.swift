// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainOutside

/// Where the names of functions of a stripped program are.
struct SymbolOptions: ParsableArguments {
    @Option(
        name: .customLong("symbols"),
        help: ArgumentHelp(
            "An unstripped copy of a stripped program without an inspector, for the names of its functions.",
            valueName: "file"),
        completion: .file())
    var files: [String] = []

    /// How a program without an inspector is read.
    var reading: OutsideReading { OutsideReading(symbols: files) }
}

/// How a program without an inspector is opened and read.
struct OutsideReading {
    /// Unstripped copies of its files.
    var symbols: [String] = []
    var options = OutsideProcess.ReadOptions()
}
