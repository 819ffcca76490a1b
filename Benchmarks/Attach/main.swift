// SPDX-License-Identifier: MIT

import Calibration

// Figures of attaching, one a line: NAME VALUE UNIT, and NAME/PEER RATIO x limit LIMIT ok|MISS. Programs and viewers are
// processes of their own, as in real use: this executable again, and the real `chainview` on a pseudo-terminal. Arguments
// choose figures by the start of their names.
switch CommandLine.arguments.dropFirst().first {
case "--program":
    ProgramRole.run(folder: CommandLine.arguments[2], hasFlightRecorder: CommandLine.arguments.last == "flight")
case "--viewer": ViewerRole.run(folder: CommandLine.arguments[2], target: CommandLine.arguments[3])
case "--reads":
    _ = Peer.reads.measure()
    answer("ready")
default: Figures.run(wanted: Array(CommandLine.arguments.dropFirst()))
}
